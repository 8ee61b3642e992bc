import type { Database } from "better-sqlite3";
import type { ResourceName, ServiceId } from "#model";
import type { MatchEntry, UnseenMatches } from "../../facts.ts";

/**
 * The service's records by normalised natural key. Each record carries the number of the whole read that saw it last: what
 * was known stays until a whole read has ended without it, so that a half-read index is never used.
 */
export class MatchIndex {
  readonly #begin;
  readonly #rememberBound;
  readonly #reading;
  readonly #addRecord;
  readonly #forgetKeys;
  readonly #addKey;
  readonly #countUnseen;
  readonly #someUnseen;
  readonly #forgetUnseen;
  readonly #stamp;
  readonly #state;
  readonly #unbound;
  readonly #matches;

  constructor(db: Database) {
    this.#begin = db.prepare<[string]>(`
      INSERT INTO match_indexes (resource, reading) VALUES (?, 1)
      ON CONFLICT (resource) DO UPDATE SET reading = reading + 1`);
    this.#rememberBound = db.prepare<[string]>(`
      INSERT INTO match_records (resource, service_id) SELECT resource, service_id FROM bindings WHERE resource = ?
      ON CONFLICT DO NOTHING`);
    this.#reading = db.prepare<[string], number>("SELECT reading FROM match_indexes WHERE resource = ?").pluck();
    this.#addRecord = db.prepare<[string, number, number]>(`
      INSERT INTO match_records (resource, service_id, reading) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET reading = excluded.reading`);
    this.#forgetKeys = db.prepare<[string, number]>("DELETE FROM match_keys WHERE resource = ? AND service_id = ?");
    this.#addKey = db.prepare<[string, number, string, string]>(
      "INSERT INTO match_keys (resource, service_id, rule, key) VALUES (?, ?, ?, ?)",
    );
    this.#countUnseen = db.prepare<[number, string], { known: number; unseen: number }>(`
      SELECT count(*) AS known, coalesce(sum(reading <> ?), 0) AS unseen FROM match_records WHERE resource = ?`);
    this.#someUnseen = db
      .prepare<[string, number, number], ServiceId>(
        "SELECT service_id FROM match_records WHERE resource = ? AND reading <> ? ORDER BY random() LIMIT ?",
      )
      .pluck();
    this.#forgetUnseen = [
      `DELETE FROM match_keys WHERE resource = $resource AND service_id IN
         (SELECT service_id FROM match_records WHERE resource = $resource AND reading <> $reading)`,
      "DELETE FROM match_records WHERE resource = $resource AND reading <> $reading",
    ].map((sql) => db.prepare<[{ resource: string; reading: number }]>(sql));
    this.#stamp = db.prepare<[string, number]>(`
      INSERT INTO match_indexes (resource, read_at) VALUES (?, ?)
      ON CONFLICT (resource) DO UPDATE SET read_at = excluded.read_at`);
    this.#state = db.prepare<[string], { readAt: number; isFilled: number }>(`
      SELECT read_at AS readAt, EXISTS (SELECT 1 FROM match_records r WHERE r.resource = i.resource) AS isFilled
      FROM match_indexes i WHERE resource = ? AND read_at IS NOT NULL`);
    this.#unbound = db
      .prepare<[string], number>(
        `SELECT count(*) FROM match_records m WHERE resource = ? AND NOT EXISTS
           (SELECT 1 FROM bindings b WHERE b.resource = m.resource AND b.service_id = m.service_id)`,
      )
      .pluck();
    this.#matches = db
      .prepare<[string, string, string], ServiceId>(
        "SELECT service_id FROM match_keys WHERE resource = +? AND rule = +? AND key = +? ORDER BY service_id",
      )
      .pluck();
  }

  begin(resource: ResourceName): void {
    this.#begin.run(resource);
    this.#rememberBound.run(resource);
  }

  save(resource: ResourceName, entries: readonly MatchEntry[]): void {
    const reading = this.#numberOf(resource);
    for (const { serviceId, keys } of entries) {
      this.#addRecord.run(resource, serviceId, reading);
      this.#forgetKeys.run(resource, serviceId);
      for (const [rule, key] of Object.entries(keys)) this.#addKey.run(resource, serviceId, rule, key);
    }
  }

  unseen(resource: ResourceName, limit: number): UnseenMatches {
    const reading = this.#numberOf(resource);
    const { known, unseen } = this.#countUnseen.get(reading, resource)!;
    return { known, unseen, some: unseen === 0 ? [] : this.#someUnseen.all(resource, reading, limit) };
  }

  end(resource: ResourceName, { whole, readAt }: { whole: boolean; readAt: number }): void {
    if (whole) {
      const read = { resource, reading: this.#numberOf(resource) };
      for (const forget of this.#forgetUnseen) forget.run(read);
    }
    this.#stamp.run(resource, readAt);
  }

  state(resource: ResourceName): { readAt: number; isEmpty: boolean } | undefined {
    const state = this.#state.get(resource);
    return state && { readAt: state.readAt, isEmpty: state.isFilled === 0 };
  }

  unbound(resource: ResourceName): number {
    return this.#unbound.get(resource)!;
  }

  matches(resource: ResourceName, rule: string, key: string): ServiceId[] {
    return this.#matches.all(resource, rule, key);
  }

  #numberOf(resource: ResourceName): number {
    return this.#reading.get(resource) ?? 0;
  }
}
