import type { Database } from "better-sqlite3";
import { isAscending, type Clock, type Cursor, type RecordState, type StreamName } from "#model";
import type { StageResult } from "../../facts.ts";
import type { IntakeStore } from "../../contract/intake.ts";
import { stageInParts, type StoreChange } from "../../news.ts";
import { FIRST_GUARDED, LANE } from "../../lanes.ts";
import { next } from "../../transitions.ts";
import type { InParts } from "../in-parts.ts";
import type { Tables } from "../tables.ts";
import type { Streams } from "../tables/streams.ts";
import type { Deletions } from "../tables/deletions.ts";

/** Length of a content hash, in characters. */
const HASH_LENGTH = 32;

/** Hash and key in one text, or "" if SQLite would read another text from the JSON; such rows are compared one by one. */
function comparable({ key, hash, unreadable }: StoreChange): string {
  return unreadable || !key.isWellFormed() || key.includes("\0") ? "" : hash + key;
}

interface Known {
  readonly id: number;
  readonly hash: string;
  readonly state: RecordState;
  readonly sequence: number;
  readonly deleted: number;
  readonly due_at: number | null;
  readonly backfill: number;
  readonly bound: 0 | 1;
}

/** The position of a row in the batch, and the stored record that it differs from, if there is one. */
type Different = Known & { readonly at: number };

type InsertedRecord = [
  stream: string,
  key: string,
  hash: string,
  sequence: number,
  backfill: number,
  dueAt: number,
  changedAt: number,
  error: string | null,
  unreadable: string | null,
];

interface HowStaged {
  readonly backfill?: boolean;
  readonly since?: number;
  readonly guarded?: boolean;
}

interface Version {
  readonly sequence: number;
  readonly backfill: number;
  readonly now: number;
}

const IS_BOUND = "EXISTS (SELECT 1 FROM bindings WHERE record = r.id) AS bound";

/** Stores what polls read. */
export class Staging {
  readonly #clock: Clock;
  readonly #streams: Streams;
  readonly #deletions: Deletions;
  readonly #sequence;
  readonly #range;
  readonly #different;
  readonly #known;
  readonly #nextId;
  readonly #insert;
  readonly #insertAll;
  readonly #insertContent;
  readonly #update;
  readonly #updateContent;

