import { z } from "zod";
import { duration, LONGEST_TIMER_MS } from "#model";
import { parsePath } from "./compile/column-path.ts";
import { expressionProblem } from "./expression/expression.ts";

/** The words of the sync file: one schema for the loader's checks, the types and the editor's JSON Schema. */

/** The message for texts that do not have the expected form. */
function wanted(form: string) {
  return ({ input }: { readonly input?: unknown }) => `found ${JSON.stringify(input)}, expected ${form}`;
}

export const plainScalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "text, a number, true, false or null",
});

export const column = z
  .string({ error: "a column's name" })
  .refine((text) => parsePath(text) !== undefined, {
    error: wanted("a column or a path like address.city; odd names go into backticks, expressions under expr"),
  })
  .describe("A column of the row, or a path into it (address.city). Odd names go into backticks: `Search Name`.");

export const expression = z
  .string({ error: "a JSONata expression" })
  .superRefine((text, context) => {
    const problem = expressionProblem(text);
    if (problem) context.addIssue({ code: "custom", message: problem.message, params: { offset: problem.offset } });
  })
  .describe("A JSONata expression over the row. NULL columns are left out in it: ask with $exists(column).");

export const entryName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*$/, {
  error: "expected letters, digits, - and _, beginning with a letter",
});
export const streamName = entryName.describe("The name of a stream of this file.");

/** A resource of the service. The known ones are injected where they matter. */
export const resourceName = z
  .string({ error: "a resource of the service" })
  .describe("A resource of the service, spelled as in its API reference.");

export const fieldName = z
  .string({ error: "a field's name" })
  .regex(/^(customFields\..+|[A-Za-z][A-Za-z0-9]*)$/, {
    error: "expected a field of the resource, or customFields.<id or name>",
  })
  .describe("A field of the service's resource, or customFields.<id or name>.");

const table = {
  map: z
    .record(z.string(), plainScalar)
    .refine((entries) => Object.keys(entries).length > 0, {
      error: "found an empty table, expected at least one entry",
    })
    .optional()
    .describe(
      "A table from the ERP's values to the service's. A value that is not in it needs a default, or the record is parked.",
    ),
  default: plainScalar
    .optional()
    .describe("Taken when there is nothing (NULL or empty text), and for values that are not in map."),
};

const from = { from: column, ...table };
const expr = { expr: expression, ...table };
const constant = {
  const: z.union([plainScalar, z.array(plainScalar)]).describe("This value for every record."),
};

export const valueChoices = [column, z.strictObject(from), z.strictObject(expr), z.strictObject(constant)] as const;

const value = z
  .union(valueChoices, {
    error: "a column's name, or one of from, expr, const",
  })
  .describe(
    "A column's name; or { from } a column, { expr } an expression, { const } a constant; with map and default.",
  );

const own = {
  own: z
    .enum(["always", "create", "empty"])
    .optional()
    .describe(
      "always: kept in sync (the default). create: written when the record is created, never again. empty: written only while the service has no value there.",
    ),
};

const lookup = {
  lookup: resourceName.describe("The resource that holds the wanted record, e.g. ticketStatus."),
  by: z.string().min(1).default("name").describe("The field that names a record there; name is the default."),
};

const field = z
  .union(
    [
      column,
      z.strictObject({ ...from, ...own }),
      z.strictObject({ ...expr, ...own }),
      z.strictObject({ ...constant, ...own }),
      z
        .strictObject({ ...lookup, value: value.describe("What names the record there."), ...own })
        .describe("The id of the service's record that has this name."),
      z
        .strictObject({
          ref: streamName,
          key: z
            .union([z.array(value).min(1), value], { error: "a column's name, or a list of them" })
            .describe("The ERP's key of the other record: as many parts as that stream's key has, in its order."),
          optional: z
            .boolean()
            .default(false)
            .describe("The field stays empty when the other record will not come: deleted in the ERP, or left out."),
          ...own,
        })
        .describe("The service id of another stream's record. The record waits until that one is in the service."),
      z
        .strictObject({
          tags: value.describe("Where the names come from: a list, or text that separator splits."),
          separator: z.string().min(1).optional().describe("What stands between the names in a text, e.g. a comma."),
          resource: resourceName.default("tag").describe("The resource that holds them; tag is the default."),
          by: z.string().min(1).default("name").describe("The field that names them; name is the default."),
          ...own,
        })
        .describe("Ids that are added and removed one by one: what others put into the list stays."),
    ],
    { error: "a column's name, or one of from, expr, const, lookup, ref, tags" },
  )
  .describe("Where the field's value comes from.");

