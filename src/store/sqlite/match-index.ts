import type { Database } from "better-sqlite3";
import type { ResourceName, ServiceId } from "#model";
import type { MatchEntry } from "../facts.ts";

/** The service's records by normalised natural key. */
export class MatchIndex {
  readonly #forget;
  readonly #stamp;
  readonly #addRecord;
  readonly #forgetKeys;
  readonly #addKey;
  readonly #state;
  readonly #matches;

  constructor(db: Database) {
    this.#forget = ["match_indexes", "match_records", "match_keys"].map((table) =>
      db.prepare<[string]>(`DELETE FROM ${table} WHERE resource = ?`),
    );
    this.#stamp = db.prepare<[string, number]>(`
      INSERT INTO match_indexes (resource, read_at) VALUES (?, ?)
      ON CONFLICT (resource) DO UPDATE SET read_at = excluded.read_at`);
    this.#addRecord = db.prepare<[string, number]>(
      "INSERT INTO match_records (resource, service_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    );
    this.#forgetKeys = db.prepare<[string, number]>("DELETE FROM match_keys WHERE resource = ? AND service_id = ?");
    this.#addKey = db.prepare<[string, number, string, string]>(
      "INSERT INTO match_keys (resource, service_id, rule, key) VALUES (?, ?, ?, ?)",
    );
    this.#state = db.prepare<[string], { readAt: number; isFilled: number }>(`
      SELECT read_at AS readAt, EXISTS (SELECT 1 FROM match_records r WHERE r.resource = i.resource) AS isFilled
      FROM match_indexes i WHERE resource = ?`);
    this.#matches = db
      .prepare<[string, string, string], ServiceId>(
        "SELECT service_id FROM match_keys WHERE resource = ? AND rule = ? AND key = ? ORDER BY service_id",
      )
      .pluck();
  }

  save(
    resource: ResourceName,
    batch: { entries: readonly MatchEntry[]; fresh: boolean; complete: boolean; readAt: number },
  ): void {
    if (batch.fresh) for (const forget of this.#forget) forget.run(resource);
    for (const { serviceId, keys } of batch.entries) {
      this.#addRecord.run(resource, serviceId);
      this.#forgetKeys.run(resource, serviceId);
      for (const [rule, key] of Object.entries(keys)) this.#addKey.run(resource, serviceId, rule, key);
    }
    if (batch.complete) this.#stamp.run(resource, batch.readAt);
  }

  state(resource: ResourceName): { readAt: number; isEmpty: boolean } | undefined {
    const state = this.#state.get(resource);
    return state && { readAt: state.readAt, isEmpty: state.isFilled === 0 };
  }

  matches(resource: ResourceName, rule: string, key: string): ServiceId[] {
    return this.#matches.all(resource, rule, key);
  }
}
