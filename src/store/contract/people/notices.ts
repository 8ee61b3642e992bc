import type { ErrorCode } from "#model";

/** How much a notice matters: good to know; something fails or will fail; a person must act. */
export type Severity = "note" | "warning" | "problem";

/** What a person reads of a condition. */
export interface NoticeText {
  /** The same for as long as it is the same trouble. */
  readonly id: string;
  readonly kind: string;
  readonly severity: Severity;
  /** What happened, in one line. */
  readonly title: string;
  /** The error behind it, with its code. */
  readonly cause?: string;
  /** Which streams, records or parts. */
  readonly affected: string;
  /** What a person does; commands are in double quotes. */
  readonly remedy?: string;
  /** Records that it concerns. */
  readonly count?: number;
}

/** A condition that a person may have to know, and what was told of it. */
export interface Notice extends NoticeText {
  readonly firstSeenAt: number;
  /** When `count` last rose. */
  readonly grewAt: number;
  /** When it stopped being true; absent while it is. */
  readonly goneAt?: number;
  /** What was last told: when, how often so far, and the count and severity then. Absent before the first time. */
  readonly told?: {
    readonly at: number;
    readonly times: number;
    readonly count: number | undefined;
    readonly severity: Severity;
  };
}

/** A change of a notice that a channel has to deliver. */
export interface NoticeEvent {
  readonly change: "begun" | "grown" | "reminder" | "resolved";
  readonly at: number;
  readonly notice: Notice;
}

/** An event that waits for its channel. */
export interface QueuedEvent {
  /** Rises with each event that is queued. */
  readonly number: number;
  readonly event: NoticeEvent;
}

/** How a channel is doing. */
export interface ChannelState {
  readonly name: string;
  /** Since when, and why, it takes nothing; absent where its last delivery succeeded. */
  readonly failure?: {
    readonly since: number;
    readonly attempts: number;
    readonly message: string;
    /** Absent where an earlier version wrote the failure down. */
    readonly code?: ErrorCode;
  };
  readonly deliveredAt?: number;
}

/** What notifications remember: a restart repeats nothing and forgets nothing. */
export interface NoticeStore {
  /** Every condition that is true or was true a moment ago. */
  notices(): Promise<Notice[]>;
  /**
   * Stores changed notices, forgets ended ones and queues events for channels, all or nothing: a kill between two of them
   * neither repeats a message nor loses one.
   */
  saveNotices(step: {
    readonly changed: readonly Notice[];
    readonly ended: readonly string[];
    readonly events: readonly { readonly channel: string; readonly event: NoticeEvent }[];
  }): Promise<void>;
  /** The events that wait for a channel, oldest first. */
  queuedEvents(channel: string): Promise<QueuedEvent[]>;
  /** A channel delivered the events up to this number: they are forgotten. */
  deliveredEvents(channel: string, upTo: number): Promise<void>;
  /** How each channel is doing, by its last delivery, and how many events wait for it. */
  channels(): Promise<(ChannelState & { readonly waiting: number })[]>;
  saveChannel(state: ChannelState): Promise<void>;
}
