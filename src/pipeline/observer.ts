import type { ErrorFacts, Outcome, RecordId, StreamName } from "#model";

/** The result of a poll. */
export interface PollFacts {
  readonly rowsRead: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly durationMs: number;
  /** True when this poll read the stream from its beginning. */
  readonly backfill: boolean;
}

/** How one delivery ended. */
export type Delivery =
  | {
      readonly kind: "done";
      readonly outcome: Outcome;
      readonly durationMs: number;
      /** From the poll that first saw the change to its end; absent where the record was only mapped again. */
      readonly sinceChangeMs?: number;
    }
  | {
      readonly kind: "waiting" | "retry" | "parked" | "uncertain";
      readonly error: ErrorFacts;
      readonly durationMs: number;
    };

/**
 * A listener of the pipeline: the log's summaries, the metrics, the demo's progress bars. Called synchronously after the
 * fact was stored; an observer never throws and never decides anything.
 */
export interface Observer {
  /** A batch was stored; its poll continues. */
  staged?(stream: StreamName, facts: { changed: number; unchanged: number }): void;
  polled?(stream: StreamName, facts: PollFacts): void;
  pollFailed?(stream: StreamName, error: ErrorFacts): void;
  delivered?(id: RecordId, delivery: Delivery): void;
}

/** One observer that tells several, in order. */
export function observeAll(observers: readonly Observer[]): Required<Observer> {
  return {
    staged: (stream, facts) => observers.forEach((observer) => observer.staged?.(stream, facts)),
    polled: (stream, facts) => observers.forEach((observer) => observer.polled?.(stream, facts)),
    pollFailed: (stream, error) => observers.forEach((observer) => observer.pollFailed?.(stream, error)),
    delivered: (id, delivery) => observers.forEach((observer) => observer.delivered?.(id, delivery)),
  };
}
