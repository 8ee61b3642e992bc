import { z } from "zod";

/** The schema of a file of mapping cases, used for its checks and its types. */

const row = z.record(z.string(), z.json(), { error: "an object of columns" });
const id = z.number({ error: "an id of the service" }).int({ error: "expected a whole number" }).positive({
  error: "expected a number above 0",
});
const text = z.string({ error: "text" }).min(1);

/** Exactly one outcome: the fields of a mapped row, or the reason for any other. */
const expected = z
  .strictObject({
    fields: z.record(z.string(), z.json(), { error: "an object of the service's fields" }).optional(),
    skipped: z.literal(true, { error: "true" }).optional(),
    parked: text.optional(),
    waiting: text.optional(),
    deleted: z.enum(["ignore", "delete", "set"], { error: "one of ignore, delete, set" }).optional(),
  })
  .superRefine(({ fields, deleted, ...others }, context) => {
    const count = [deleted ?? fields, ...Object.values(others)].filter((word) => word !== undefined).length;
    const isPair = fields === undefined || deleted === undefined || deleted === "set";
    if (count === 1 && isPair) return;
    context.addIssue({
      code: "custom",
      message: "expected exactly one of fields, skipped, parked, waiting, deleted; fields may be beside deleted: set",
    });
  });

const mappingCase = z.strictObject({
  name: text.optional(),
  stream: text,
  row: row.optional(),
  gone: z.literal(true, { error: "true" }).optional(),
  expect: expected,
});

const column = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "text, a number, true, false or null",
});

/** What a record of the service becomes in the inbox. A line names its kind, perhaps its id and amount, and all of its columns. */
const returnCase = z.strictObject({
  name: text.optional(),
  stream: text,
  record: row,
  expect: z
    .strictObject({
      fields: z.record(z.string(), column, { error: "an object of columns" }).optional(),
      lines: z.array(z.looseObject({ kind: text }).catchall(column), { error: "a list of lines" }).optional(),
      skipped: z.literal(true, { error: "true" }).optional(),
      parked: text.optional(),
      waiting: text.optional(),
    })
    .refine(
      ({ fields, lines, ...others }) =>
        [fields ?? lines, ...Object.values(others)].filter((word) => word !== undefined).length === 1,
      { error: "expected fields, lines or both, or exactly one of skipped, parked, waiting" },
    ),
});

export const caseFile = z
  .strictObject({
    names: z.record(z.string(), z.array(row, { error: "a list of records, each with its id" })).optional(),
    bound: z.record(z.string(), z.record(z.string(), id.nullable())).optional(),
    cases: z.array(mappingCase, { error: "a list of cases" }).default([]),
    returns: z.array(returnCase, { error: "a list of cases" }).default([]),
  })
  .refine(({ cases, returns }) => cases.length + returns.length > 0, {
    path: ["cases"],
    error: "expected at least one case, here or under returns",
  });

export type CaseWords = z.infer<typeof mappingCase>;
export type ReturnCaseWords = z.infer<typeof returnCase>;
export type CaseFileWords = z.infer<typeof caseFile>;
