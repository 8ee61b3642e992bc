import type { Json, ServiceId } from "#model";

/** Describes an id that only the run will know. */
export type PendingId =
  /** The id that the service will give to this record, as `stream/key`. */
  | { readonly newIdOf: string }
  /** The id of the record whose `by` is `value`. The names of the resource have not been read yet. */
  | { readonly idOf: string; readonly by: string; readonly value: string | number };

/** The first placeholder, far from every id and from every number that a row holds. */
const FIRST = Number.MIN_SAFE_INTEGER;
const MOST = 1_000_000;

/**
 * Placeholders for ids that are not known before the run. Mapping and comparison treat them as ids. {@link shown} replaces them
 * with what they stand for.
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

  /** Returns the value with every placeholder replaced by what it stands for. */
  shown(value: Json): Json {
    if (Array.isArray(value)) return value.map((item) => this.shown(item));
    if (typeof value !== "number" || value < FIRST || value >= FIRST + MOST) return value;
    const meant = this.#meant[value - FIRST];
    return meant === undefined ? value : { ...meant };
  }
}
