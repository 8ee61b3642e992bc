import type { StreamName } from "#model";
import type { RoundStore, Undecided } from "../contract/rounds.ts";
import { LANE } from "../lanes.ts";
import type { Access } from "./access.ts";

/** Guarded changes: which lane a record waits in. */
export class Rounds implements RoundStore {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async undecided(stream: StreamName, upTo: number): Promise<Undecided> {
    const of = "records WHERE stream = @stream AND backfill = @lane";
    const sql = `SELECT count(*) AS count FROM ${of} AND due_at > @from AND due_at <= @to AND sequence <= @upTo`;
    const count = async (lane: number) =>
      sum(await this.#access.readOver({ of, column: "due_at", after: -1 }, sql, { stream, lane, upTo }));
    return { fresh: await count(LANE.undecided), again: await count(LANE.heldAgain) };
  }

  async letThrough(stream: StreamName, { upTo, keepHeld }: { upTo: number; keepHeld: boolean }): Promise<void> {
    await this.#move(stream, { from: LANE.undecided, to: LANE.live, upTo });
    await this.#move(stream, { from: LANE.heldAgain, to: keepHeld ? LANE.held : LANE.live, upTo });
  }

  async hold(stream: StreamName, upTo: number): Promise<void> {
    await this.#move(stream, { from: LANE.undecided, to: LANE.held, upTo });
    await this.#move(stream, { from: LANE.heldAgain, to: LANE.held, upTo });
  }

  release(stream: StreamName): Promise<number> {
    return this.#move(stream, { from: LANE.held, to: LANE.backfill, upTo: Number.MAX_SAFE_INTEGER });
  }

  /** In parts, so that other steps can run in between. */
  #move(stream: StreamName, { from, to, upTo }: { from: number; to: number; upTo: number }): Promise<number> {
    const found = `
      SELECT id FROM records
      WHERE stream = @stream AND backfill = @from AND due_at IS NOT NULL AND sequence <= @upTo LIMIT @limit`;
    const sql = `UPDATE records SET backfill = @to WHERE id IN (${found}) RETURNING id`;
    return this.#access.untilNone({ sql, values: { stream, from, to, upTo } });
  }

  async boundCount(stream: StreamName): Promise<number> {
    const sql = `
      SELECT count(*) AS count FROM bindings b CROSS JOIN records r
      WHERE b.record > @from AND b.record <= @to AND r.id = b.record AND r.stream = @stream AND r.deleted = 0`;
    return sum(await this.#access.readOver({ of: "bindings WHERE true", column: "record", after: 0 }, sql, { stream }));
  }

  async updatedCount(stream: StreamName, since: number): Promise<number> {
    // The expression keeps SQLite from the index of streams, of which each part would read all entries.
    const sql = `
      SELECT key FROM audit WHERE at > @from AND at <= @to AND stream || '' = @stream AND action = 'update'`;
    const rows = { of: "audit WHERE true", column: "at", after: since };
    return new Set((await this.#access.readOver<{ key: string }>(rows, sql, { stream })).map(({ key }) => key)).size;
  }
}

function sum(parts: readonly { readonly count: number }[]): number {
  return parts.reduce((total, { count }) => total + count, 0);
}
