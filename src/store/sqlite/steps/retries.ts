import type { Database } from "better-sqlite3";
import type { Actor, Clock, Key, StreamName } from "#model";
import type { OperatorStore } from "../../contract/operator.ts";
import { revivable } from "../../answers.ts";
import type { InParts } from "../in-parts.ts";
import { FIRST_KEY, IN_PART_OF_STREAM, StreamParts } from "../tables/stream-parts.ts";
import type { Streams } from "../tables/streams.ts";
import { actorRow } from "../../rows/actor-row.ts";
import { stateList } from "../../rows/state-list.ts";

type Retried = Parameters<OperatorStore["retryNow"]>[0] & { readonly stream: StreamName };

/** Retries by people. */
export class Retries {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #streams: Streams;
  readonly #parts: StreamParts;

  constructor(db: Database, clock: Clock, streams: Streams) {
    this.#db = db;
    this.#clock = clock;
    this.#streams = streams;
    this.#parts = new StreamParts(db);
  }

  streams(): StreamName[] {
    return this.#streams.names();
  }

  /**
   * Makes records due in the part of a stream that begins with `from`, or only the one of `key`. Returns how many, and where the next part
   * begins.
   */
  retry(
    { stream, key, states }: Retried,
    { from, rows }: { from: Key; rows: number },
    by?: Actor,
  ): { count: number; next: Key | undefined } {
    const part = key === undefined ? this.#parts.at(stream, from, rows) : undefined;
    const which = part === undefined ? "stream = @stream AND key = @key" : IN_PART_OF_STREAM;
    const where = `${which} AND state IN (${stateList(revivable(states))})`;
    const values = { stream, key, ...part, now: this.#clock.now() };
    if (by !== undefined)
      this.#db
        .prepare(
          `INSERT INTO audit (at, stream, key, action, resource, outcome, actor, via, why)
           SELECT @now, stream, key, 'retry', '', 'due again', @actor, @via, @why FROM records WHERE ${where}`,
        )
        .run({ ...values, ...actorRow(by) });
    const made = this.#db
      .prepare(`UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL WHERE ${where}`)
      .run(values);
    return { count: made.changes, next: part?.next };
  }
}

/** Makes records due, stream by stream. */
export async function retryNow(
  retries: Retries,
  parts: InParts,
  { stream, ...target }: Parameters<OperatorStore["retryNow"]>[0],
  by?: Actor,
): Promise<number> {
  let count = 0;
  for (const name of stream === undefined ? await parts.step(() => retries.streams()) : [stream])
    count += await parts.through(FIRST_KEY, (from, rows) =>
      retries.retry({ ...target, stream: name }, { from, rows }, by),
    );
  return count;
}
