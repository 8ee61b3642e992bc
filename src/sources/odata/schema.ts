import { z } from "zod";
import { precisionSchema } from "../wire/stamps/stamp-format.ts";
import { pollSettings, webSettings } from "../wire/client/web-settings.ts";

export const odataSettings = z.strictObject({
  preset: z
    .enum(["businessCentral", "s4hana", "businessOne"])
    .optional()
    .describe("The product, where it is one that is known: its stamps, its version and its manners"),
  version: z.enum(["v2", "v4"]).optional().describe("Version of OData; v4 by default; some presets use v2"),
  ...webSettings,
  ieee754: z
    .boolean()
    .optional()
    .describe("Ask for decimals and 64-bit integers as text; false for a service that refuses the question"),
});
export type ODataSettings = z.infer<typeof odataSettings>;

const field = z.string().min(1);
const instantField = z.strictObject({
  field: field.describe("Name of the property"),
  type: z.enum(["datetimeoffset", "datetime", "date"]).describe("With a zone, without one, or a date alone"),
});
const splitField = z.strictObject({
  date: field.describe("Property that holds the date"),
  time: field.describe("Property that holds the time of day"),
});
const stampSetting = z.union([field, instantField, splitField]);
export type StampSetting = z.infer<typeof stampSetting>;

const fields = z
  .union([field, z.array(field).min(1)])
  .transform((names) => (typeof names === "string" ? [names] : names));
const each = z.strictObject({
  in: field.describe("Property that holds a list, or a link of `expand`, e.g. ContactEmployees"),
  key: fields.describe("Properties of a member that are unique within its entity"),
});

export const odataRead = z.strictObject({
  entity: field.describe("Entity set, e.g. customers or A_BusinessPartner"),
  key: fields.optional().describe("Key properties; absent: those of $metadata"),
  each: each
    .optional()
    .describe(
      "Read the members of a list inside each entity, one record each; `parent` of a row is the entity around it",
    ),
  changed: stampSetting
    .nullable()
    .optional()
    .describe(
      "Change stamp: a property, or one for the date and one for the time; null: every poll reads the whole set",
    ),
  created: stampSetting
    .nullable()
    .optional()
    .describe("A second stamp, for records whose change stamp stays empty until their first change"),
  emptyStamps: z
    .boolean()
    .optional()
    .describe("Read the entities without a stamp, or with a date alone of two properties, at each poll too"),
  select: z.array(field).optional().describe("Properties to read; absent: all"),
  expand: z.array(field).default([]).describe("Related entities to read along"),
  filter: z.string().optional().describe("A fixed condition, as OData writes it"),
  precision: precisionSchema.optional().describe("How fine the stamp is on the wire"),
  size: z.int().min(1).max(20_000).default(500).describe("Entities per page"),
  pageBy: z
    .enum(["key", "link"])
    .default("key")
    .describe("`link` for a service that cannot compare keys: pages are then read again until nothing new shows up"),
  ...pollSettings,
});
export type ODataRead = z.infer<typeof odataRead>;
