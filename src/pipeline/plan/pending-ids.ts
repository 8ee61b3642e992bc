import type { Json, ServiceId } from "#model";

/** What is written in the place of an id that only the run itself will know. */
export type PendingId =
  /** The id that the service will give to this record, as `stream/key`. */
  | { readonly newIdOf: string }
  /** The id of the record whose `by` is `value`: the names of the resource have not been read yet. */
  | { readonly idOf: string; readonly by: string; readonly value: string | number };

/** Far from every id and from every number that a row holds. */
const FIRST = Number.MIN_SAFE_INTEGER;
const MOST = 1_000_000;

/**
 * Stand-ins for ids that are not known before the run. They pass through mapping and comparison like ids, and are told
 * again by {@link shown}.
 */
export class PendingIds {
  readonly #known = new Map<string, ServiceId>();
  readonly #meant: PendingId[] = [];

  idOf(pending: PendingId): ServiceId {
    const name = JSON.stringify(pending);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const id = FIRST + this.#meant.push(pending) - 1;
    this.#known.set(name, id);
    return id;
  }

  /** The value with every stand-in replaced by what it stands for. */
  shown(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.shown(item));
    if (typeof value !== "number" || value < FIRST || value >= FIRST + MOST) return value;
    const meant = this.#meant[value - FIRST];
    return meant === undefined ? value : { ...meant };
  }
}
