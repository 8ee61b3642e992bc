import { isJsonObject, RetryError, type Change, type Clock, type Key, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { SourceStream } from "#sources";
import type { Store } from "#store";
import type { Logger } from "#telemetry";
import { keylessRows } from "./keyless.ts";

/** Suspects are looked for a second time after this, or after the sweep interval if that is shorter. */
const CONFIRM_AFTER_MS = 5 * 60_000;
/** Changes that are staged at once. */
const BATCH = 500;

/** Above either, a person has to confirm. */
export interface DeleteGuard {
  /** Of the records known before the sweep. */
  readonly percent: number;
  readonly count: number;
}

export interface SweeperParts {
  readonly store: Store;
  readonly streams: ReadonlyMap<StreamName, Stream>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs: number;
  readonly guard: DeleteGuard;
}

/**
 * Finds deletions that leave no trace: a record counts as deleted when two complete sweeps in a row did not find its key, and
 * when all of them together stay below the guard. Absence alone deletes nothing.
 */
export class Sweeper {
  readonly #parts: SweeperParts;

  constructor(parts: SweeperParts) {
    this.#parts = parts;
  }

  /**
   * Sweeps the stream if it is time and if a deletion in the ERP is to change anything. Runs within the stream's poll, so that
   * no poll moves under it. Returns how many deletions were staged.
   * @throws whatever reading the keys throws: the sweep then counts for nothing.
   * @throws {RetryError} E_SWEEP_EMPTY when the ERP shows no key at all although records are known.
   */
  async sweepIfDue(stream: StreamName, source: SourceStream, signal: AbortSignal): Promise<number> {
    const { store, streams, clock, intervalMs } = this.#parts;
    if (source.capabilities.deletions !== "sweep" || streams.get(stream)?.deletion === "ignore") return 0;
    const last = await store.note(noteName(stream));
    const leftMs = isJsonObject(last) && typeof last["nextAt"] === "number" ? last["nextAt"] - clock.now() : 0;
    // Longer than any pause: somebody has set the clock back.
    if (leftMs > 0 && leftMs <= intervalMs) return 0;
    const { known, suspects, confirmed } = await this.#sweep(stream, source, signal);
    const staged = await this.#stage(stream, known, confirmed);
    const pauseMs = suspects > 0 ? Math.min(CONFIRM_AFTER_MS, intervalMs) : intervalMs;
    await store.saveNote(noteName(stream), { nextAt: clock.now() + pauseMs });
    return staged;
  }

  async #sweep(stream: StreamName, source: SourceStream, signal: AbortSignal) {
    const { store, logger } = this.#parts;
    const sweep = await store.beginSweep(stream);
    let seen = 0;
    for await (const keys of source.keys(signal)) {
      await store.markSeen(stream, sweep, keys);
      seen += keys.length;
    }
    const counts = (await store.counts()).get(stream) ?? {};
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0) - (counts.deleted ?? 0);
    if (seen === 0 && total > 0)
      throw new RetryError("E_SWEEP_EMPTY", `the ERP shows no key of ${stream}, where ${total} records are known`);
    const result = await store.endSweep(stream, sweep);
    logger.info({ stream, seen, suspects: result.suspects, confirmed: result.confirmed.length }, "stream swept");
    return result;
  }

  async #stage(stream: StreamName, known: number, confirmed: readonly Key[]): Promise<number> {
    const { store, logger } = this.#parts;
    if (confirmed.length === 0) {
      if (await store.note(guardNote(stream))) await store.saveNote(guardNote(stream), null);
      return 0;
    }
    if ((await keylessRows(store, stream)).length > 0) {
      logger.warn({ stream, count: confirmed.length }, "deletions were held back by rows without a key");
      return 0;
    }
    if (!(await this.#isAllowed(stream, known, confirmed))) {
      logger.error({ stream, count: confirmed.length, known }, "deletions were held by the guard");
      return 0;
    }
    const { cursor } = await store.cursor(stream);
    let staged = 0;
    for (let at = 0; at < confirmed.length; at += BATCH) {
      const changes = confirmed.slice(at, at + BATCH).map((key): Change => ({ kind: "delete", key }));
      staged += (await store.stage(stream, { changes, cursor, backfill: false, complete: true })).changed;
    }
    await store.saveNote(guardNote(stream), null);
    return staged;
  }

  async #isAllowed(stream: StreamName, known: number, confirmed: readonly Key[]): Promise<boolean> {
    const { store, guard } = this.#parts;
    const count = confirmed.length;
    if (count <= guard.count && count <= (known * guard.percent) / 100) return true;
    const note = await store.note(guardNote(stream));
    // A confirmation holds for as many deletions as the person saw, and no more.
    if (isJsonObject(note) && typeof note["confirmed"] === "number" && count <= note["confirmed"]) return true;
    await store.saveNote(guardNote(stream), { count, known, examples: confirmed.slice(0, 20) });
    return false;
  }
}

function noteName(stream: StreamName): string {
  return `sweep/${stream}`;
}

/** The note of deletions that wait for a person: `{ count, known, examples }`; `confirmed` is the person's answer. */
export function guardNote(stream: StreamName): string {
  return `guard/${stream}`;
}
