import type { Json, Projection } from "#model";
import type { ServiceRecord } from "#service";
import type { MatchEntry } from "#store";
import { naturalKey, ruleName, strongerFields, type KeyRule } from "./natural-key.ts";

/** A field that speaks against a service record that a weaker rule found: a stronger rule compares it, and the values differ. */
export interface Contradiction {
  readonly field: string;
  /** The value in the ERP. */
  readonly wanted: Json;
  /** The value in the service. */
  readonly found: Json;
}

/** What is known of a service record that was found: its key by the rule of one field, and the field's value. */
export interface KnownKey {
  key(rule: KeyRule): string | undefined;
  value(rule: KeyRule): Json;
}

export function heldRecord(record: ServiceRecord): KnownKey {
  return { key: (rule) => naturalKey(rule, record), value: ({ fields }) => record[fields[0]!] ?? null };
}

/** What the match index knows of a record: the values in the form in which they are compared. */
export function heldKeys(keys: MatchEntry["keys"]): KnownKey {
  const key = (rule: KeyRule) => keys[ruleName(rule)];
  const value = (rule: KeyRule): Json => {
    const parts: readonly Json[] = JSON.parse(key(rule) ?? "[]");
    return parts[0] ?? null;
  };
  return { key, value };
}

/**
 * Returns what speaks against the record that `rule` found for `wanted`. A value that one side lacks does not. Such a record is likely
 * another person, whose stronger key would be overwritten: only a person can say that it is the same one.
 */
export function contradiction(
  rules: readonly KeyRule[],
  rule: KeyRule | undefined,
  wanted: Projection,
  held: KnownKey,
): Contradiction | undefined {
  const at = rules.findIndex((each) => rule && ruleName(each) === ruleName(rule));
  const fields = strongerFields(rules.slice(0, Math.max(0, at + 1)));
  const differing = fields.find((stronger) => {
    const [ours, theirs] = [naturalKey(stronger, wanted), held.key(stronger)];
    return !rule?.fields.includes(stronger.fields[0]!) && ours !== undefined && theirs !== undefined && ours !== theirs;
  });
  const field = differing?.fields[0];
  return differing && field !== undefined
    ? { field, wanted: wanted[field] ?? null, found: held.value(differing) }
    : undefined;
}
