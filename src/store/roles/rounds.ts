import type { StreamName } from "#model";
import type { RoundDecision, RoundStore, Undecided } from "../contract/rounds.ts";
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

  async decide(stream: StreamName, decision: RoundDecision): Promise<number> {
    const upTo = decision.kind === "release" ? Number.MAX_SAFE_INTEGER : decision.upTo;
    let count = 0;
    for (const [from, to] of movesOf(decision)) count += await this.#move({ stream, from, to, upTo });
    return count;
  }

  /** In parts, so that other steps can run in between. */
  #move(values: { stream: StreamName; from: number; to: number; upTo: number }): Promise<number> {
    const found = `
      SELECT id FROM records
      WHERE stream = @stream AND backfill = @from AND due_at IS NOT NULL AND sequence <= @upTo LIMIT @limit`;
    return this.#access.untilNone({
      sql: `UPDATE records SET backfill = @to WHERE id IN (${found}) RETURNING id`,
      values,
    });
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

function movesOf(decision: RoundDecision): readonly (readonly [from: number, to: number])[] {
  const { undecided, heldAgain, held, live, backfill } = LANE;
  if (decision.kind === "release") return [[held, backfill]];
  const isHeld = decision.kind === "hold";
  return [
    [undecided, isHeld ? held : live],
    [heldAgain, isHeld || decision.keepHeld ? held : live],
  ];
}
