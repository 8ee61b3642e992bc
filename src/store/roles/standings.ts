import { RECORD_STATES, type ErrorFacts, type Key, type ServiceId, type StreamName } from "#model";
import type { Standing, StandingStore } from "../contract/standings.ts";
import { parseOptional, type JsonText } from "../rows/json-text.ts";
import type { Access, Dialect } from "./access.ts";

interface StandingRow {
  readonly key: Key;
  readonly state: Standing["state"];
  readonly error: JsonText<ErrorFacts> | null;
  readonly service_id: ServiceId | null;
}

/** Which records are settled. A due one that waits is on its way. */
const SETTLED = RECORD_STATES.filter((state) => state !== "due" && state !== "claimed");

/** Reads one index range per state, each up to the limit: a page costs the same however many records the stream has, and whatever they do. */
function pageSql({ isAfter, keyOrder }: Dialect): string {
  const ranges = SETTLED.map(
    (state) => `
    SELECT * FROM (
      SELECT id, key, state, error FROM records
      WHERE stream = @stream AND state = '${state}' AND due_at IS NULL AND ${isAfter} ORDER BY ${keyOrder} LIMIT @limit) AS part`,
  );
  return `
    SELECT r.key, r.state, r.error, b.service_id
    FROM (SELECT * FROM (${ranges.join(" UNION ALL ")}) AS found ORDER BY key LIMIT @limit) AS r
    LEFT JOIN bindings b ON b.record = r.id ORDER BY r.key`;
}

/** Where the records of a stream stand. */
export class Standings implements StandingStore {
  readonly #access: Access;
  readonly #page: string;

  constructor(access: Access, dialect: Dialect) {
    this.#access = access;
    this.#page = pageSql(dialect);
  }

  async page(stream: StreamName, after: Key, limit: number) {
    const rows = await this.#access.read<StandingRow>(this.#page, { stream, after, limit });
    return {
      standings: rows.map(({ key, state, error, service_id }) => ({
        key,
        state,
        code: parseOptional(error)?.code,
        serviceId: service_id ?? undefined,
      })),
      next: rows.length < limit ? undefined : rows.at(-1)?.key,
    };
  }
}
