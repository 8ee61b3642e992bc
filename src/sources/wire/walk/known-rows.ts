import type { Key } from "#model";
import type { WireRow } from "../table.ts";
import { wallUntil, type Wall } from "../stamps/wall.ts";
import type { WireCursor } from "./wire-cursor.ts";

/** A row that was read, with its stamp then. */
export type KnownRow = readonly [key: Key, at: Wall];

/** What was found out about known rows: those that the list no longer has, and the first that it still has, as it is now. */
export interface Proof {
  readonly gone: ReadonlySet<Key>;
  readonly found: KnownRow | undefined;
}

/** A few rows are enough: some of them may be deleted before the next poll. */
export const KEPT = 3;

/**
 * Returns the rows with the highest stamps among `known` and `rows`, none of them after `present`; the highest first. What a row shows now
 * replaces what it showed before.
 */
export function highestOf(known: readonly KnownRow[], rows: readonly WireRow[], present: Wall): KnownRow[] {
  if (rows.length === 0) return [...known];
  const stamps = new Map<Key, Wall>(known);
  for (const { key, stamp } of rows)
    if (stamp !== undefined && stamp <= present) stamps.set(key, stamp);
    else stamps.delete(key);
  return sorted(stamps);
}

/** Whether rows show this one, or another one with its stamp. */
export function showsKnown(rows: readonly WireRow[], [key, at]: KnownRow, unit: number): boolean {
  const from = Math.floor(at / unit) * unit;
  return rows.some(
    (row) => row.key === key || (row.stamp !== undefined && row.stamp >= from && row.stamp < from + unit),
  );
}

/** The highest stamps that were read, per track, and a few of the rows that have them. None is ahead of the ERP's clock. */
export class Known {
  readonly #tracks: readonly Zoned[];
  readonly #highest: (Wall | null)[];
  readonly #newest: (readonly KnownRow[])[];

  constructor(tracks: readonly Zoned[], { highest = [], newest = [] }: Pick<WireCursor, "highest" | "newest">) {
    this.#tracks = tracks;
    this.#highest = tracks.map((_, index) => highest[index] ?? null);
    this.#newest = tracks.map((_, index) => newest[index] ?? []);
  }

  get cursor(): Pick<WireCursor, "highest" | "newest"> {
    return { highest: [...this.#highest], newest: this.#newest.map((rows) => rows.map(([key, at]) => [key, at])) };
  }

  note(rows: readonly WireRow[], index: number, to: number): void {
    const present = wallUntil(to, this.#tracks[index]!.zone);
    for (const { stamp } of rows)
      if (stamp !== undefined && stamp <= present)
        this.#highest[index] = Math.max(stamp, this.#highest[index] ?? stamp);
    this.#newest[index] = highestOf(this.#newest[index]!, rows, present);
  }

  /** Takes over what a proof of the filter showed: rows that are gone, and one as it is now. */
  settle(index: number, { gone, found }: Proof): void {
    const stamps = new Map(this.#newest[index]!.filter(([key]) => !gone.has(key)));
    if (found !== undefined) stamps.set(found[0], Math.max(found[1], stamps.get(found[0]) ?? found[1]));
    this.#newest[index] = sorted(stamps);
  }
}

interface Zoned {
  /** The zone of the clock that writes the stamp. */
  readonly zone: string;
}

function sorted(stamps: ReadonlyMap<Key, Wall>): KnownRow[] {
  return [...stamps].toSorted(([, a], [, b]) => b - a).slice(0, KEPT);
}
