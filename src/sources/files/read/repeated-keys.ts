import { canonicalJson, type Key } from "#model";
import type { Converted } from "./record.ts";

/** How many lines of a repeated key are named. */
const LINES_NAMED = 5;

/** The keys that several rows of a file have and that show different records, with the lines of these rows. */
export type RepeatedKeys = ReadonlyMap<Key, readonly number[]>;

/** A row of a file as far as its content matters here. Rows that cannot be read differ from those that can. */
interface Seen {
  readonly line: number;
  readonly converted: Converted;
}

/**
 * Notices keys that come twice with different content, in 32 bytes per row: it keeps hashes of 53 bits. A key that it reports may be a
 * chance (1 in 10,000 for a file of a million rows), so {@link repeatedKeys} looks at the rows themselves.
 */
export class KeyWatch {
  #table = new Float64Array(2 * 1024);
  #size = 0;
  readonly suspects = new Set<number>();

  add({ converted }: Seen): void {
    if (converted.key === undefined) return;
    const key = hash53(converted.key);
    const content = hash53("row" in converted ? JSON.stringify(converted.row) : converted.reason);
    const at = this.#slot(this.#table, key);
    if (this.#table[at] === key) {
      if (this.#table[at + 1] !== content) this.suspects.add(key);
      return;
    }
    this.#table[at] = key;
    this.#table[at + 1] = content;
    if (++this.#size * 4 > this.#table.length) this.#grow();
  }

  /** Where the hash is, or the free place for it. */
  #slot(table: Float64Array, key: number): number {
    const places = table.length / 2;
    let place = key % places;
    while (table[place * 2] !== 0 && table[place * 2] !== key) place = (place + 1) % places;
    return place * 2;
  }

  #grow(): void {
    const larger = new Float64Array(this.#table.length * 2);
    for (let from = 0; from < this.#table.length; from += 2) {
      const key = this.#table[from]!;
      if (key === 0) continue;
      const to = this.#slot(larger, key);
      larger[to] = key;
      larger[to + 1] = this.#table[from + 1]!;
    }
    this.#table = larger;
  }
}

/** Finds the keys among the suspects whose rows really differ. */
export async function repeatedKeys(rows: AsyncIterable<Seen>, suspects: ReadonlySet<number>): Promise<RepeatedKeys> {
  const found = new Map<Key, { readonly content: string; readonly lines: number[]; differs: boolean }>();
  if (suspects.size === 0) return new Map();
  for await (const { line, converted } of rows) {
    const { key } = converted;
    if (key === undefined || !suspects.has(hash53(key))) continue;
    const content = "row" in converted ? canonicalJson(converted.row) : converted.reason;
    const known = found.get(key);
    if (known === undefined) found.set(key, { content, lines: [line], differs: false });
    else {
      known.lines.push(line);
      known.differs ||= known.content !== content;
    }
  }
  return new Map([...found].flatMap(([key, { differs, lines }]) => (differs ? [[key, lines] as const] : [])));
}

export function repeatedReason(lines: readonly number[]): string {
  const more = lines.length > LINES_NAMED ? ` and ${lines.length - LINES_NAMED} more` : "";
  return (
    `several rows of the file have this key and differ (lines ${lines.slice(0, LINES_NAMED).join(", ")}${more}); ` +
    "choose columns for `key` that are unique together"
  );
}

/** A hash of 53 bits, above 0: cyrb53, which spreads well and takes a fraction of a microsecond. */
function hash53(text: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 1 + 4_294_967_296 * (2_097_151 & low) + (high >>> 0);
}
