import type { Daemon, ProgressWatch } from "#daemon";
import { errorText, StopError, type ErrorFacts } from "#model";
import { roughDuration, knownRemedyOf } from "#operator";
import type { Logger } from "#telemetry";
import { exitCode, type Io } from "./output/io.ts";

/** The run waits for retries and waits that end within this time; later ones are left to the next run. */
const HORIZON_MS = 30_000;
/** A run without any progress for this long ends, so that it never blocks the next one. */
const TIMEOUT_SECONDS = 300;
/** How much later than the settle time its last step may become due. */
const SETTLE_MARGIN_MS = 5_000;

/** How long the queue may be away: longer than a restart of Redis takes. */
const QUEUE_PATIENCE_MS = 30_000;
const QUEUE_LOOK_MS = 5_000;

/** How the work of a round ended, before it is said whether everything was done. */
export type RoundEnd =
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly error: StopError }
  | { readonly kind: "stalled"; readonly limitMs: number }
  | { readonly kind: "queue gone"; readonly error: ErrorFacts };

export interface RoundOptions {
  readonly progress: ProgressWatch;
  readonly settleMs: number;
  /** Seconds without any progress after which the round ends. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
}

/** Waits for work of the daemon, but not without limit: it ends with the daemon, with the queue, and where nothing progresses. */
export async function untilEnd(
  daemon: Daemon,
  { progress, settleMs, timeout, signal: ended }: RoundOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<RoundEnd> {
  // A failed daemon never becomes idle: abort the wait, or the process would never exit.
  const looking = new AbortController();
  const signal = AbortSignal.any([ended, looking.signal]);
  const limitMs = Math.max(settleMs, (timeout ?? TIMEOUT_SECONDS) * 1000);
  const isDone = work(signal).then((): RoundEnd => ({ kind: "done" }));
  const isStalled = progress.stalled(limitMs, signal).then((): RoundEnd => ({ kind: "stalled", limitMs }));
  const patience = { everyMs: QUEUE_LOOK_MS, patienceMs: Math.min(QUEUE_PATIENCE_MS, limitMs) };
  const isQueueGone = daemon.queueGone(patience, signal).then(goneOf);
  const hasFailed = daemon.failure.then((error): RoundEnd => ({ kind: "failed", error }));
  try {
    return await Promise.race([hasFailed, isDone, isStalled, isQueueGone]);
  } finally {
    looking.abort();
    await Promise.allSettled([isDone, isStalled]);
  }
}

/** Pending where the watch ended without a finding, so that it wins no race. */
function goneOf(error: ErrorFacts | undefined): RoundEnd | Promise<never> {
  return error === undefined ? new Promise<never>(() => undefined) : { kind: "queue gone", error };
}

/** Says why a round ended early. Returns its exit code; undefined if it did its work. */
export function endedEarly(end: RoundEnd, io: Io, logger: Logger): number | undefined {
  if (end.kind !== "failed" && io.signal.aborted) return exitCode.again;
  switch (end.kind) {
    case "done":
      return undefined;
    case "failed":
      logger.error({ err: end.error, remedy: knownRemedyOf(end.error.code) }, "daemon could not continue");
      return exitCode.stopped;
    case "queue gone": {
      const remedy = knownRemedyOf(end.error.code) ?? "Check QUEUE_URL.";
      io.stderr.write(`This round ends, because ${errorText(end.error)}.\n  -> ${remedy} The next round continues.\n`);
      return exitCode.again;
    }
    case "stalled":
      io.stderr.write(
        `Nothing progressed for ${roughDuration(end.limitMs)}, so this round ends; the next one continues.\n`,
      );
      return exitCode.again;
  }
}

/**
 * How far ahead a retry or a wait may lie for the run to stay for it. Each run starts its own wait for a write without
 * an answer: a run that ended before `settleMs` would never settle it.
 */
export function horizonMsOf(settleMs: number): number {
  return Math.max(HORIZON_MS, settleMs + SETTLE_MARGIN_MS);
}