const setField = z
  .union(
    [
      plainScalar,
      z.strictObject(constant),
      z.strictObject({ ...lookup, value: plainScalar.describe("The record's name there.") }),
    ],
    { error: "a constant, or { lookup, by, value } with a constant value" },
  )
  .describe("A constant: the record is gone, there is nothing left to read.");

const deleted = z
  .strictObject({
    when: expression
      .optional()
      .describe("True for a row whose record is deleted. Without it, only the ERP's own word (feed or sweep) counts."),
    set: z
      .record(fieldName, setField)
      .refine((fields) => Object.keys(fields).length > 0, { error: "found no field, expected at least one" })
      .optional()
      .describe("Write these constants and leave the rest."),
    delete: z.literal(true, { error: "true" }).optional().describe("Delete the record in the service."),
    ignore: z.literal(true, { error: "true" }).optional().describe("Leave the record in the service as it is."),
  })
  .refine((policy) => [policy.set, policy.delete, policy.ignore].filter((word) => word !== undefined).length === 1, {
    error: "expected exactly one of set, delete: true, ignore: true",
  })
  .describe("What becomes of the service's record when the ERP's is deleted. Without it: nothing.");

const rule = z.array(fieldName).min(1).describe("The fields whose values together name one record.");

const ruleWords = z.strictObject({
  fields: rule,
  compare: z
    .enum(["exact", "caseInsensitive", "normalized"])
    .default("exact")
    .describe(
      "caseInsensitive: without upper and lower case, for e-mail. normalized: also without accents, white space and punctuation, except in e-mail addresses and between digits.",
    ),
  shared: z
    .boolean()
    .optional()
    .describe("true: several records of the ERP may have one such key. Otherwise the second one is parked."),
});

const match = z
  .union(
    [
      rule,
      z.array(z.union([rule, ruleWords], { error: "a list of fields, or { fields, compare, shared }" })).min(1),
      ruleWords,
    ],
    {
      error: "a list of fields, a list of such rules, or { fields, compare, shared }",
    },
  )
  .describe("The natural key: finds records that the service already has. Several rules are tried in order.");

export const pollInterval = duration.refine(
  (ms) => ms >= 1000 && ms <= LONGEST_TIMER_MS,
  "expected at least 1s and at most 24d",
);

export const streamHead = z.strictObject({
  source: z.string({ error: "the name of a source" }).describe("The name of a source of this file."),
  read: z.unknown().optional().describe("What to read there; its words are the adapter's."),
  every: pollInterval.optional().describe("How often to poll, e.g. 30s, 5m, 2h. The daemon's setting is the default."),
  resource: resourceName,
  match: match.optional(),
  create: z
    .enum(["always", "never"])
    .default("always")
    .describe(
      "always: what the service does not have is created (the default). never: only records that the service has are kept in sync; the others are left out until it has them.",
    ),
  gone: z
    .enum(["park", "recreate"])
    .default("park")
    .describe("When someone deleted the record in the service: park it for a person, or create it again."),
  moved: z
    .enum(["park", "recreate"])
    .default("park")
    .describe(
      "When the parent changed that a nested path holds: park it for a person, or delete it and create it below its new parent.",
    ),
  when: expression.optional().describe("Only rows for which this is true are taken; the others are left out."),
  deleted: deleted.optional(),
  /** Checked separately, so that one wrong field hides no other problem. */
  fields: z.unknown().optional(),
});

export const fileHead = z.strictObject(
  {
    sources: z
      .record(entryName, z.looseObject({ adapter: z.string({ error: "an adapter's name" }) }))
      .describe("The ERPs to read from."),
    streams: z
      .record(entryName, z.unknown())
      .refine((streams) => Object.keys(streams).length > 0, { error: "found no streams, expected at least one" })
      .describe("What flows where: one stream for each kind of record."),
    returns: z
      .record(entryName, z.unknown())
      .optional()
      .describe("What goes back to the ERP: finished work, statuses, and the state of its records."),
  },
  { error: "an object with sources and streams" },
);

/** A stream's `fields`, each under its name in the service. */
export const fields = z
  .record(fieldName, field)
  .describe("The fields that svcsync owns: it never touches another one.");

export type ValueWords = z.infer<typeof value>;
export type FieldWords = z.infer<typeof field>;
export type SetWords = z.infer<typeof setField>;
/** Any words of a stream's head, for a head of which only some words are well-formed. */
export const headParts = streamHead.partial();

export type HeadParts = z.infer<typeof headParts>;
export type StreamHead = z.infer<typeof streamHead>;
