import { z } from "zod";
import { ParkError, type Json } from "#model";

/**
 * Where a page by key begins: after `parts`, among the rows that share the first `level` of them. One comparison with
 * `and` each, for there are services that refuse `or` over two properties.
 */
export interface KeyPlace {
  readonly parts: readonly string[];
  readonly level: number;
}

const placeSchema = z.strictObject({ parts: z.array(z.string()), level: z.int() });

/** @throws {ParkError} E_SOURCE_CURSOR */
export function keyPlace(after: Json): KeyPlace {
  const parsed = placeSchema.safeParse(after);
  if (parsed.success) return parsed.data;
  throw new ParkError(
    "E_SOURCE_CURSOR",
    "the stored cursor names no key of this entity set; reset the stream's cursor",
  );
}

export function keyConditions(
  place: KeyPlace,
  keys: readonly string[],
  write: (part: string, key: string) => string,
): string[] {
  return keys
    .slice(0, place.level + 1)
    .map((key, index) => `${key} ${index < place.level ? "eq" : "gt"} ${write(place.parts[index]!, key)}`);
}

/** After a page: behind its last row, or, when no row is left there, one level up; undefined at the end. */
export function nextPlace(
  last: readonly string[] | undefined,
  more: boolean,
  before: KeyPlace | undefined,
): KeyPlace | undefined {
  if (more && last !== undefined) return { parts: last, level: last.length - 1 };
  return before === undefined || before.level === 0 ? undefined : { parts: before.parts, level: before.level - 1 };
}
