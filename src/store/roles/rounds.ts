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
    const sql = `
      SELECT backfill AS lane, count(*) AS count FROM records
      WHERE stream = @stream AND backfill IN (${LANE.undecided}, ${LANE.heldAgain}) AND due_at IS NOT NULL AND sequence <= @upTo
      GROUP BY backfill`;
    const rows = await this.#access.read<{ lane: number; count: number }>(sql, { stream, upTo });
    const of = (lane: number) => rows.find((row) => row.lane === lane)?.count ?? 0;
    return { fresh: of(LANE.undecided), again: of(LANE.heldAgain) };
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
      SELECT count(*) AS count FROM records r
      WHERE stream = @stream AND deleted = 0 AND EXISTS (SELECT 1 FROM bindings b WHERE b.record = r.id)`;
    const [row] = await this.#access.read<{ count: number }>(sql, { stream });
    return row?.count ?? 0;
  }

  async updatedCount(stream: StreamName, since: number): Promise<number> {
    const sql = `SELECT count(DISTINCT key) AS count FROM audit WHERE at > @since AND stream = @stream AND action = 'update'`;
    const [row] = await this.#access.read<{ count: number }>(sql, { stream, since });
    return row?.count ?? 0;
  }
}
