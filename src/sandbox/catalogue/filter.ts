import type { StoredRecord } from "../records/version.ts";

/** What a list filter compares. A value that is empty filters nothing. */
export type FilterSpec =
  | { readonly kind: "ids" | "search" | "changedSince" | "notClosed" }
  | { readonly kind: "equals" | "oneOf" | "noneOf" | "allOf" | "namesOf" | "since"; readonly field: string }
  | { readonly kind: "words"; readonly words: Readonly<Record<string, Word>>; readonly negated: boolean };

/** Does a record stand where a status word says? */
export type Word = (record: StoredRecord | undefined) => boolean;

export type Filters = Readonly<Record<string, FilterSpec>>;

const of = (kind: "equals" | "oneOf" | "noneOf" | "allOf" | "namesOf" | "since") => (field: string) => ({
  kind,
  field,
});

export const equals = of("equals");
export const oneOf = of("oneOf");
export const noneOf = of("noneOf");
export const allOf = of("allOf");
export const namesOf = of("namesOf");
export const since = of("since");

export const ids: FilterSpec = { kind: "ids" };
export const search: FilterSpec = { kind: "search" };
export const changedSince: FilterSpec = { kind: "changedSince" };
export const notClosed: FilterSpec = { kind: "notClosed" };

export const words = (words: Readonly<Record<string, Word>>): FilterSpec => ({ kind: "words", words, negated: false });
export const notWords = (words: Readonly<Record<string, Word>>): FilterSpec => ({
  kind: "words",
  words,
  negated: true,
});

/** `customer` gives the filters `customer`, `customerIds` and `notCustomerIds`. */
export function linkFilters(...fields: string[]): Filters {
  const filters: Record<string, FilterSpec> = {};
  for (const field of fields) {
    filters[field] = equals(field);
    filters[`${field}Ids`] = oneOf(field);
    filters[`not${field[0]!.toUpperCase()}${field.slice(1)}Ids`] = noneOf(field);
  }
  return filters;
}
