import type { Json, Projection } from "#model";
import { isJsonObject } from "#model";
import type { MatchRule } from "#mapping";
import type { ServiceRecord } from "#service";

/** How natural keys are written. An index whose keys are written otherwise is read again. */
export const KEY_FORM = "NFC";

/** The name of a rule in the match index. */
export function ruleName({ fields, compare }: MatchRule): string {
  return compare === "exact" ? fields.join(",") : `~${fields.join(",")}`;
}

/** The rule without regard to spelling: what it does not find is not there in any case. */
export function loosened({ fields }: MatchRule): MatchRule {
  return { fields, compare: "normalized" };
}

/**
 * The text that two records share exactly when the rule says they are the same, or undefined when a part is empty:
 * nothing matches by what it does not have. Numbers and texts of the same look are equal, an accent may be a character of its own
 * or a part of its letter, links compare by their id, and white space around a text never counts: columns of fixed width are
 * padded with it, and services trim it.
 */
export function naturalKey(rule: MatchRule, record: Projection | ServiceRecord): string | undefined {
  const parts: string[] = [];
  for (const field of rule.fields) {
    const text = partText(record[field]);
    if (text === undefined) return undefined;
    const part = rule.compare === "exact" ? text : normalized(text);
    if (part === "") return undefined;
    parts.push(part);
  }
  return JSON.stringify(parts);
}

/** The natural keys of a record by the name of their rule; a rule of which it lacks a part has none. */
export function naturalKeys(rules: readonly MatchRule[], record: Projection | ServiceRecord): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const rule of rules) {
    const key = naturalKey(rule, record);
    if (key !== undefined) keys[ruleName(rule)] = key;
  }
  return keys;
}

/** The natural keys by which no two records may be the same; the first one identifies the record. */
export function unsharedKeys(rules: readonly MatchRule[], record: Projection | ServiceRecord): [string, string][] {
  const unshared = rules.filter(({ shared }) => !shared);
  return Object.entries(naturalKeys(unshared, record));
}

function partText(value: Json | undefined): string | undefined {
  if (isJsonObject(value)) return partText(value["id"]);
  if (typeof value === "string") return value.trim().normalize(KEY_FORM);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return undefined;
}

/** Without accents, case, white space and punctuation; `ß` is `ss`. */
function normalized(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
