import type { ErrorFacts, Key, ServiceId, StreamName } from "#model";
import type { Standing, StandingStore } from "../contract/standings.ts";
import { parseOptional, type JsonText } from "../rows/json-text.ts";
import type { Access } from "./access.ts";

interface StandingRow {
  readonly key: Key;
  readonly state: Standing["state"];
  readonly error: JsonText<ErrorFacts> | null;
  readonly service_id: ServiceId | null;
}

const PAGE = `
  SELECT r.key, r.state, r.error, b.service_id FROM records r LEFT JOIN bindings b ON b.record = r.id
  WHERE r.stream = @stream AND r.key > @after AND r.state NOT IN ('due', 'claimed') AND NOT (r.state = 'waiting' AND r.due_at IS NOT NULL)
  ORDER BY r.key LIMIT @limit`;

/** Where the records of a stream stand. */
export class Standings implements StandingStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async page(stream: StreamName, after: Key, limit: number) {
    const rows = await this.#access.read<StandingRow>(PAGE, { stream, after, limit });
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
