import { Temporal } from "temporal-polyfill";
import { z } from "zod";
import { duration } from "#model";
import { REPORT_LISTS } from "../returns-contract.ts";
import {
  column,
  expression,
  fieldName,
  pollInterval,
  resourceName,
  plainScalar,
  streamName,
  valueChoices,
} from "../words.ts";

/** The words of `returns:` in the sync file. */

/** Columns that every inbox has, whatever the sync file names. */
const HEAD_COLUMNS =
  "return_id stream record_key service_id version kind replaces line_count content_hash payload written_at".split(" ");
const LINE_COLUMNS = "return_id line_no line_kind line_id change amount amount_before".split(" ");

function columnName(taken: readonly string[]) {
  return z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,59}$/, {
      error: "expected a column's name: letters, digits and _, beginning with a letter, at most 60 characters",
    })
    .refine((name) => !taken.includes(name.toLowerCase()), {
      error: "expected another name: the inbox has a column of this name in any case",
    });
}

const id = column.describe("The field of the service's record that holds the id.");

const returnValue = z
  .union(
    [
      ...valueChoices,
      z
        .strictObject({ keyOf: streamName, id })
        .describe("The ERP's key of the record that this stream has bound to the service id."),
      z
        .strictObject({
          nameOf: resourceName,
          id,
          by: z.string().min(1).default("name").describe("The field of that record; name is the default."),
        })
        .describe("A field of another record of the service, such as a worker's externalErpNumber."),
    ],
    { error: "a field of the service's record, or one of from, expr, const, keyOf, nameOf" },
  )
  .describe("Where the column's value comes from. A report whose key or number is unknown waits; nothing is guessed.");

export const headFields = z
  .record(columnName(HEAD_COLUMNS), returnValue)
  .describe("The columns of the inbox, each with where its value comes from. Nothing else is read or handed over.");
export const lineFields = z
  .record(columnName(LINE_COLUMNS), returnValue)
  .describe(
    "The columns of a line. A line's own fields are at the top; the activity around it is task, the report svcDocument.",
  );

const rounding = {
  round: z
    .int({ error: "a whole number from 0 to 4" })
    .min(0)
    .max(4)
    .optional()
    .describe("Digits behind the point; half is rounded away from zero."),
  remainder: z
    .enum(["last", "refuse"])
    .optional()
    .describe(
      "last: the last line takes what rounding left over, so that the lines add up. refuse: lines that do not add up are not handed over (the default).",
    ),
};

export const amount = z
  .union([column, z.strictObject({ from: column, ...rounding }), z.strictObject({ expr: expression, ...rounding })], {
    error: "a field of the line's record, or one of from, expr; with round and remainder",
  })
  .describe("What is billed of the line: hours, pieces, kilometres.");

export const lines = z.strictObject({
  each: z.enum(REPORT_LISTS).describe("The list whose members are lines."),
  kind: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,11}$/, {
      error: "expected at most 12 letters, digits, - and _, beginning with a letter",
    })
    .describe("What the lines are about, such as time, material or travel."),
  amount: amount.optional(),
  /** Checked separately, as the fields of a stream are. */
  fields: z.unknown().optional(),
});

const tableName = z
  .string({ error: "a table's name" })
  .regex(/^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,2}$/, {
    error: "expected a table's name, perhaps behind its schema: svcsync.returns",
  });
const folderName = z.string({ error: "a folder's name" }).min(1);
const source = z.string({ error: "the name of a source" }).describe("The name of a source of this file.");

const destination = z
  .union(
    [
      z.strictObject({
        source,
        table: tableName.describe("The table of the inbox; svcsync adds rows and changes none."),
        lines: tableName.optional().describe("The table of the lines."),
      }),
      z.strictObject({
        source,
        folder: folderName.describe("The folder that takes the files."),
        format: z.enum(["csv", "json"]).default("csv").describe("How the files are written; csv is the default."),
      }),
    ],
    { error: "{ source, table, lines } or { source, folder, format }" },
  )
  .describe("The inbox that the ERP reads. svcsync never writes the ERP's own tables.");

const answers = z
  .strictObject({
    table: tableName.optional().describe("The table into which the ERP writes its answers; svcsync only reads it."),
    folder: folderName.optional().describe("The folder into which the ERP puts its answers; answers is the default."),
    within: duration
      .refine((ms) => ms > 0, "expected more than 0")
      .prefault("24h")
      .describe("A return without an answer is reported after this time; 24h is the default."),
  })
  .describe("Where the ERP answers: ok with a document's number, or refused with a text.");

/** A day, or an instant with its offset, in epoch milliseconds. */
const begin = z
  .string({ error: "a day, or a time with its offset" })
  .transform((text, context) => {
    try {
      const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? `${Temporal.PlainDate.from(text).toString()}T00:00Z` : text;
      return Temporal.Instant.from(instant).epochMilliseconds;
    } catch {
      const message = `found ${JSON.stringify(text)}, expected a day such as 2026-12-01 (it begins at 00:00 UTC), or a time with its offset such as 2026-12-01T00:00:00+01:00`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }
  })
  .describe("What was final before is not returned. Without it: the moment at which the lane is switched on.");

const common = {
  to: destination,
  every: pollInterval.optional().describe("How often to look, e.g. 30s, 5m, 2h. The daemon's setting is the default."),
  guard: z
    .union([z.int().min(1), z.literal("off")], { error: "a number of returns in an hour, or off" })
    .optional()
    .describe(
      "More returns than this in an hour are held. Reports: three times the usual hour, at least 50, if absent.",
    ),
  /** Checked separately, so that one wrong field hides no other problem. */
  fields: z.unknown().optional(),
};

const ofRecords = {
  resource: resourceName,
  when: expression
    .optional()
    .describe("Only records for which this is true. For reports: approved and billable and $not(canceled = true)."),
  begin: begin.optional(),
  ...common,
  answers: answers.optional(),
};

export const reportHead = z.strictObject({
  ...ofRecords,
  corrections: z
    .enum(["hold", "send"])
    .default("hold")
    .describe("hold: a person confirms a correction or a cancellation (the default). send: it flows."),
  lines: z.unknown(),
  // oxlint-disable-next-line unicorn/no-thenable -- a word of the sync file
  then: z
    .strictObject({
      resource: z.literal("invoice").describe("The resource that is written."),
      of: z.literal("svcDocument").describe("The field of the invoice that names the report."),
      set: z
        .record(
          fieldName,
          z.union([z.literal("document"), z.strictObject({ const: plainScalar.describe("This value.") })], {
            error: "document, or { const }",
          }),
        )
        .refine((fields) => Object.keys(fields).length > 0, { error: "found no field, expected at least one" })
        .describe("document stands for the number that the ERP answered."),
    })
    .optional()
    .describe("What is written into the service once the ERP accepted a report."),
});

export const statusHead = z.strictObject(ofRecords);

export const stateHead = z.strictObject({
  state: streamName.describe("The stream whose records' state is returned: in step, waiting, or blocked and why."),
  ...common,
});

export type ReturnValueWords = z.infer<typeof returnValue>;
export type AmountWords = z.infer<typeof amount>;
export type LinesWords = z.infer<typeof lines>;
export type ReportHead = z.infer<typeof reportHead>;
export type StatusHead = z.infer<typeof statusHead>;
export type StateHead = z.infer<typeof stateHead>;
