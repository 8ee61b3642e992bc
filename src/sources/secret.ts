import type { z } from "zod";

/** Marks a setting as secret: its value is removed from logs, errors, pages and the store. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ writeOnly: true });
}
