import type { ErrorCode } from "#model";

/** How much a notice matters. `note`: good to know. `warning`: something fails or will fail. `problem`: a person must act. */
export type Severity = "note" | "warning" | "problem";

/** The text of a notice for people. */
export interface NoticeText {
  /** Stays the same while the condition is the same. */
  readonly id: string;
  readonly kind: string;
  readonly severity: Severity;
  /** What happened, in one line. */
  readonly title: string;
  /** The error behind it, with its code. */
  readonly cause?: string;
  /** The affected streams, records or parts. */
  readonly affected: string;
  /** What to do; commands are in double quotes. */
  readonly remedy?: string;
  /** The number of records concerned. */
  readonly count?: number;
}

/** A condition that people may have to know about, and what they were told. */
export interface Notice extends NoticeText {
  readonly firstSeenAt: number;
  /** When `count` last rose. */
  readonly grewAt: number;
  /** When the condition ended; absent while it holds. */
  readonly goneAt?: number;
  /** The last message: when it was sent, how many so far, and the count and severity then. Absent before the first message. */
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
  /** Rises with each queued event. */
  readonly number: number;
  readonly event: NoticeEvent;
}

/** How a channel is doing. */
export interface ChannelState {
  readonly name: string;
  /** Since when and why the channel fails; absent if its last delivery succeeded. */
  readonly failure?: {
    readonly since: number;
    readonly attempts: number;
    readonly message: string;
    /** Absent if an earlier version stored the failure. */
    readonly code?: ErrorCode;
  };
  readonly deliveredAt?: number;
}

/** The state of notifications: a restart repeats no message and forgets none. */
export interface NoticeStore {
  /** Every condition that holds or held until a moment ago. */
  notices(): Promise<Notice[]>;
  /**
   * Stores changed notices, forgets ended ones and queues events for channels, all or nothing: a crash neither repeats a message nor loses
   * one.
   */
  saveNotices(step: {
    readonly changed: readonly Notice[];
    readonly ended: readonly string[];
    readonly events: readonly { readonly channel: string; readonly event: NoticeEvent }[];
  }): Promise<void>;
  /** The events that wait for a channel, oldest first. */
  queuedEvents(channel: string): Promise<QueuedEvent[]>;
  /** Deletes a channel's events up to this number, because they were delivered. */
  deliveredEvents(channel: string, upTo: number): Promise<void>;
  /** The state of each channel after its last delivery, and how many events wait for it. */
  channels(): Promise<(ChannelState & { readonly waiting: number })[]>;
  saveChannel(state: ChannelState): Promise<void>;
}
