import { errorFacts, RetryError, untilNext, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { IntakeStore } from "#store";
import type { Logger } from "#telemetry";

const LOOK_MS = 1_000;
/** A stream is overdue when it was not polled for so many of its intervals. */
const MISSED_INTERVALS = 3;
/** The queue takes up to 15 seconds to reassign a lost job: a short interval is not overdue before that. */
const PATIENCE_MS = 30_000;

type Poll = (stream: StreamName, signal: AbortSignal) => Promise<void>;

interface Watched {
  readonly limitMs: number;
  readonly everyMs: number;
  running: number;
  /** When a poll last ended, by `elapsed`. */
  endedAt: number;
  isOverdue: boolean;
}

export interface PollWatchDeps {
  readonly store: Pick<IntakeStore, "pollFailed">;
  readonly queue: Pick<Queue, "trouble">;
  readonly logger: Logger;
  /** Milliseconds by a monotonic clock. */
  readonly elapsed?: () => number;
}

/**
 * Notices streams whose polls no longer come up, whatever keeps them away. Such a stream is failing: the store says so to
 * the page and to `status`, `/readyz` gives the reason, and the log has one line for all streams of an outage. How a poll
 * ends is nothing to this watch, only that it came.
 */
export class PollWatch {
  readonly #deps: PollWatchDeps;
  readonly #elapsed: () => number;
  readonly #streams = new Map<StreamName, Watched>();
  #wereOverdue = false;

  constructor(deps: PollWatchDeps) {
    this.#deps = deps;
    this.#elapsed = deps.elapsed ?? (() => performance.now());
  }

  /** Watches these streams from now on: they are polled at an interval. */
  watch(schedule: ReadonlyMap<StreamName, { readonly everyMs: number }>): void {
    const endedAt = this.#elapsed();
    for (const [stream, { everyMs }] of schedule) {
      const limitMs = Math.max(PATIENCE_MS, MISSED_INTERVALS * everyMs);
      this.#streams.set(stream, { everyMs, limitMs, running: 0, endedAt, isOverdue: false });
    }
  }

  /** The same polls, seen by this watch. */
  watching(poll: Poll): Poll {
    return async (stream, signal) => {
      const watched = this.#streams.get(stream);
      if (watched === undefined) return await poll(stream, signal);
      watched.running += 1;
      watched.isOverdue = false;
      try {
        await poll(stream, signal);
      } finally {
        watched.running -= 1;
        watched.endedAt = this.#elapsed();
      }
    };
  }

  /** @throws {RetryError} E_POLL_OVERDUE when a stream is not polled. */
  check(): void {
    const [first, ...others] = [...this.#streams].filter(([, watched]) => watched.isOverdue);
    if (first === undefined) return;
    const more = others.length === 0 ? "" : ` (and ${others.length} more streams)`;
    throw new RetryError("E_POLL_OVERDUE", `${this.#overdue(...first).message}${more}`);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look();
      await untilNext(LOOK_MS, signal);
    }
  }

  /** Looks once at all streams. */
  async look(): Promise<void> {
    const { logger } = this.#deps;
    const streams = [...this.#streams];
    const missed = streams.filter(([, watched]) => !watched.isOverdue && this.#isSilent(watched));
    for (const [stream, watched] of missed) await this.#fail(stream, watched);
    const [first] = missed;
    if (first)
      logger.error(
        { streams: missed.map(([stream]) => stream), err: this.#overdue(...first) },
        "streams were not polled",
      );
    const areOverdue = streams.some(([, { isOverdue }]) => isOverdue);
    if (this.#wereOverdue && !areOverdue) logger.info({}, "all streams are polled again");
    this.#wereOverdue = areOverdue;
  }

  #isSilent({ running, endedAt, limitMs }: Watched): boolean {
    return running === 0 && this.#elapsed() - endedAt > limitMs;
  }

  /** The next poll that succeeds takes the failure back. */
  async #fail(stream: StreamName, watched: Watched): Promise<void> {
    watched.isOverdue = true;
    try {
      await this.#deps.store.pollFailed(stream, errorFacts(this.#overdue(stream, watched)));
    } catch (thrown) {
      this.#deps.logger.error({ stream, err: errorFacts(thrown) }, "poll failure was not stored");
    }
  }

  #overdue(stream: StreamName, { endedAt, everyMs }: Watched): RetryError {
    const silentSeconds = Math.round((this.#elapsed() - endedAt) / 1_000);
    const trouble = this.#deps.queue.trouble();
    const why = trouble === undefined ? "" : `: ${trouble}`;
    const message = `${stream} was not polled for ${silentSeconds} s, although its interval is ${everyMs / 1_000} s: the queue hands out no polls${why}`;
    return new RetryError("E_POLL_OVERDUE", message);
  }
}
