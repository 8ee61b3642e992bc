import { isJsonObject, MINUTE_MS, type JsonObject } from "#model";

/** Stamps this much older than the newest are read again: rows become visible later than their stamps say, in lists that lag behind. */
const OVERLAP_MS = 5 * MINUTE_MS;
/** Rows with younger stamps may change again within their stamp: they are not remembered as handled. */
const SETTLED_MS = 2_000;
/** Rows that are remembered as handled. */
const REMEMBERED = 20_000;

/** Where the next look begins, by the service's clock. */
export interface WindowPlace {
  /** The highest `modified` that was seen. */
  readonly changed: number;
  /** The highest moment at which a record became final, among those that the filter showed. */
  readonly final: number;
  /** When all changes were last looked at. */
  readonly lookedAt: number;
}

/**
 * Never ahead of `now`: with a `begin` of the future, nothing would be looked at until then, not even once the sync file has an earlier one.
 */
export function windowOf(cursor: JsonObject | null, beginAt: number, now: number): WindowPlace {
  const at = (name: keyof WindowPlace, otherwise: number) => {
    const value = isJsonObject(cursor) ? cursor[name] : undefined;
    return Math.min(typeof value === "number" ? value : otherwise, now);
  };
  return { changed: at("changed", beginAt), final: at("final", beginAt), lookedAt: at("lookedAt", 0) };
}

export function sinceOf(mark: number): number {
  return Math.max(0, mark - OVERLAP_MS);
}

/** The mark after these stamps: never back, and never ahead of the service's clock, which a wrong stamp may be. */
export function markAfter(mark: number, stamps: Iterable<number | undefined>, now: number): number {
  let highest = mark;
  for (const at of stamps) if (at !== undefined && at <= now && at > highest) highest = at;
  return highest;
}

/** A row of a list of changes. */
export interface ChangedRow {
  readonly subject: string;
  readonly modified: number | undefined;
  /** What the row shows, with its stamp. */
  readonly head: string;
}

/** What rows showed when they were handled, so that the overlap of windows costs no reading. */
export class Handled {
  readonly #heads = new Map<string, string>();

  has({ subject, head }: ChangedRow): boolean {
    return this.#heads.get(subject) === head;
  }

  /** These rows were handled completely. `readAt`: when they were listed. */
  add(rows: Iterable<ChangedRow>, readAt: number): void {
    for (const { subject, modified, head } of rows) {
      this.#heads.delete(subject);
      if (modified !== undefined && modified < readAt - SETTLED_MS) this.#heads.set(subject, head);
    }
    for (const subject of this.#heads.keys()) {
      if (this.#heads.size <= REMEMBERED) return;
      this.#heads.delete(subject);
    }
  }
}
