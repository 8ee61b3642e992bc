import { z } from "zod";
import { timezone } from "../time/timezone.ts";
import { pollSettings, webSettings } from "../wire/client/web-settings.ts";
import { precisionSchema, stampFormatSchema } from "../wire/stamps/stamp-format.ts";
import { jsonValue } from "../wire/stamps/values.ts";

export const presetSchema = z.enum(["erpnext", "weclapp", "xentral", "dolibarr", "tryton"]);

export const restSettings = z.strictObject({
  preset: presetSchema
    .optional()
    .describe("The product, where it is one that is known; its streams then name a `table`"),
  ...webSettings,
  databaseTimezone: timezone
    .optional()
    .describe("Zone of the database's clock where it is not `timezone` (Dolibarr: `timezone` is PHP's)"),
});
export type RestSettings = z.infer<typeof restSettings>;

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const key = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((fields) => (typeof fields === "string" ? [fields] : fields));

const paging = z
  .strictObject({
    kind: z
      .enum(["none", "page", "offset", "cursor", "link"])
      .describe(
        "How further pages are asked for: a page number, an offset, a cursor from the answer, or its next link",
      ),
    parameter: z.string().optional().describe("Name of the page, offset or cursor parameter"),
    first: z.int().default(1).describe("Number of the first page"),
    sizeParameter: z.string().optional().describe("Name of the page size parameter"),
    size: z.int().min(1).default(100).describe("Rows per page"),
    next: z.string().optional().describe("Path of the cursor or the link in the answer; a Link header needs none"),
  })
  .refine((value) => value.kind === "none" || value.kind === "link" || value.parameter !== undefined, {
    message: "paging by page, offset or cursor needs `parameter`",
  });

const each = z
  .strictObject({
    in: z.string().min(1).describe("Name of the list, e.g. contactPersons"),
    key: key.describe("What is unique in a member within its record"),
  })
  .optional()
  .describe(
    "Read the members of a list inside each record, one record each; `parent` of a row is the record around it",
  );

const stamped = {
  path: z.string().min(1).describe("Path of the list below the source's `url`"),
  method: z.enum(["GET", "POST"]).default("GET").describe("POST where the API is asked by a body"),
  parameters: parameters.default({}).describe("Sent with every page"),
  body: jsonValue.optional().describe("Body of a POST; texts in it are templates"),
  range: parameters.optional().describe("Added to ask for a window: `{from}` and `{to}` stand for its bounds"),
  fromExclusive: z
    .boolean()
    .default(false)
    .describe("The lower bound is exclusive: svcsync asks from one unit earlier"),
  after: parameters.optional().describe("Added to continue after a key: `{key}`, or `{key.0}` of a composite one"),
  orderByChanged: parameters.optional().describe("Added to sort by the change stamp; absent: it cannot"),
  orderByKey: parameters.default({}).describe("Added to sort by key"),
  noStamp: parameters.optional().describe("Added to ask for the rows whose stamp is empty"),
  rows: z.string().default("").describe("Path of the list in the answer; empty: the answer is the list"),
  key: key.describe("Path of the key in a row, or a list of paths"),
  changed: z.string().optional().describe("Path of the change stamp in a row; absent: every poll reads the whole list"),
  format: stampFormatSchema.default("iso").describe("How a row writes its stamp"),
  filterFormat: stampFormatSchema.optional().describe("How the bounds are written, where it differs from `format`"),
  precision: precisionSchema.default("second").describe("How fine stamps are on the wire"),
  paging: paging.prefault({ kind: "none" }).describe("How further pages are asked for"),
  emptyOn404: z
    .boolean()
    .default(false)
    .describe("404 means no rows, unless it says that something else is missing, such as a module"),
};

const configured = z.strictObject({
  ...stamped,
  each,
  one: z
    .strictObject({
      path: z.string().min(1).describe("Path of one record: `{key}`, or `{key.0}` of a composite one"),
      row: z.string().default("").describe("Path of the record in the answer"),
    })
    .optional()
    .describe("How one record is read; absent: it is looked for in the whole list"),
  deletions: z
    .strictObject(stamped)
    .optional()
    .describe("A list of deletions, whose `key` is that of the deleted record"),
  ...pollSettings,
});

const preset = z.strictObject({
  table: z.string().min(1).describe("The record's name in the product, e.g. Customer, party, thirdparties"),
  key: key.optional().describe("Where it is not the product's own"),
  changed: z
    .union([z.string().min(1), z.null()])
    .optional()
    .describe("Where it is not the product's own; null: none"),
  fields: z.array(z.string()).optional().describe("Only these fields"),
  where: jsonValue.optional().describe("A fixed condition, in the product's own form"),
  include: z
    .array(z.string().min(1))
    .optional()
    .describe("What else the API puts into each record: weclapp's referenced entities, Xentral's includes"),
  each,
  size: z.int().min(1).optional().describe("Rows per page"),
  deletions: z.boolean().default(true).describe("Follow the product's list of deletions, where it has one"),
  ...pollSettings,
});

export const restRead = z.union([preset, configured]);
export type RestRead = z.infer<typeof restRead>;
export type ConfiguredRead = z.infer<typeof configured>;
export type PresetRead = z.infer<typeof preset>;
const stampedObject = z.object(stamped);
export type ListRead = z.infer<typeof stampedObject>;
