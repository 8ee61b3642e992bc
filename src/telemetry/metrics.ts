import type { Outcome, RecordState, ResourceName, ReturnState, StreamName } from "#model";

/** Values read for a scrape. A value that cannot be read is absent. */
export interface Readings {
  /** Records per stream and state. */
  readonly records?: ReadonlyMap<StreamName, Readonly<Partial<Record<RecordState, number>>>>;
  /** Time since each stream's last completed poll, in milliseconds. */
  readonly lagMs?: ReadonlyMap<StreamName, number>;
  /** The kinds of hold on each stream; no entry means no hold. */
  readonly held?: ReadonlyMap<StreamName, readonly string[]>;
  /** Milliseconds since the oldest undelivered change was first seen; absent if no change is due. */
  readonly undeliveredMs?: ReadonlyMap<StreamName, number>;
  /** Waiting wake-ups, and running deliveries and polls. */
  readonly queue?: { readonly waiting: number; readonly active: number };
  /** What the queue runs on: redis, postgres, private or in-process. */
  readonly queueKind?: string;
  /** Milliseconds since the last verified scheduled backup. */
  readonly backupAgeMs?: number;
  /** Differences found by the last scheduled comparison, by stream and kind. */
  readonly drifts?: Readonly<Record<StreamName, Readonly<Record<string, number>>>>;
  /** Per notification channel: changes that wait for it, and for how many milliseconds it has failed; 0 while it works. */
  readonly channels?: ReadonlyMap<string, { readonly waiting: number; readonly failingMs: number }>;
  /** The lane back to the ERP, by stream of returns. */
  readonly returns?: ReadonlyMap<
    string,
    {
      readonly counts: Readonly<Partial<Record<ReturnState, number>>>;
      /** Milliseconds since the oldest one without an answer was delivered; undefined if there is none. */
      readonly unansweredMs: number | undefined;
      readonly isOverdue: boolean;
      /** Why nothing is handed over: guard, pause, error or unlisted. */
      readonly heldBy: readonly string[];
    }
  >;
  readonly service?: {
    readonly state: "closed" | "open" | "half-open";
    readonly concurrency: number;
    readonly holdMs: number;
    /** Undefined if no limit is known. */
    readonly perSecond: number | undefined;
  };
}

/** Bucket bounds for the time that changes took: from those that a poll delivers at once to those that waited for a weekend. */
export const latencyBoundsMs: readonly number[] = [
  100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000,
  259_200_000,
];

/** The result of one delivery: its outcome, or why it did not succeed. */
export type DeliveryEnd = Outcome | "waiting" | "retry" | "parked" | "uncertain";

/** The metrics for operators. Counting never throws and never waits. */
export interface Metrics {
  delivered(stream: StreamName, end: DeliveryEnd, durationMs: number): void;
  /** Counts a change that reached the service this long after the poll that first saw it. */
  arrived(stream: StreamName, sinceChangeMs: number): void;
  /** Counts a request to the service that was answered, or failed without an answer (`status` undefined). */
  requested(request: {
    readonly resource: ResourceName;
    readonly method: string;
    readonly status: number | undefined;
    readonly durationMs: number;
  }): void;
  polled(
    stream: StreamName,
    poll: { readonly rowsRead: number; readonly changed: number; readonly durationMs: number },
  ): void;
  pollFailed(stream: StreamName): void;
  /** Counts a notification that this channel delivered, or failed to. Does not use `this`. */
  readonly notified: (channel: string, result: "delivered" | "failed") => void;
  /** All metrics in Prometheus' text format, with fresh values. Also resolves if values cannot be read. */
  text(): Promise<string>;
}
