import type { Database } from "better-sqlite3";
import type { Actor, Clock, Json, RecordId, StreamName } from "#model";
import type { AuditEntry } from "../../claim.ts";
import type { ActStore, PersonAct } from "../../contract/acts.ts";
import type { AuditRecord } from "../../facts.ts";
import { optionalText, parseOptional, type JsonText } from "./json-text.ts";

interface AuditRow {
  readonly at: number;
  readonly stream: string;
  readonly key: string;
  readonly action: AuditEntry["action"];
  readonly resource: string;
  readonly service_id: number | null;
  readonly before: JsonText<Json> | null;
  readonly after: JsonText<Json> | null;
  readonly outcome: string;
  readonly status: number | null;
  readonly duration_ms: number | null;
  readonly actor: string | null;
  readonly via: Actor["via"] | null;
  readonly why: string | null;
}

interface ActRow {
  readonly at: number;
  readonly stream: string;
  readonly key: string;
  readonly count: number;
  readonly action: AuditEntry["action"];
  readonly outcome: string;
  readonly actor: string;
  readonly via: Actor["via"];
  readonly why: string | null;
}

/** What was done to the service and to a record's life, append-only until it is pruned by age. */
export class AuditTrail {
  readonly #clock: Clock;
  readonly #add;
  readonly #latest;
  readonly #latestOf;
  readonly #acts;
  readonly #prune;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#add = db.prepare(`
      INSERT INTO audit (at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms,
        actor, via, why)
      VALUES (@at, @stream, @key, @action, @resource, @serviceId, @before, @after, @outcome, @status, @durationMs,
        @actor, @via, @why)`);
    this.#latest = db.prepare<[number], AuditRow>("SELECT * FROM audit ORDER BY id DESC LIMIT ?");
    this.#latestOf = db.prepare<[string, string, number], AuditRow>(
      "SELECT * FROM audit WHERE stream = ? AND key = ? ORDER BY id DESC LIMIT ?",
    );
    this.#acts = db.prepare<[{ since: number; stream: StreamName | null; limit: number }], ActRow>(`
      SELECT MAX(at) AS at, stream, MIN(key) AS key, COUNT(*) AS count, action, outcome, actor, via, why
      FROM audit INDEXED BY audit_acts
      WHERE actor IS NOT NULL AND at >= @since AND (@stream IS NULL OR stream = @stream)
      GROUP BY stream, key = '', action, outcome, actor, via, why, at / 60000
      ORDER BY MAX(id) DESC LIMIT @limit`);
    this.#prune = db.prepare<[number]>("DELETE FROM audit WHERE at < ?");
  }

  add(id: RecordId, entry: AuditEntry | undefined): void {
    if (entry === undefined) return;
    this.#add.run({
      at: this.#clock.now(),
      stream: id.stream,
      key: id.key,
      action: entry.action,
      resource: entry.resource,
      serviceId: entry.serviceId ?? null,
      before: optionalText(entry.before),
      after: optionalText(entry.after),
      outcome: entry.outcome,
      status: entry.status ?? null,
      durationMs: entry.durationMs ?? null,
      actor: entry.by?.name ?? null,
      via: entry.by?.via ?? null,
      why: entry.by?.why ?? null,
    });
  }

  latest({ id, limit }: { id?: RecordId; limit: number }): AuditRecord[] {
    const rows = id === undefined ? this.#latest.all(limit) : this.#latestOf.all(id.stream, id.key, limit);
    return rows.map((row) => ({
      at: row.at,
      id: { stream: row.stream, key: row.key },
      action: row.action,
      resource: row.resource,
      serviceId: row.service_id ?? undefined,
      before: parseOptional(row.before),
      after: parseOptional(row.after),
      outcome: row.outcome,
      status: row.status ?? undefined,
      durationMs: row.duration_ms ?? undefined,
      by: actorOf(row),
    }));
  }

  acts({ since, stream, limit }: Parameters<ActStore["recent"]>[0]): PersonAct[] {
    const rows = this.#acts.all({ since, stream: stream ?? null, limit });
    return rows.map(({ actor, via, why, ...act }) => ({ ...act, by: { name: actor, via, why: why ?? undefined } }));
  }

  prune(before: number): number {
    return this.#prune.run(before).changes;
  }
}

function actorOf({ actor, via, why }: AuditRow): Actor | undefined {
  return actor === null || via === null ? undefined : { name: actor, via, why: why ?? undefined };
}
