import type { z } from "zod";
import { StopError, type Json } from "#model";
import type { PresetRead } from "../schema.ts";
import type { RestPage, RestQuery } from "../shape.ts";
import { valueAt, type Wall } from "../wire.ts";

/** Rows come in the order of their stamps, between bounds, and are paged by key. */
export const byKeyset = { sorted: true, bounded: true, keyset: true, nulls: false } as const;

/** Begins a page by key after the last key of the page before. */
export function afterLastKey(field: string): (page: RestPage) => Json | undefined {
  return ({ rows, full }) => (full ? valueAt(rows.at(-1), field) : undefined);
}

/** Returns the bounds of a query's range, each as `condition` writes it; none if the stream has no stamp. */
export function rangeEnds<C>(
  { range }: RestQuery,
  changed: string | null,
  condition: (changed: string, comparison: ">=" | "<", wall: Wall) => C,
): C[] {
  if (changed === null) return [];
  return [
    ...(range?.from === undefined ? [] : [condition(changed, ">=", range.from)]),
    ...(range?.below === undefined ? [] : [condition(changed, "<", range.below)]),
  ];
}

/**
 * Returns the stream's `where` in the product's own form.
 * @throws {StopError} E_SOURCE_SETTINGS when it has another form.
 */
export function conditionOf<T>(read: PresetRead, schema: z.ZodType<T>, form: string): T {
  const parsed = schema.safeParse(read.where);
  if (parsed.success) return parsed.data;
  throw new StopError("E_SOURCE_SETTINGS", `the stream's \`where\` is not ${form}`, { details: { table: read.table } });
}

/** @throws {StopError} E_SOURCE_SETTINGS when the stream has `include`, for a product whose API has no such parameter. */
export function refuseInclude({ table, include }: PresetRead, product: string): void {
  if (include === undefined) return;
  throw new StopError("E_SOURCE_SETTINGS", `${table}: the preset ${product} does not know \`include\``, {
    details: { table },
  });
}
