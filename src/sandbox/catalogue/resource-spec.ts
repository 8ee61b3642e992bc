import type { FieldSpec } from "./field.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A resource as the reference and the facts know it, in neutral (`svc`) words. */
export interface ResourceSpec {
  readonly name: string;
  /** Other spellings that are served too. */
  readonly aliases?: readonly string[];
  /** Absent: the documents name no field of it, so any field is kept as it comes. */
  readonly fields?: Readonly<Record<string, FieldSpec>>;
  readonly required?: readonly string[];
  readonly stamps: "both" | "modified" | "none";
  /** What a list shows without `fields`; narrower than what a single read shows. */
  readonly list: readonly string[];
  /** What a single read does not show without `fields`. */
  readonly hidden?: readonly string[];
  /** Does its list narrow by `changedSince`? */
  readonly changedSince?: true;
  /** Statuses of methods that are never carried out. */
  readonly refuses?: Readonly<Partial<Record<Method, number>>>;
  /** Where it also lives below another resource: `/{parent}/{pid}/{segment}`; the segment is the wrapper key there. */
  readonly nested?: { readonly parent: string; readonly field: string; readonly segment: string };
}
