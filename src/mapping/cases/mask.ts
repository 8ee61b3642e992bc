import { createHmac } from "node:crypto";
import { DAY_MS, isJsonObject, splitKey, type Change, type Json, type Row } from "#model";
import type { ColumnUse } from "../contract.ts";

export interface MaskChoice {
  /** Columns that are masked whatever field they feed, numbers and dates included. */
  readonly mask: ReadonlySet<string>;
  /** Columns that stay unmasked. */
  readonly keep: ReadonlySet<string>;
}

/** How each column is treated. Columns that the mapping does not read are left out. */
export interface MaskedColumns {
  /** By column, whether its numbers and dates are masked too. */
  readonly masked: ReadonlyMap<string, { readonly isWhole: boolean }>;
  readonly kept: readonly string[];
  readonly left: readonly string[];
}

/** Names of service fields, by their end, whose values do not identify a person. */
const TECHNICAL = /(id|ids|number|no|code|reference|status|type|priority|currency|unit|url|language|date|time|at)$/i;
/** Service fields whose digits are personal too. */
const PERSONAL = /phone|mobile|fax|birth|iban|bic|account|tax|vat|passport|zip|postal|house|social/i;
const DATE = /^\d{4}-\d\d-\d\d(?!\d)/;
const MOST_DAYS = 3_650;

/**
 * Decides which columns of these rows are masked, by the fields that they feed. Columns that decide or link (conditions,
 * `map`, lookups, tags, references, the record's key) are kept unless they also feed a text field. Columns of fields
 * with technical names are kept too.
 */
export function maskedColumns(
  changes: readonly Change[],
  uses: readonly ColumnUse[],
  { mask, keep }: MaskChoice,
): MaskedColumns {
  const rows = changes.flatMap((change) => (change.kind === "upsert" ? [change] : []));
  const names = [...new Set(rows.flatMap(({ row }) => Object.keys(row)))];
  const isKey = (column: string) => rows.every(({ key, row }) => [key, ...splitKey(key)].includes(textOf(row[column])));
  const masked = new Map<string, { isWhole: boolean }>();
  const kept: string[] = [];
  const left: string[] = [];
  for (const column of names) {
    const own = uses.filter((use) => use.column === column);
    const fed = own.flatMap(({ field, isTested }) => (field === undefined || isTested ? [] : [field]));
    const isPersonal = fed.some((field) => PERSONAL.test(field));
    if (mask.has(column)) masked.set(column, { isWhole: true });
    else if (keep.has(column)) kept.push(column);
    else if (own.length === 0) left.push(column);
    else if (!isKey(column) && (isPersonal || fed.some((field) => !TECHNICAL.test(field))))
      masked.set(column, { isWhole: isPersonal });
    else kept.push(column);
  }
  return { masked, kept, left };
}

/** Replaces values by made-up ones of the same shape. With the same secret, equal values get equal replacements. */
export class Mask {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  row(row: Row, { masked, left }: MaskedColumns): Row {
    const kept = Object.entries(row).filter(([column]) => !left.includes(column));
    return Object.fromEntries(
      kept.map(([column, value]) => {
        const how = masked.get(column);
        return [column, how === undefined ? value : this.#value(value, how.isWhole)];
      }),
    );
  }

  #value(value: Json, isWhole: boolean): Json {
    if (typeof value === "string") return DATE.test(value) ? (isWhole ? this.#date(value) : value) : this.#text(value);
    if (typeof value === "number" && isWhole) return Number(this.#text(String(value)).replace(/^(-?)0(?=\d)/, "$11"));
    if (Array.isArray(value)) return value.map((member) => this.#value(member, isWhole));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#value(member, isWhole)]));
  }

  /**
   * Replaces each letter by another letter and each digit by another digit. E-mail addresses end in a domain that does
   * not exist.
   */
  #text(text: string): string {
    for (let round = 0; ; round++) {
      const random = this.#random(`${round} ${text}`);
      const masked = text.replaceAll(/[\p{L}\p{N}]/gu, (char) => other(char, random()));
      const isOther = masked !== text || !/[\p{L}\p{N}]/u.test(text);
      if (isOther) return masked.replaceAll(/(@[^\s@]*\.)[a-z]+/gi, "$1example");
    }
  }

  #date(text: string): string {
    const at = Date.parse(text.slice(0, 10));
    if (Number.isNaN(at)) return this.#text(text);
    const random = this.#random(text);
    const days = 1 + ((random() * 256 + random()) % MOST_DAYS);
    return new Date(at - days * DAY_MS).toISOString().slice(0, 10) + text.slice(10);
  }

  /** Pseudo-random numbers that cannot be predicted without the secret, so that a masked name cannot be found by trying names. */
  #random(seed: string): () => number {
    let bytes = Buffer.alloc(0);
    let [at, block] = [0, 0];
    return () => {
      if (at === bytes.length) {
        bytes = createHmac("sha256", this.#secret).update(`${block++} ${seed}`).digest();
        at = 0;
      }
      return bytes[at++] ?? 0;
    };
  }
}

const CLASSES = ["0123456789", "aeiou", "bcdfghjklmnprstvwz", "AEIOU", "BCDFGHJKLMNPRSTVWZ"];

/**
 * A random character of the same kind: a digit, a vowel or a consonant, in the same case. Any other letter becomes a
 * small consonant.
 */
function other(char: string, random: number): string {
  const plain = char.normalize("NFD").charAt(0);
  const isCapital = plain !== plain.toLowerCase();
  const kind = CLASSES.find((each) => each.includes(plain)) ?? (isCapital ? CLASSES[4] : CLASSES[2]) ?? "";
  return kind.charAt(random % kind.length);
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}
