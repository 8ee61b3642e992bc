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

export const caseFile = z.strictObject({
  names: z.record(z.string(), z.array(row, { error: "a list of records, each with its id" })).optional(),
  bound: z.record(z.string(), z.record(z.string(), id.nullable())).optional(),
  cases: z.array(mappingCase, { error: "a list of cases" }).min(1),
});

export type CaseWords = z.infer<typeof mappingCase>;
export type CaseFileWords = z.infer<typeof caseFile>;
