import { z } from "zod";
import type { Json } from "#model";

/** Any JSON value, as a schema. */
export const jsonValue: z.ZodType<Json> = z.json();

/** A JSON value as text: texts, numbers and booleans as they read, everything else as JSON. */
export function jsonText(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
