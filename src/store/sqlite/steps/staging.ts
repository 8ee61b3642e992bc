import type { Database } from "better-sqlite3";
import {
  contentHash,
  type Change,
  type Clock,
  type Cursor,
  type ErrorFacts,
  type Key,
  type RecordState,
  type Row,
  type StreamName,
} from "#model";
import type { StageResult, Unreadable } from "../../facts.ts";
import { next } from "../../transitions.ts";
import type { Streams } from "../tables/streams.ts";

/** What a poll said of one record, with its content hash, which is made before the transaction so that the file is not held. */
export interface News {
  readonly key: Key;
  readonly hash: string;
  readonly deleted: boolean;
  /** Absent where the last row is kept: it was deleted, or cannot be read. */
  readonly row?: Row;
  readonly unreadable?: ErrorFacts;
}

/** The last news of each key. */
export function latestOfEach(changes: readonly Change[], unreadable: readonly Unreadable[]): News[] {
  const latest = new Map<Key, Change | Unreadable>();
  for (const change of changes) latest.set(change.key, change);
  for (const row of unreadable) latest.set(row.key, row);
  return Array.from(latest.values(), newsOf);
}

function newsOf(one: Change | Unreadable): News {
  const { key } = one;
  // No content has this hash: a row that can be read again is a change, even if it is what it was before.
  if ("error" in one) return { key, hash: `unreadable: ${one.error.message}`, deleted: false, unreadable: one.error };
  const hash = contentHash(one);
  return one.kind === "delete" ? { key, hash, deleted: true } : { key, hash, deleted: false, row: one.row };
}

interface Known {
  readonly id: number;
  readonly state: RecordState;
  readonly due_at: number | null;
  readonly backfill: number;
}

interface Version {
  readonly sequence: number;
  readonly backfill: number;
  readonly now: number;
}

/** Takes in what polls read. */
export class Staging {
  readonly #clock: Clock;
  readonly #streams: Streams;
  readonly #hash;
  readonly #sequence;
  readonly #known;
  readonly #insert;
  readonly #insertContent;
  readonly #update;
  readonly #updateContent;

  constructor(db: Database, clock: Clock, streams: Streams) {
    this.#clock = clock;
    this.#streams = streams;
    this.#hash = db.prepare<[string, string], string>("SELECT hash FROM records WHERE stream = ? AND key = ?").pluck();
    this.#sequence = db.prepare<[string], number>("SELECT sequence FROM streams WHERE stream = ?").pluck();
    this.#known = db.prepare<[string, string], Known>(
      "SELECT id, state, due_at, backfill FROM records WHERE stream = ? AND key = ?",
    );
    this.#insert = db.prepare(`
      INSERT INTO records (stream, key, state, hash, sequence, backfill, due_at, changed_at, error, unreadable)
      VALUES (@stream, @key, 'due', @hash, @sequence, @backfill, @now, @now, @error, @error)`);
    this.#insertContent = db.prepare<[number | bigint, string]>("INSERT INTO contents (record, row) VALUES (?, ?)");
    this.#update = db.prepare(`
      UPDATE records SET state = @state, hash = @hash, sequence = @sequence, deleted = @deleted, backfill = @backfill,
        attempts = 0, due_at = @dueAt, again = @again, changed_at = @now, error = @error, unreadable = @error
      WHERE id = @id`);
    this.#updateContent = db.prepare<[string, number]>("UPDATE contents SET row = ? WHERE record = ?");
  }

  stage(
    stream: StreamName,
    latest: readonly News[],
    batch: { rows: number; cursor: Cursor; backfill: boolean; complete: boolean },
  ): StageResult {
    const now = this.#clock.now();
    const backfill = batch.backfill ? 1 : 0;
    this.#streams.ensure(stream);
    const before = this.#sequence.get(stream) ?? 0;
    let sequence = before;
    let unchanged = 0;
    for (const news of latest) {
      const known = this.#hash.get(stream, news.key);
      if (known === news.hash) unchanged++;
      else if (known !== undefined) this.#change(stream, news, { sequence: ++sequence, backfill, now });
      else if (!news.deleted) this.#add(stream, news, { sequence: ++sequence, backfill, now });
    }
    this.#streams.advance(stream, { sequence, cursor: batch.cursor, rows: batch.rows, complete: batch.complete, now });
    return { changed: sequence - before, unchanged };
  }

  #add(stream: StreamName, { key, hash, row, unreadable }: News, version: Version): void {
    const error = unreadable ? JSON.stringify(unreadable) : null;
    const added = this.#insert.run({ ...version, stream, key, hash, error });
    this.#insertContent.run(added.lastInsertRowid, JSON.stringify(row ?? {}));
  }

  #change(stream: StreamName, { key, hash, deleted, row, unreadable }: News, version: Version): void {
    const known = this.#known.get(stream, key)!;
    const claimed = known.state === "claimed";
    const pending = claimed || known.state === "due";
    this.#update.run({
      ...version,
      id: known.id,
      hash,
      state: next(known.state, "change"),
      deleted: deleted ? 1 : 0,
      // What already waits for its turn keeps its place, and a live change never falls back among a first load's.
      backfill: pending ? Math.min(known.backfill, version.backfill) : version.backfill,
      dueAt: claimed ? known.due_at : Math.min(known.state === "due" ? known.due_at! : version.now, version.now),
      again: claimed ? 1 : 0,
      error: unreadable ? JSON.stringify(unreadable) : null,
    });
    if (row) this.#updateContent.run(JSON.stringify(row), known.id);
  }
}
