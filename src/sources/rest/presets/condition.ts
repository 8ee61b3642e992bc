import type { z } from "zod";
import { StopError } from "#model";
import type { PresetRead } from "../schema.ts";

/** The `where` of a stream in the product's own form. @throws {StopError} E_SOURCE_SETTINGS when it has another. */
export function conditionOf<T>(read: PresetRead, schema: z.ZodType<T>, form: string): T {
  const parsed = schema.safeParse(read.where);
  if (parsed.success) return parsed.data;
  throw new StopError("E_SOURCE_SETTINGS", `the stream's \`where\` is not ${form}`, { details: { table: read.table } });
}
