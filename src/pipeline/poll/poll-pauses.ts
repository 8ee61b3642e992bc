import { backoffMs, errorFacts, SyncError, untilAborted, type ErrorFacts, type StreamName } from "#model";

/** Failures that concern all streams of a source. One stream then tests the source for all. */
const OF_THE_SOURCE = new Set(["E_SOURCE_UNREACHABLE", "E_SOURCE_BUSY", "E_SOURCE_LOGIN"]);
/** Backoff of failed polls. After the first failure the poll interval is pause enough. A minute is short compared with an outage. */
const FAILED = { baseMs: 1_000, maxMs: 60_000 };
/** Backoff of refused logins. Many systems lock a user out after a few wrong passwords, each time for longer. */
const REFUSED = { baseMs: 240_000, maxMs: 3_600_000 };
/** The longest Retry-After that is obeyed. A longer one is taken for a mistake. */
const ASKED_MAX_MS = 86_400_000;

interface Pause {
  failures: number;
  until: number;
  /** The error that began the pause. If wrong credentials lead to a lock-out, this stays the refused login. */
  cause: ErrorFacts | undefined;
}

interface SourceState extends Pause {
  /** Whether the ERP has answered since it last failed. */
  isTrusted: boolean;
  /** The stream that tests whether the source answers, while the others wait for the result. */
  trial: { readonly stream: StreamName; readonly ended: Promise<void>; readonly end: () => void } | undefined;
}

export interface PollPausesDeps {
  /** Returns a stream's source in the sync file. */
  readonly sourceOf: (stream: StreamName) => string;
  /** Milliseconds by a monotonic clock. */
  readonly elapsed?: () => number;
}

/**
 * Decides when to ask an ERP again after a failure: after growing pauses with jitter, and not before the ERP allows it. If a source
 * does not answer, is busy or refuses the login, one stream at a time tests it for all. The pauses are only in memory, so that a
 * restart with another password tries at once.
 */
export class PollPauses {
  readonly #sourceOf: (stream: StreamName) => string;
  readonly #elapsed: () => number;
  readonly #sources = new Map<string, SourceState>();
  readonly #streams = new Map<StreamName, Pause>();

  constructor({ sourceOf, elapsed = () => performance.now() }: PollPausesDeps) {
    this.#sourceOf = sourceOf;
    this.#elapsed = elapsed;
  }

  /**
   * Returns undefined if the stream may be polled now, otherwise the error that prevents it. Waits while another stream tests the
   * source. A caller that may poll must report the result: {@link answered}, {@link failed}, and {@link left} in any case.
   */
  async enter(stream: StreamName, signal: AbortSignal): Promise<ErrorFacts | undefined> {
    const source = this.#source(stream);
    while (!signal.aborted) {
      const cause = this.#pausing(source) ?? this.#pausing(this.#streams.get(stream));
      if (cause !== undefined || source.isTrusted) return cause;
      if (source.trial === undefined) {
        const { promise: ended, resolve: end } = Promise.withResolvers<void>();
        source.trial = { stream, ended, end };
        return undefined;
      }
      await untilAborted(source.trial.ended, signal).catch(() => undefined);
    }
    return undefined;
  }

  /** Reports a usable answer of the ERP. A pause that the ERP asked for meanwhile still applies. */
  answered(stream: StreamName): void {
    const source = this.#source(stream);
    if (this.#pausing(source)?.code !== "E_SOURCE_BUSY")
      Object.assign(source, { isTrusted: true, failures: 0, until: 0, cause: undefined });
    this.left(stream);
  }

  /** Reports that the poll succeeded. */
  succeeded(stream: StreamName): void {
    this.answered(stream);
    this.#streams.delete(stream);
  }

  /** Reports that the poll failed. Returns the error to record, and the pause before the next poll. */
  failed(stream: StreamName, thrown: unknown): { readonly error: ErrorFacts; readonly pauseMs: number } {
    const error = errorFacts(thrown);
    const isOfSource = OF_THE_SOURCE.has(error.code);
    if (!isOfSource) this.answered(stream);
    const pause = isOfSource ? this.#source(stream) : this.#streamPause(stream);
    if (isOfSource) this.#source(stream).isTrusted = false;
    const now = this.#elapsed();
    const isLockOut = error.code === "E_SOURCE_BUSY" && pause.cause?.code === "E_SOURCE_LOGIN";
    if (!isLockOut) pause.cause = error;
    // Polls that ran at the same time fail together, which counts as one failure.
    if (pause.until <= now) pause.failures++;
    const askedMs = thrown instanceof SyncError && "afterMs" in thrown ? Number(thrown.afterMs ?? 0) : 0;
    const growingMs =
      pause.cause?.code === "E_SOURCE_LOGIN" ? backoffMs(REFUSED, pause.failures) : repeated(thrown, pause);
    pause.until = Math.max(pause.until, now + Math.max(growingMs, Math.min(askedMs, ASKED_MAX_MS)));
    return { error: pause.cause ?? error, pauseMs: Math.round(pause.until - now) };
  }

  /** Reports that the poll is over, however it ended. If it was the source's test, another stream may now test. */
  left(stream: StreamName): void {
    const source = this.#source(stream);
    if (source.trial?.stream !== stream) return;
    source.trial.end();
    source.trial = undefined;
  }

  #source(stream: StreamName): SourceState {
    const name = this.#sourceOf(stream);
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const state = { failures: 0, until: 0, cause: undefined, isTrusted: false, trial: undefined };
    this.#sources.set(name, state);
    return state;
  }

  #streamPause(stream: StreamName): Pause {
    const pause = this.#streams.get(stream) ?? { failures: 0, until: 0, cause: undefined };
    this.#streams.set(stream, pause);
    return pause;
  }

  #pausing(pause: Pause | undefined): ErrorFacts | undefined {
    return pause !== undefined && pause.until > this.#elapsed() ? pause.cause : undefined;
  }
}

/** Returns the pause in milliseconds. Errors that a person must repair cause none, so that the next poll shows the repair. */
function repeated(thrown: unknown, { failures }: Pause): number {
  const heals = thrown instanceof SyncError && (thrown.family === "retry" || thrown.family === "wait");
  return heals && failures > 1 ? backoffMs(FAILED, failures - 1) : 0;
}
