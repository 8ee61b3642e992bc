import type { z } from "zod";

/** Marks a setting that nobody may see: its value is taken out of logs, errors, pages and the store. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ writeOnly: true });
}
