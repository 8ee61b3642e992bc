import type { Database } from "better-sqlite3";
import type { Binding, ResourceName, ServiceId } from "#model";
import type { MatchStore } from "../../contract/matching.ts";
import type { UnseenMatches } from "../../facts.ts";
import type { InParts, PartDone } from "../in-parts.ts";
import { FIRST, IdParts, IN_PART, type IdPart } from "./id-parts.ts";
import { PART } from "./stream-parts.ts";

/** Index records counted per read, which takes a few milliseconds. */
const COUNTED_AT_ONCE = 20_000;

/** A candidate for the random sample: those with the lowest lots are taken. */
interface Drawn {
  readonly serviceId: ServiceId;
  readonly lot: number;
}

/**
 * The service's records by normalised natural key. Each record carries the number of the whole read that last saw it. Known records stay
 * until a whole read has ended without them, so a half-read index is never used.
 */
export class MatchIndex {
  readonly #boundParts;
  readonly #knownParts;
  readonly #begin;
  readonly #rememberBound;
  readonly #reading;
  readonly #forgetKeys;
  readonly #countUnseen;
  readonly #someUnseen;
  readonly #firstUnseen;
  readonly #forgetRecord;
  readonly #stamp;
  readonly #state;
  readonly #unbound;
  readonly #matches;

