import {
  Bell,
  errorFacts,
  msUntilNext,
  recordName,
  type Clock,
  type ErrorFacts,
  type RecordId,
  type StreamName,
} from "#model";
import type { Queue } from "#queue";
import type { Service, ServiceState } from "#service";
import type { DueRecord } from "#store";
import type { Logger } from "#telemetry";
import type { DueRecords } from "./approved-schedule.ts";
import { StoreNews } from "../store-news.ts";

/** The longest pause of the relay, because another process (`svcsync retry`) may have made records due. */
const LOOK_AGAIN_MS = 1_000;
/** The pause after a full window while other processes deliver, too. The relay learns of their deliveries only from the store. */
const SHARED_LOOK_MS = 100;
/**
 * While other processes deliver, too: the most unclaimed wake-ups of this process, also limited to what the service allows in
 * `SHARED_WINDOW_SECONDS`. More would keep records from processes that could deliver them.
 */
const SHARED_WINDOW = 128;
const SHARED_WINDOW_SECONDS = 2;
/**
 * How long before an undelivered wake-up is sent again, in case the queue lost it. Doubles each time, since the wake-up may merely
 * wait behind a slow service.
 */
const WAKE_LOST_MS = 30_000;

/**
 * A wake-up that was sent and not yet answered by a delivery. `lostAt` is monotonic; `dueAt` is the record's due time when it was
 * woken.
 */
interface WakeUp {
  readonly lostAt: number;
  readonly patienceMs: number;
  readonly dueAt: number;
}

export interface RelayDeps {
  readonly store: DueRecords;
  readonly queue: Pick<Queue, "wake">;
  readonly service: Pick<Service, "state">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The streams that may deliver now. Streams that wait for a decision are left out. */
  readonly streams: () => readonly StreamName[];
  /** The most wake-ups that may be outstanding. Limits the queue's memory and the head start of a backfill. */
  readonly window: number;
  /** Whether other processes deliver, too. */
  readonly isShared?: () => boolean;
}