  constructor(db: Database, clock: Clock, { streams, deletions }: Pick<Tables, "deletions" | "streams">) {
    this.#clock = clock;
    this.#streams = streams;
    this.#deletions = deletions;
    this.#sequence = db.prepare<[string], number>("SELECT sequence FROM streams WHERE stream = ?").pluck();
    this.#range = db
      .prepare<{ stream: string; first: string; last: string; limit: number }, string>(
        `SELECT hash || key FROM records
         WHERE stream = @stream AND key BETWEEN @first AND @last AND NOT deleted ORDER BY key LIMIT @limit`,
      )
      .pluck();
    this.#different = db.prepare<{ stream: string; news: string }, Different | { at: number; id: null }>(`
      SELECT n.key AS at, r.id, r.hash, r.state, r.sequence, r.deleted, r.due_at, r.backfill, ${IS_BOUND}
      FROM json_each(@news) n
      LEFT JOIN records r ON r.stream = +@stream AND r.key = substr(n.value, ${HASH_LENGTH + 1})
      WHERE r.hash IS NOT substr(n.value, 1, ${HASH_LENGTH})`);
    this.#known = db.prepare<[string, string], Known>(
      `SELECT id, hash, state, sequence, deleted, due_at, backfill, ${IS_BOUND} FROM records r WHERE stream = ? AND key = ?`,
    );
    this.#insert = db.prepare<InsertedRecord>(`
      INSERT INTO records (stream, key, state, hash, sequence, backfill, due_at, changed_at, error, unreadable)
      VALUES (?, ?, 'due', ?, ?, ?, ?, ?, ?, ?)`);
    this.#nextId = db.prepare<[], number>("SELECT coalesce(max(id), 0) + 1 FROM records").pluck();
    this.#insertAll = db.prepare<Version & { stream: string; news: string; firstId: number }>(`
      INSERT INTO records (id, stream, key, state, hash, sequence, backfill, due_at, changed_at)
      SELECT @firstId + n.key, @stream, substr(n.value, ${HASH_LENGTH + 1}), 'due', substr(n.value, 1, ${HASH_LENGTH}),
        @sequence + 1 + n.key, @backfill, @now, @now
      FROM json_each(@news) n`);
    this.#insertContent = db.prepare<[number | bigint, string]>("INSERT INTO contents (record, row) VALUES (?, ?)");
    this.#update = db.prepare(`
      UPDATE records SET state = @state, hash = @hash, sequence = @sequence, deleted = @deleted, backfill = @backfill,
        attempts = 0, due_at = @dueAt, again = @again, changed_at = @now, error = @error, unreadable = @error
      WHERE id = @id`);
    this.#updateContent = db.prepare<[string, number]>("UPDATE contents SET row = ? WHERE record = ?");
  }

  stage(
    stream: StreamName,
    latest: readonly StoreChange[],
    batch: HowStaged & { rows: number; cursor: Cursor; complete: boolean },
  ): StageResult {
    const { sequence, result, now } = this.#take(stream, latest, batch);
    this.#streams.advance(stream, { sequence, cursor: batch.cursor, rows: batch.rows, complete: batch.complete, now });
    return result;
  }

  stageDeletions(
    stream: StreamName,
    latest: readonly StoreChange[],
    batch: { cursor: Cursor; guarded?: boolean },
  ): StageResult {
    const { sequence, result } = this.#take(stream, latest, { guarded: batch.guarded === true });
    this.#streams.advanceDeletions(stream, { sequence, cursor: batch.cursor });
    return result;
  }

  /** Moves no cursor: what was read by its keys, or a part of a batch that is not the last one. */
  take(stream: StreamName, latest: readonly StoreChange[], how?: HowStaged): StageResult {
    const { sequence, result } = this.#take(stream, latest, how);
    this.#streams.count(stream, sequence);
    return result;
  }

  /** Stores differences; records that changed after `since` are left alone. */
  #take(
    stream: StreamName,
    latest: readonly StoreChange[],
    { backfill: isBackfill = false, since = Infinity, guarded = false }: HowStaged = {},
  ) {
    const backfill = isBackfill ? 1 : 0;
    const now = this.#clock.now();
    this.#streams.ensure(stream);
    const before = this.#sequence.get(stream) ?? 0;
    let sequence = before;
    let unchanged = latest.length;
    const added: StoreChange[] = [];
    for (const [news, known] of this.#differing(stream, latest)) {
      if (known !== undefined && known.sequence > since) continue;
      unchanged--;
      if (known !== undefined)
        this.#change(news, known, { sequence: ++sequence, backfill: laneOf(known, backfill, guarded), now });
      else if (news.deleted) continue;
      else if (comparable(news) === "") this.#add(stream, news, { sequence: ++sequence, backfill, now });
      else added.push(news);
    }
    if (added.length > 0) this.#addAll(stream, added, { sequence, backfill, now });
    sequence += added.length;
    return { sequence, now, result: { changed: sequence - before, unchanged } };
  }

  /** Rows that differ from the store, in order, found by one statement. */
  *#differing(stream: StreamName, latest: readonly StoreChange[]): Generator<[StoreChange, Known | undefined]> {
    const possible = this.#notSeen(stream, latest);
    if (possible.length === 0) return;
    for (const different of this.#different.all({ stream, news: JSON.stringify(possible.map(comparable)) })) {
      const news = possible[different.at]!;
      const found = different.id === null ? undefined : different;
      const known = comparable(news) === "" ? this.#known.get(stream, news.key) : found;
      if (known?.hash !== news.hash) yield [news, known];
    }
  }

  /**
   * Drops rows that the store already has. Ascending keys, as from a table that is read whole, are also adjacent in the store: reading
   * their range takes less than half the time of looking up each one.
   */
  #notSeen(stream: StreamName, latest: readonly StoreChange[]): readonly StoreChange[] {
    const keys = latest.map(({ key }) => key);
    if (keys.length === 0 || !isAscending(keys)) return latest;
    const stored = this.#range.all({ stream, first: keys[0]!, last: keys.at(-1)!, limit: keys.length });
    let at = 0;
    return latest.filter((news) => {
      const text = comparable(news);
      for (; at < stored.length; at++) {
        if (stored[at] === text) {
          at++;
          return false;
        }
        if (stored[at]!.slice(HASH_LENGTH) >= news.key) break;
      }
      return true;
    });
  }

  #add(stream: StreamName, { key, hash, row, unreadable }: StoreChange, version: Version): void {
    const error = unreadable ? JSON.stringify(unreadable) : null;
    const { sequence, backfill, now } = version;
    const added = this.#insert.run(stream, key, hash, sequence, backfill, now, now, error, error);
    this.#insertContent.run(added.lastInsertRowid, JSON.stringify(row ?? {}));
  }

  /**
   * Adds all records with one statement, because binding the values of each one takes as long as storing it. Sequences follow the
   * version's.
   */
  #addAll(stream: StreamName, added: readonly StoreChange[], version: Version): void {
    const firstId = this.#nextId.get()!;
    this.#insertAll.run({ ...version, stream, firstId, news: JSON.stringify(added.map(comparable)) });
    for (const [at, { row }] of added.entries()) this.#insertContent.run(firstId + at, JSON.stringify(row ?? {}));
  }

  #change({ hash, deleted, row, unreadable }: StoreChange, known: Known, version: Version): void {
    const claimed = known.state === "claimed";
    this.#update.run({
      ...version,
      id: known.id,
      hash,
      state: next(known.state, "change"),
      deleted: deleted ? 1 : 0,
      dueAt: claimed ? known.due_at : Math.min(known.state === "due" ? known.due_at! : version.now, version.now),
      again: claimed ? 1 : 0,
      error: unreadable ? JSON.stringify(unreadable) : null,
    });
    if (row) this.#updateContent.run(JSON.stringify(row), known.id);
    if (known.deleted === 1 && !deleted) this.#deletions.forget(known.id);
  }
}

/** A pending record keeps its place: a live change is never demoted to first-load priority, and a guarded one stays guarded. */
function laneOf({ state, backfill, bound }: Known, lane: number, guarded: boolean): number {
  const isPending = state === "claimed" || state === "due";
  const isGuarded = isPending && backfill >= FIRST_GUARDED;
  if (guarded && bound === 1) return isGuarded && backfill !== LANE.undecided ? LANE.heldAgain : LANE.undecided;
  if (isGuarded) return backfill;
  return isPending ? Math.min(backfill, lane) : lane;
}

const guardedOnly = ({ guarded = false }: { readonly guarded?: boolean }): HowStaged => ({ guarded });

export function stage(staging: Staging, { step }: InParts, ...[stream, batch]: Parameters<IntakeStore["stage"]>) {
  const { changes, unreadable = [] } = batch;
  const rows = changes.length + unreadable.length;
  return stageInParts(batch, (news, isLast) =>
    step(() => (isLast ? staging.stage(stream, news, { ...batch, rows }) : staging.take(stream, news, batch))),
  );
}

export function stageDeletions(
  staging: Staging,
  { step }: InParts,
  ...[stream, batch]: Parameters<IntakeStore["stageDeletions"]>
) {
  return stageInParts(batch, (news, isLast) =>
    step(() => (isLast ? staging.stageDeletions(stream, news, batch) : staging.take(stream, news, guardedOnly(batch)))),
  );
}

export function stageRead(
  staging: Staging,
  { step }: InParts,
  ...[stream, read]: Parameters<IntakeStore["stageRead"]>
) {
  return stageInParts(read, (news) => step(() => staging.take(stream, news, read)));
}
