import type { Json, Projection } from "#model";
import { isJsonObject } from "#model";
import type { MatchRule } from "#mapping";
import type { ServiceRecord } from "#service";

/** The form in which natural keys are stored. An index with keys in another form is read again. */
export const KEY_FORM = "NFC, accents, digits, e-mail";

/** A rule of the sync file, or one that is looser than they can be. */
export type KeyRule = Pick<MatchRule, "fields" | "shared"> & { readonly compare: MatchRule["compare"] | "loose" };

/** What the name of a rule begins with, by what it compares. */
const PREFIXES = { exact: "", caseInsensitive: "^", normalized: "~", loose: "≈" } as const;

/** The name of a rule in the match index. */
export function ruleName({ fields, compare }: KeyRule): string {
  return `${PREFIXES[compare]}${fields.join(",")}`;
}

/** The rule without regard to spelling. If it finds nothing, the record does not exist in any spelling. */
export function loosened({ fields }: KeyRule): KeyRule {
  return { fields, compare: "loose" };
}

/** The fields of stronger rules by which a weaker rule does not compare: each is a rule of its own, compared as the stronger one does. */
export function strongerFields(rules: readonly KeyRule[]): KeyRule[] {
  return rules.flatMap(({ fields, compare }, index) =>
    fields
      .filter((field) => rules.slice(index + 1).some((weaker) => !weaker.fields.includes(field)))
      .map((field): KeyRule => ({ fields: [field], compare })),
  );
}

/**
 * Returns a text that two records share exactly when the rule says that they are the same. Returns undefined when a part is empty,
 * because nothing matches by a missing value. A number equals a text that looks the same. An accent may be its own character or
 * part of its letter. Links compare by id. White space around a text never counts: fixed-width columns are padded with it, and
 * services trim it.
 */
export function naturalKey(rule: KeyRule, record: Projection | ServiceRecord): string | undefined {
  const parts: string[] = [];
  for (const field of rule.fields) {
    const text = partText(record[field]);
    if (text === undefined) return undefined;
    const part = forms[rule.compare](text);
    if (part === "") return undefined;
    parts.push(part);
  }
  return JSON.stringify(parts);
}

/** Returns the natural keys of a record by the name of their rule. Omits a rule if the record lacks a part of it. */
export function naturalKeys(rules: readonly KeyRule[], record: Projection | ServiceRecord): Record<string, string> {
  const keys: Record<string, string> = {};
  for (const rule of rules) {
    const key = naturalKey(rule, record);
    if (key !== undefined) keys[ruleName(rule)] = key;
  }
  return keys;
}

/** Returns the natural keys that no two records may share. The first one identifies the record. */
export function unsharedKeys(rules: readonly MatchRule[], record: Projection | ServiceRecord): [string, string][] {
  const unshared = rules.filter(({ shared }) => !shared);
  return Object.entries(naturalKeys(unshared, record));
}

function partText(value: Json | undefined): string | undefined {
  if (isJsonObject(value)) return partText(value["id"]);
  if (typeof value === "string") return value.trim().normalize("NFC");
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return undefined;
}

/**
 * Accents of European letters, and variation marks of symbols. Other scripts write vowels as marks: without them it would be a different
 * name.
 */
const ACCENTS = /[\u0300-\u036f\u20d0-\u20ff\ufe00-\ufe0f]/g;

/** What can stand before and after an e-mail address. */
const WORDS = /[^\s<>,;()"]+/gu;

/** What two values have in common when a rule says that they are the same. */
const forms: Readonly<Record<KeyRule["compare"], (text: string) => string>> = {
  exact: (text) => text,
  caseInsensitive: (text) => text.toLowerCase(),
  normalized,
  loose: (text) => folded(text).replaceAll(" ", ""),
};

/** Returns the text as {@link folded}, but with its e-mail addresses whole: john.doe@ and johndoe@ are two persons. */
function normalized(text: string): string {
  if (!text.includes("@")) return folded(text);
  const words = text.match(WORDS) ?? [];
  const others = folded(words.filter((word) => !isAddress(word)).join(" "));
  return [others, ...words.filter(isAddress).map((word) => word.toLowerCase())].filter((part) => part !== "").join(" ");
}

function isAddress(word: string): boolean {
  const at = word.indexOf("@");
  return at > 0 && at < word.length - 1;
}

/**
 * Returns the text without accents, case, white space and punctuation, and with `ß` as `ss`. Between two digits they leave a space:
 * house 10-1 is not house 101.
 */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replace(/(?<=\p{N})[^\p{L}\p{N}\p{M}]+(?=\p{N})/gu, " ")
    .replace(/[^\p{L}\p{N}\p{M} ]|(?<!\p{N}) | (?!\p{N})/gu, "");
}
