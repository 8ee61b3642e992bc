import { backoffMs, errorFacts, SyncError, untilAborted, type ErrorFacts, type StreamName } from "#model";

/** Failures that all streams of a source share: one of them finds out for all. */
const OF_THE_SOURCE = new Set(["E_SOURCE_UNREACHABLE", "E_SOURCE_BUSY", "E_SOURCE_LOGIN"]);
/** A poll that failed: the interval is pause enough for the first time, a minute is little against an outage. */
const FAILED = { baseMs: 1_000, maxMs: 60_000 };
/** Many systems lock a user out after a few wrong passwords, and for longer the more often they come. */
const REFUSED = { baseMs: 240_000, maxMs: 3_600_000 };
/** A Retry-After beyond this is taken for a mistake. */
const ASKED_MAX_MS = 86_400_000;

interface Pause {
  failures: number;
  until: number;
  /** What began the pause: of a lock-out that follows wrong credentials, the wrong credentials. */
  cause: ErrorFacts | undefined;
}

interface SourceState extends Pause {
  /** The ERP answered since it last failed. */
  isTrusted: boolean;
  /** The one stream that finds out whether it answers, and the others that wait for its word. */
  trial: { readonly stream: StreamName; readonly ended: Promise<void>; readonly end: () => void } | undefined;
}

export interface PollPausesDeps {
  /** A stream's source in the sync file. */
  readonly sourceOf: (stream: StreamName) => string;
  /** Milliseconds by a monotonic clock. */
  readonly elapsed?: () => number;
}

/**
 * When an ERP that failed is asked again: after growing pauses, never in step, and at the earliest when it said so. A source
 * that does not answer, is busy or refused the login is asked by one of its streams at a time, for all of them. In memory
 * alone: who restarts svcsync with another password wants to know at once.
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
   * Undefined where the stream may be polled now, else why it is not. Waits while another stream finds out whether the source
   * answers. Who may poll says how it ended: {@link answered}, {@link failed}, and {@link left} in any case.
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

  /** The ERP gave an answer that can be used. Where it asked for patience meanwhile, that holds all the same. */
  answered(stream: StreamName): void {
    const source = this.#source(stream);
    if (this.#pausing(source)?.code !== "E_SOURCE_BUSY")
      Object.assign(source, { isTrusted: true, failures: 0, until: 0, cause: undefined });
    this.left(stream);
  }

  /** The poll ended well. */
  succeeded(stream: StreamName): void {
    this.answered(stream);
    this.#streams.delete(stream);
  }

  /** The poll failed: the error to record, and the pause before the next poll. */
  failed(stream: StreamName, thrown: unknown): { readonly error: ErrorFacts; readonly pauseMs: number } {
    const error = errorFacts(thrown);
    const isOfSource = OF_THE_SOURCE.has(error.code);
    if (!isOfSource) this.answered(stream);
    const pause = isOfSource ? this.#source(stream) : this.#streamPause(stream);
    if (isOfSource) this.#source(stream).isTrusted = false;
    const now = this.#elapsed();
    const isLockOut = error.code === "E_SOURCE_BUSY" && pause.cause?.code === "E_SOURCE_LOGIN";
    if (!isLockOut) pause.cause = error;
    // Streams that were under way together fail together: that is one failure.
    if (pause.until <= now) pause.failures++;
    const askedMs = thrown instanceof SyncError && "afterMs" in thrown ? Number(thrown.afterMs ?? 0) : 0;
    const growingMs =
      pause.cause?.code === "E_SOURCE_LOGIN" ? backoffMs(REFUSED, pause.failures) : repeated(thrown, pause);
    pause.until = Math.max(pause.until, now + Math.max(growingMs, Math.min(askedMs, ASKED_MAX_MS)));
    return { error: pause.cause ?? error, pauseMs: Math.round(pause.until - now) };
  }

  /** The poll is over, however it ended: another stream may find out what it did not. */
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

/** What a person has to repair is asked for at each interval, so that the repair shows at once. */
function repeated(thrown: unknown, { failures }: Pause): number {
  const heals = thrown instanceof SyncError && (thrown.family === "retry" || thrown.family === "wait");
  return heals && failures > 1 ? backoffMs(FAILED, failures - 1) : 0;
}
