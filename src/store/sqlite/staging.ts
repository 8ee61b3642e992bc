import type { Database } from "better-sqlite3";
import { contentHash, type Change, type Clock, type Cursor, type Key, type RecordState, type StreamName } from "#model";
import type { StageResult } from "../facts.ts";
import { next } from "../transitions.ts";
import type { Streams } from "./streams.ts";

/** A change and its content hash, which is made before the transaction so that the file is not held meanwhile. */
export interface HashedChange {
  readonly change: Change;
  readonly hash: string;
}

/** The last change of each key, hashed. */
export function latestOfEach(changes: readonly Change[]): HashedChange[] {
  const latest = new Map<Key, Change>();
  for (const change of changes) latest.set(change.key, change);
  return Array.from(latest.values(), (change) => ({ change, hash: contentHash(change) }));
}

interface Known {
  readonly id: number;
  readonly state: RecordState;
  readonly due_at: number | null;
  readonly backfill: number;
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
      INSERT INTO records (stream, key, state, hash, sequence, backfill, due_at, changed_at)
      VALUES (@stream, @key, 'due', @hash, @sequence, @backfill, @now, @now)`);
    this.#insertContent = db.prepare<[number | bigint, string]>("INSERT INTO contents (record, row) VALUES (?, ?)");
    this.#update = db.prepare(`
      UPDATE records SET state = @state, hash = @hash, sequence = @sequence, deleted = @deleted, backfill = @backfill,
        attempts = 0, due_at = @dueAt, again = @again, changed_at = @now, error = NULL
      WHERE id = @id`);
    this.#updateContent = db.prepare<[string, number]>("UPDATE contents SET row = ? WHERE record = ?");
  }

  stage(
    stream: StreamName,
    latest: readonly HashedChange[],
    batch: { rows: number; cursor: Cursor; backfill: boolean; complete: boolean },
  ): StageResult {
    const now = this.#clock.now();
    const backfill = batch.backfill ? 1 : 0;
    this.#streams.ensure(stream);
    const before = this.#sequence.get(stream) ?? 0;
    let sequence = before;
    let unchanged = 0;
    for (const { change, hash } of latest) {
      const known = this.#hash.get(stream, change.key);
      if (known === hash) unchanged++;
      else if (known !== undefined) this.#change(stream, change, { hash, sequence: ++sequence, backfill, now });
      else if (change.kind === "upsert") {
        const added = this.#insert.run({ stream, key: change.key, hash, sequence: ++sequence, backfill, now });
        this.#insertContent.run(added.lastInsertRowid, JSON.stringify(change.row));
      }
    }
    this.#streams.advance(stream, { sequence, cursor: batch.cursor, rows: batch.rows, complete: batch.complete, now });
    return { changed: sequence - before, unchanged };
  }

  #change(
    stream: StreamName,
    change: Change,
    version: { hash: string; sequence: number; backfill: number; now: number },
  ): void {
    const known = this.#known.get(stream, change.key)!;
    const claimed = known.state === "claimed";
    const pending = claimed || known.state === "due";
    this.#update.run({
      ...version,
      id: known.id,
      state: next(known.state, "change"),
      deleted: change.kind === "delete" ? 1 : 0,
      // What already waits for its turn keeps its place, and a live change never falls back among a first load's.
      backfill: pending ? Math.min(known.backfill, version.backfill) : version.backfill,
      dueAt: claimed ? known.due_at : Math.min(known.state === "due" ? known.due_at! : version.now, version.now),
      again: claimed ? 1 : 0,
    });
    if (change.kind === "upsert") this.#updateContent.run(JSON.stringify(change.row), known.id);
  }
}
