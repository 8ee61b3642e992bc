import type { Outcome, RecordState, ResourceName, StreamName } from "#model";

/** What is true at the moment of a scrape. A part that cannot be read now is left out; its figures are then absent. */
export interface Readings {
  /** Records per stream and state. */
  readonly records?: ReadonlyMap<StreamName, Readonly<Partial<Record<RecordState, number>>>>;
  /** How far each stream is behind its ERP, in milliseconds: the time since a poll last reached its end. */
  readonly lagMs?: ReadonlyMap<StreamName, number>;
  /** What holds each stream; without an entry nothing does. */
  readonly held?: ReadonlyMap<StreamName, readonly string[]>;
  /** Milliseconds since the oldest change was first seen that is not delivered yet; absent where none is due. */
  readonly undeliveredMs?: ReadonlyMap<StreamName, number>;
  /** Wake-ups that wait, and deliveries and polls that run now. */
  readonly queue?: { readonly waiting: number; readonly active: number };
  /** Milliseconds since the last scheduled backup that was verified. */
  readonly backupAgeMs?: number;
  /** Differences of the last scheduled comparison, by stream and kind. */
  readonly drifts?: Readonly<Record<StreamName, Readonly<Record<string, number>>>>;
  /** Of each channel of notifications: changes that wait for it, and for how long it has taken none; 0 while it works. */
  readonly channels?: ReadonlyMap<string, { readonly waiting: number; readonly failingMs: number }>;
  readonly service?: {
    readonly state: "closed" | "open" | "half-open";
    readonly concurrency: number;
    readonly holdMs: number;
    /** Undefined: no limit is known. */
    readonly perSecond: number | undefined;
  };
}

/** Upper bounds of how long changes took: from one that a poll brings at once to one that waited for a weekend. */
export const latencyBoundsMs: readonly number[] = [
  100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000,
  259_200_000,
];

/** How one delivery ended: well, or why not. */
export type DeliveryEnd = Outcome | "waiting" | "retry" | "parked" | "uncertain";

/** The figures that operators watch. Counting never throws and never waits. */
export interface Metrics {
  delivered(stream: StreamName, end: DeliveryEnd, durationMs: number): void;
  /** A change reached the service this long after the poll that first saw it. */
  arrived(stream: StreamName, sinceChangeMs: number): void;
  /** One request to the service that was answered, or that failed without an answer (`status` undefined). */
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
  /** A message to people was delivered by this channel, or was not. Needs no `this`. */
  readonly notified: (channel: string, result: "delivered" | "failed") => void;
  /** All figures in Prometheus' text format, with fresh readings. Resolves also when readings cannot be had. */
  text(): Promise<string>;
}
