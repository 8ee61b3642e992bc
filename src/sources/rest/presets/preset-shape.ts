import { isJsonObject, type Json, type JsonObject } from "#model";
import type { HttpAnswer } from "#http";
import { valueAt } from "../wire.ts";
import type { RestPage } from "../shape.ts";

/** Where a page by key begins: after the last key of the page before. */
export function afterLastKey(field: string): (page: RestPage) => Json | undefined {
  return ({ rows, full }) => (full ? valueAt(rows.at(-1), field) : undefined);
}

export const notThere = (answer: HttpAnswer): boolean => answer.status === 404;

export function objectAt(answer: Json, path: string): JsonObject | undefined {
  const value = valueAt(answer, path);
  return isJsonObject(value) ? value : undefined;
}
