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
      /** Milliseconds from the poll that first saw the change to the end of the delivery; absent if the record was only mapped again. */
      readonly sinceChangeMs?: number;
    }
  | {
      readonly kind: "waiting" | "retry" | "parked" | "uncertain";
      readonly error: ErrorFacts;
      readonly durationMs: number;
    };

/**
 * A listener of the pipeline, such as the log's summaries, the metrics or the demo's progress bars. It is called synchronously
 * after the fact was stored. It must not throw and decides nothing.
 */
export interface Observer {
  /** A batch was stored; its poll continues. */
  staged?(stream: StreamName, facts: { changed: number; unchanged: number }): void;
  polled?(stream: StreamName, facts: PollFacts): void;
  pollFailed?(stream: StreamName, error: ErrorFacts): void;
  delivered?(id: RecordId, delivery: Delivery): void;
}

/** Returns an observer that calls several others in order. */
export function observeAll(observers: readonly Observer[]): Required<Observer> {
  return {
    staged: (stream, facts) => observers.forEach((observer) => observer.staged?.(stream, facts)),
    polled: (stream, facts) => observers.forEach((observer) => observer.polled?.(stream, facts)),
    pollFailed: (stream, error) => observers.forEach((observer) => observer.pollFailed?.(stream, error)),
    delivered: (id, delivery) => observers.forEach((observer) => observer.delivered?.(id, delivery)),
  };
}