  constructor(db: Database) {
    this.#boundParts = new IdParts(db, "bindings");
    this.#knownParts = new IdParts(db, "match_records");
    this.#begin = db.prepare<[string]>(`
      INSERT INTO match_indexes (resource, reading) VALUES (?, 1)
      ON CONFLICT (resource) DO UPDATE SET reading = reading + 1`);
    this.#rememberBound = db.prepare<[IdPart]>(`
      INSERT INTO match_records (resource, service_id) SELECT resource, service_id FROM bindings WHERE ${IN_PART}
      ON CONFLICT DO NOTHING`);
    this.#reading = db.prepare<[string], number>("SELECT reading FROM match_indexes WHERE resource = ?").pluck();
    this.#forgetKeys = db.prepare<[string, number]>("DELETE FROM match_keys WHERE resource = ? AND service_id = ?");
    this.#countUnseen = db.prepare<[IdPart & { reading: number }], { known: number; unseen: number }>(`
      SELECT count(*) AS known, coalesce(sum(reading < @reading), 0) AS unseen FROM match_records WHERE ${IN_PART}`);
    this.#someUnseen = db.prepare<[IdPart & { reading: number; limit: number }], Drawn>(`
      SELECT service_id AS serviceId, random() % 1000000000 AS lot FROM match_records
      WHERE ${IN_PART} AND reading < @reading ORDER BY lot LIMIT @limit`);
    this.#firstUnseen = db
      .prepare<[IdPart & { reading: number; rows: number }], ServiceId>(
        `SELECT service_id FROM match_records WHERE ${IN_PART} AND reading < @reading
         ORDER BY service_id LIMIT @rows`,
      )
      .pluck();
    this.#forgetRecord = db.prepare<[string, number]>(
      "DELETE FROM match_records WHERE resource = ? AND service_id = ?",
    );
    this.#stamp = db.prepare<[string, number]>(`
      INSERT INTO match_indexes (resource, read_at) VALUES (?, ?)
      ON CONFLICT (resource) DO UPDATE SET read_at = excluded.read_at`);
    this.#state = db.prepare<[string], { readAt: number; isFilled: number }>(`
      SELECT read_at AS readAt, EXISTS (SELECT 1 FROM match_records r WHERE r.resource = i.resource) AS isFilled
      FROM match_indexes i WHERE resource = ? AND read_at IS NOT NULL`);
    this.#unbound = db
      .prepare<[IdPart], number>(
        `SELECT count(*) FROM match_records m WHERE ${IN_PART} AND NOT EXISTS
           (SELECT 1 FROM bindings b WHERE b.resource = m.resource AND b.service_id = m.service_id)`,
      )
      .pluck();
    this.#matches = db
      .prepare<[string, string, string], ServiceId>(
        "SELECT service_id FROM match_keys WHERE resource = +? AND rule = +? AND key = +? ORDER BY service_id",
      )
      .pluck();
  }

  /** @returns the number of the read. */
  begin(resource: ResourceName): number {
    this.#begin.run(resource);
    return this.numberOf(resource);
  }

  /** Adds the ids that records are bound to, in the part that begins with `from`. */
  rememberBound(resource: ResourceName, from: number, rows: number): PartDone<number> {
    const part = this.#boundParts.at(resource, from, rows);
    return { count: this.#rememberBound.run(part).changes, next: part.next };
  }

  /** Removes a record that the service no longer has. */
  forget({ resource, serviceId }: Binding): void {
    this.#forgetKeys.run(resource, serviceId);
    this.#forgetRecord.run(resource, serviceId);
  }

  /** Counts unseen records in parts. Yields so that other work can run. */
  *countingUnseen(
    resource: ResourceName,
    limit: number,
    reading = this.numberOf(resource),
  ): Generator<undefined, UnseenMatches> {
    let known = 0;
    let unseen = 0;
    let some: readonly Drawn[] = [];
    for (const part of this.#knownParts.of(resource, COUNTED_AT_ONCE)) {
      const counted = this.#countUnseen.get({ ...part, reading })!;
      known += counted.known;
      unseen += counted.unseen;
      const drawn = counted.unseen === 0 ? [] : this.#someUnseen.all({ ...part, reading, limit });
      some = [...some, ...drawn].toSorted((one, other) => one.lot - other.lot).slice(0, limit);
      yield;
    }
    return { known, unseen, some: some.map(({ serviceId }) => serviceId) };
  }

  /** Forgets what neither this whole read nor a later one has shown, in the part that begins with `from`. */
  forgetUnseen(
    { resource, reading }: { resource: ResourceName; reading: number },
    from: number,
    rows: number,
  ): PartDone<number> {
    const part = this.#knownParts.at(resource, from, PART);
    const ids = this.#firstUnseen.all({ ...part, reading, rows });
    for (const serviceId of ids) this.forget({ resource, serviceId });
    const isFull = ids.length === rows;
    return { count: ids.length, next: isFull ? ids.at(-1) : part.next };
  }

  stamp(resource: ResourceName, readAt: number): void {
    this.#stamp.run(resource, readAt);
  }

  state(resource: ResourceName): { readAt: number; isEmpty: boolean } | undefined {
    const state = this.#state.get(resource);
    return state && { readAt: state.readAt, isEmpty: state.isFilled === 0 };
  }

  /** Counts unbound records in parts. Yields so that other work can run. */
  *countingUnbound(resource: ResourceName): Generator<undefined, number> {
    let count = 0;
    for (const part of this.#knownParts.of(resource, COUNTED_AT_ONCE)) {
      count += this.#unbound.get(part)!;
      yield;
    }
    return count;
  }

  matches(resource: ResourceName, rule: string, key: string): ServiceId[] {
    return this.#matches.all(resource, rule, key);
  }

  /** The number of the current whole read, or of the last one. */
  numberOf(resource: ResourceName): number {
    return this.#reading.get(resource) ?? 0;
  }
}

/** Begins a whole read. Until its end it only adds ids that records are bound to, so an interrupted read does no harm. */
export async function beginMatches(matches: MatchIndex, parts: InParts, resource: ResourceName): Promise<number> {
  const reading = await parts.step(() => matches.begin(resource));
  await parts.through(FIRST, (from, rows) => matches.rememberBound(resource, from, rows));
  return reading;
}

/** Ends a read. If it is interrupted, it has only forgotten records that a whole read did not show. */
export async function endMatches(
  matches: MatchIndex,
  parts: InParts,
  resource: ResourceName,
  { whole, readAt, reading: own }: Parameters<MatchStore["endMatches"]>[1],
): Promise<void> {
  if (whole) {
    const reading = own ?? (await parts.step(() => matches.numberOf(resource)));
    await parts.through(FIRST, (from, rows) => matches.forgetUnseen({ resource, reading }, from, rows));
  }
  await parts.step(() => matches.stamp(resource, readAt));
}
