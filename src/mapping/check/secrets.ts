import { z } from "zod";
import { secretsInAddress } from "#model";
import { isObject } from "../object.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The secrets in a source's settings: texts that its adapter's schema marks as `writeOnly`, and those inside addresses.
 * `value` must have passed the schema.
 */
export function secretsIn(schema: z.ZodType, value: unknown): string[] {
  const marked = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return [...new Set([...markedTexts(marked, value), ...textsOf(value).flatMap(secretsInAddress)])];
}

function markedTexts(schema: unknown, value: unknown): string[] {
  if (!isObject(schema)) return [];
  if (schema["writeOnly"] === true)
    return typeof value === "string" ? [value] : textsOf(value).filter((text) => text.length >= tellingLength);
  const choices = [schema["anyOf"], schema["oneOf"], schema["allOf"]].filter(Array.isArray).flat();
  const inChoices = choices.flatMap((choice) => markedTexts(choice, value));
  if (Array.isArray(value)) return [...inChoices, ...value.flatMap((item) => markedTexts(schema["items"], item))];
  if (!isObject(value)) return inChoices;
  const members = Object.entries(value).flatMap(([name, member]) => markedTexts(memberSchema(schema, name), member));
  return [...inChoices, ...members];
}

function memberSchema({ properties, additionalProperties }: Schema, name: string): unknown {
  return isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

/** Shorter members of a map (headers, the body of a login) are ordinary words: hiding "de" would blank every text. */
const tellingLength = 6;

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
