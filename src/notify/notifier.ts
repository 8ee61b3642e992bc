import { backoffMs, errorFacts, errorText, type Backoff, type Clock } from "#model";
import type { QuietHours } from "#settings";
import type { ChannelState, Notice, NoticeEvent, NoticeStore, QueuedEvent, Severity } from "#store";
import { redacted, type Logger, type Redact } from "#telemetry";
import type { Channel } from "./channels/channel.ts";
import type { Condition } from "./condition.ts";
import { digestOf } from "./digest.ts";
import { noticeStep, rank, worse, type NoticePolicy } from "./ledger.ts";
import { isQuiet } from "./quiet-hours.ts";

/** Pauses before a failed channel is retried: short at first, later hourly. */
const AGAIN: Backoff = { baseMs: 30_000, maxMs: 3_600_000 };

/** A channel and which notices it receives. */
export interface OpenChannel {
  readonly channel: Channel;
  readonly min: Severity;
  readonly quiet: QuietHours | undefined;
}

export interface NotifierDeps {
  readonly store: NoticeStore;
  readonly channels: readonly OpenChannel[];
  readonly policy: NoticePolicy & { readonly timezone: string };
  /** The installation's name in messages. */
  readonly name: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly redact: Redact;
  /** Called with the result of each delivery. */
  readonly sent?: (channel: string, result: "delivered" | "failed") => void;
}

/**
 * Notifies people of changes: compares conditions with what was reported, queues the differences in the store, and sends everything that
 * waits for a channel as one message. Channels do not wait for each other, and nothing waits for them.
 */
export class Notifier implements Disposable {
  readonly #deps: NotifierDeps;
  /** When to retry each failed channel. */
  readonly #againAt = new Map<string, number>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /** The state of each open channel. */
  async states(): Promise<ChannelState[]> {
    const open = new Set(this.#deps.channels.map(({ channel }) => channel.name as string));
    return (await this.#deps.store.channels()).filter(({ name }) => open.has(name));
  }

  /** Stores in one step what has changed since the last comparison, and the events for each channel. */
  async look(conditions: readonly Condition[]): Promise<void> {
    const { store, clock, policy } = this.#deps;
    const known = await store.notices();
    const step = noticeStep(known, conditions, clock.now(), policy);
    if (step.changed.length + step.ended.length === 0) return;
    const toldBefore = new Map(known.map(({ id, told }) => [id, told?.severity]));
    const events = step.events.flatMap((event) =>
      this.#receivers(event).map(({ channel, min }) => ({
        channel: channel.name,
        event: isNews(event, min, toldBefore.get(event.notice.id)) ? { ...event, change: "begun" as const } : event,
      })),
    );
    await store.saveNotices({ ...step, events });
  }

  /** Starts to send waiting events; does not wait for the end. */
  deliver(signal: AbortSignal): void {
    for (const open of this.#deps.channels) {
      const { name } = open.channel;
      if (this.#sending.has(name)) continue;
      this.#sending.set(
        name,
        this.#drain(open, signal).finally(() => this.#sending.delete(name)),
      );
    }
  }

  /** Resolves when no channel is sending. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending.values());
  }

  #receivers({ notice }: NoticeEvent): OpenChannel[] {
    const severity = worse(notice.severity, notice.told?.severity ?? "note");
    return this.#deps.channels.filter(
      ({ channel, min }) => rank(severity) >= rank(min) && notice.id !== `channel/${channel.name}`,
    );
  }

  /** Never throws: the failure of a channel is stored, and its messages wait. */
  async #drain({ channel, quiet }: OpenChannel, signal: AbortSignal): Promise<void> {
    const { store, clock, policy, logger } = this.#deps;
    const now = clock.now();
    const pauseMs = (this.#againAt.get(channel.name) ?? 0) - now;
    // A pause longer than the maximum means that the clock was set back.
    if ((pauseMs > 0 && pauseMs <= AGAIN.maxMs) || isQuiet(quiet, policy.timezone, now)) return;
    let queued: readonly QueuedEvent[];
    let news: readonly QueuedEvent[];
    try {
      queued = await store.queuedEvents(channel.name);
      news = queued.length === 0 ? queued : stillTrue(queued, await store.notices());
    } catch (thrown) {
      logger.warn({ channel: channel.name, err: errorFacts(thrown) }, "notifications could not be read");
      return;
    }
    const last = queued.at(-1);
    if (last === undefined) return;
    try {
      await this.#send(channel, news, signal);
      await store.deliveredEvents(channel.name, last.number);
      if (news.length > 0) await this.#succeeded(channel.name);
    } catch (thrown) {
      if (!signal.aborted) await this.#failed(channel.name, thrown);
    }
  }

  async #send(channel: Channel, queued: readonly QueuedEvent[], signal: AbortSignal): Promise<void> {
    const { name, clock, redact, logger } = this.#deps;
    const digest = digestOf(queued, name, clock.now());
    if (digest === undefined) return;
    await channel.send(redacted(digest, redact), signal);
    logger.info({ channel: channel.name, count: digest.entries.length, subject: digest.subject }, "notification sent");
  }

  async #succeeded(name: string): Promise<void> {
    const { store, clock, logger, sent } = this.#deps;
    if (this.#againAt.delete(name)) logger.info({ channel: name }, "notifications are delivered again");
    sent?.(name, "delivered");
    await store.saveChannel({ name, deliveredAt: clock.now() });
  }

  async #failed(name: string, thrown: unknown): Promise<void> {
    const { store, clock, logger, sent } = this.#deps;
    sent?.(name, "failed");
    const error = errorFacts(thrown);
    try {
      const known = (await store.channels()).find((state) => state.name === name);
      const attempts = (known?.failure?.attempts ?? 0) + 1;
      const pauseMs = backoffMs(AGAIN, attempts);
      this.#againAt.set(name, clock.now() + pauseMs);
      const fields = { channel: name, attempts, pauseMs, err: error };
      // Log an outage once: the same failure each hour would flood the log.
      if (attempts === 1) logger.error(fields, "notification was not delivered");
      else logger.debug(fields, "notification was not delivered again");
      const since = known?.failure?.since ?? clock.now();
      const message = errorText(error);
      const before = known?.deliveredAt === undefined ? {} : { deliveredAt: known.deliveredAt };
      await store.saveChannel({ name, ...before, failure: { since, attempts, message, code: error.code } });
    } catch (err) {
      this.#againAt.set(name, clock.now() + AGAIN.baseMs);
      logger.warn({ channel: name, err: errorFacts(err) }, "state of a channel was not stored");
    }
  }

  [Symbol.dispose](): void {
    for (const { channel } of this.#deps.channels) channel[Symbol.dispose]();
  }
}

/** Drops events of conditions that ended while the channel was not configured, because only the others got their end. */
function stillTrue(queued: readonly QueuedEvent[], known: readonly Notice[]): readonly QueuedEvent[] {
  const ended = queued.filter(({ event }) => event.change === "resolved").map(({ event }) => event.notice);
  const told = new Set([...known, ...ended].map(({ id }) => id));
  return queued.filter(({ event }) => told.has(event.notice.id));
}

/** Whether the event is new to a channel that did not hear of the condition while it was less severe. */
function isNews({ change }: NoticeEvent, min: Severity, toldBefore: Severity | undefined): boolean {
  return change === "grown" && toldBefore !== undefined && rank(toldBefore) < rank(min);
}