/**
 * Sends due records from the store to the queue: one wake-up per record, and never more than a window of them. So live changes
 * overtake a backfill at the window's edge, and an emptied queue is filled again.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #out = new Map<string, WakeUp>();
  readonly #bell = new Bell();
  readonly #news: StoreNews;
  /** No record of these streams is due before `untilMs`, unless the store is written to. */
  #quiet = { untilMs: 0, streams: "" };
  #answeredAt = performance.now();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#news = new StoreNews(deps.store);
  }

  /** Makes the relay look now, because something became due. */
  nudge(): void {
    this.#bell.ring();
  }

  /** Reports that a wake-up was handled, whatever the result. */
  answered(id: RecordId): void {
    this.#answeredAt = performance.now();
    this.#out.delete(recordName(id));
    // Refilling at half a window keeps the queue busy without a query per delivery.
    if (this.#out.size <= this.#deps.window / 2) this.nudge();
  }

  /** Forgets all wake-ups after the queue lost them, so that they are sent again. */
  forget(): void {
    this.#out.clear();
    this.nudge();
  }

  /** The number of outstanding wake-ups. */
  get outstanding(): number {
    return this.#out.size;
  }

  /** Runs until the signal is aborted. An outage of the queue or the store is logged once and waited out. */
  async run(signal: AbortSignal): Promise<void> {
    let inTrouble = false;
    while (!signal.aborted) {
      let pauseMs = LOOK_AGAIN_MS;
      try {
        pauseMs = await this.#turn();
        if (inTrouble) this.#deps.logger.info({}, "relay resumed");
        inTrouble = false;
      } catch (thrown) {
        if (!inTrouble) this.#noteOutage(errorFacts(thrown));
        inTrouble = true;
      }
      await this.#bell.wait(Math.min(pauseMs, msUntilNext(LOOK_AGAIN_MS)), signal);
    }
  }

  /** The queue tells of its outages itself, so that a dead queue is one line. */
  #noteOutage(err: ErrorFacts): void {
    const { logger } = this.#deps;
    if (err.code.startsWith("E_QUEUE_")) logger.debug({ err }, "relay waited for the queue");
    else logger.warn({ err }, "relay waited for the store");
  }

  async #turn(): Promise<number> {
    const { store, queue, service, streams, clock } = this.#deps;
    const state = service.state();
    // A record woken now would only wait for the end of the pause.
    if (state.holdMs > 0) return Math.min(LOOK_AGAIN_MS, state.holdMs);
    const isShared = this.#deps.isShared?.() === true;
    if (!isShared && this.#room(state) === 0) return LOOK_AGAIN_MS;
    const open = streams();
    if (open.length === 0) return LOOK_AGAIN_MS;
    const now = clock.now();
    if (!(await this.#news.any()) && now < this.#quiet.untilMs && this.#quiet.streams === open.join())
      return this.#pauseUntil(this.#quiet.untilMs, now);
    this.#quiet = { untilMs: 0, streams: open.join() };
    // Records in flight stay due until they are claimed: ask for enough to see past them.
    const found = await store.due({ limit: this.#room(state) + this.#out.size, streams: open });
    if (isShared) this.#forgetClaimed(found);
    const room = this.#room(state);
    const fresh = found.filter(({ id }) => this.#mayWake(id)).slice(0, room);
    // Under a rate limit each record gets its own job, so that other processes can take those that this one cannot send yet.
    await this.#wake(queue, fresh, isShared && state.perSecond !== undefined);
    if (fresh.length === room) return isShared ? SHARED_LOOK_MS : LOOK_AGAIN_MS;
    const nextAt = (await store.nextDueAt(open)) ?? Number.POSITIVE_INFINITY;
    if (this.#out.size === 0) this.#quiet.untilMs = nextAt;
    return this.#pauseUntil(nextAt, now);
  }

  #pauseUntil(dueAt: number, now: number): number {
    return Math.max(10, Math.min(LOOK_AGAIN_MS, dueAt - now));
  }

  /** How many records may be woken: none while the service is down, and one as a probe when it may be back. */
  #room({ state, probeAt, perSecond = Infinity }: ServiceState): number {
    const { clock, window, isShared } = this.#deps;
    const shared = Math.min(SHARED_WINDOW, Math.ceil(perSecond * SHARED_WINDOW_SECONDS));
    const most = isShared?.() ? Math.min(window, shared) : window;
    if (state === "closed") return Math.max(0, most - this.#standing());
    if (state === "open" && (probeAt ?? 0) > clock.now()) return 0;
    return this.#standing() === 0 ? 1 : 0;
  }

  /**
   * Counts the wake-ups that take up room. While nothing is answered, lost ones do not count: otherwise a window of lost ones would
   * be the last.
   */
  #standing(): number {
    const now = performance.now();
    if (now - this.#answeredAt < WAKE_LOST_MS) return this.#out.size;
    return [...this.#out.values()].filter(({ lostAt }) => now < lostAt).length;
  }

  /** Forgets claimed records. A claim moves the due time, so a record with another due time was claimed, perhaps by another process. */
  #forgetClaimed(found: readonly DueRecord[]): void {
    const dueAt = new Map(found.map((record) => [recordName(record.id), record.dueAt]));
    for (const [name, out] of this.#out) if (dueAt.get(name) !== out.dueAt) this.#out.delete(name);
  }

  #mayWake(id: RecordId): boolean {
    const out = this.#out.get(recordName(id));
    return out === undefined || performance.now() >= out.lostAt;
  }

  async #wake(queue: Pick<Queue, "wake">, records: readonly DueRecord[], apart: boolean): Promise<void> {
    const now = performance.now();
    for (const backfill of [false, true]) {
      const some = records.filter((record) => record.backfill === backfill);
      const ids = some.map(({ id }) => id);
      if (ids.length === 0) continue;
      for (const record of some) this.#note(record, now);
      try {
        await queue.wake(ids, { backfill, apart });
      } catch (thrown) {
        for (const id of ids) this.#out.delete(recordName(id));
        throw thrown;
      }
    }
  }

  #note({ id, dueAt }: DueRecord, now: number): void {
    const name = recordName(id);
    const patienceMs = 2 * (this.#out.get(name)?.patienceMs ?? WAKE_LOST_MS / 2);
    this.#out.set(name, { lostAt: now + patienceMs, patienceMs, dueAt });
  }
}
