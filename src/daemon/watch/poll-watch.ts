import { errorFacts, RetryError, untilNext, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { IntakeStore } from "#store";
import type { Logger } from "#telemetry";

const LOOK_MS = 1_000;
/** Missed intervals after which a stream is overdue. */
const MISSED_INTERVALS = 3;
/** Shortest limit, in milliseconds: the queue takes up to 15 seconds to reassign a lost job. */
const PATIENCE_MS = 30_000;

type Poll = (stream: StreamName, signal: AbortSignal) => Promise<void>;

interface Watched {
  readonly limitMs: number;
  readonly everyMs: number;
  running: number;
  /** When a poll last ended, on the clock `elapsed`. */
  endedAt: number;
  isOverdue: boolean;
}

export interface PollWatchDeps {
  readonly store: Pick<IntakeStore, "pollFailed">;
  readonly queue: Pick<Queue, "trouble">;
  readonly logger: Logger;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

/**
 * Notices streams whose polls no longer start, for any reason. Such a stream counts as failing: the store shows it on the page and in
 * `status`, `/readyz` gives the reason, and the log has one line for all streams of an outage. Whether a poll succeeds does not matter
 * here, only that it ran.
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

  /** Starts to watch these streams, which are polled at an interval. */
  watch(schedule: ReadonlyMap<StreamName, { readonly everyMs: number }>): void {
    const endedAt = this.#elapsed();
    for (const [stream, { everyMs }] of schedule) {
      const limitMs = Math.max(PATIENCE_MS, MISSED_INTERVALS * everyMs);
      this.#streams.set(stream, { everyMs, limitMs, running: 0, endedAt, isOverdue: false });
    }
  }

  /** Wraps the polls, so that this watch notices them. */
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

  /** Checks all streams once. */
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

  /** Marks the stream as failing; its next successful poll clears that. */
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
    const message = `${stream} was not polled for ${silentSeconds} s, although its interval is ${everyMs / 1_000} s: the queue starts no polls${why}`;
    return new RetryError("E_POLL_OVERDUE", message);
  }
}
