import { Bell, errorFacts, msUntilNext, recordName, type Clock, type RecordId, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { Service, ServiceState } from "#service";
import type { DueRecord, RevisionStore, ScheduleStore } from "#store";
import type { Logger } from "#telemetry";
import { StoreNews } from "./store-news.ts";

/** The longest the relay sleeps: something may have become due by another process's word (`svcsync retry`). */
const LOOK_AGAIN_MS = 1_000;
/** How often it looks while other processes deliver, too: it learns of their deliveries from the store alone. */
const SHARED_LOOK_MS = 100;
/**
 * Wake-ups that no process has claimed then, at most, also by what the service lets pass: one that holds more keeps them from others that
 * could deliver them.
 */
const SHARED_WINDOW = 128;
const SHARED_WINDOW_SECONDS = 2;
/**
 * A wake-up that was not delivered after this is given again, in case the queue lost it; then after twice as long, and
 * so on, since it may merely wait behind a slow service.
 */
const WAKE_LOST_MS = 30_000;

/** A wake-up that was sent and not yet answered by a delivery. Its times are monotonic. */
interface WakeUp {
  readonly lostAt: number;
  readonly patienceMs: number;
  readonly dueAt: number;
}

export interface RelayDeps {
  readonly store: ScheduleStore & RevisionStore;
  readonly queue: Pick<Queue, "wake">;
  readonly service: Pick<Service, "state">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The streams that may deliver now; one that waits for a decision is left out. */
  readonly streams: () => readonly StreamName[];
  /** Wake-ups that may be out at once; bounds the memory of the queue and the head start of a backfill. */
  readonly window: number;
  /** Whether other processes deliver, too. */
  readonly isShared?: () => boolean;
}

/**
 * Carries what the store says is due to the queue, one wake-up per record at a time and never more than a window of them:
 * live changes overtake a backfill at the window's edge, and a queue that was emptied is filled again.
 */
export class Relay {
  readonly #deps: RelayDeps;
  readonly #out = new Map<string, WakeUp>();
  readonly #bell = new Bell();
  readonly #news: StoreNews;
  /** Nothing of these streams is due before then, unless the store is written to. */
  #quiet = { untilMs: 0, streams: "" };
  #answeredAt = performance.now();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#news = new StoreNews(deps.store);
  }

  /** Something became due: look now. */
  nudge(): void {
    this.#bell.ring();
  }

  /** A wake-up came up, whatever became of it. */
  answered(id: RecordId): void {
    this.#answeredAt = performance.now();
    this.#out.delete(recordName(id));
    // Refilling at half a window keeps the queue busy without a query per delivery.
    if (this.#out.size <= this.#deps.window / 2) this.nudge();
  }

  /** The queue has lost its wake-ups: all of them are given again. */
  forget(): void {
    this.#out.clear();
    this.nudge();
  }

  /** Wake-ups that are out. */
  get outstanding(): number {
    return this.#out.size;
  }

  /** Runs until the signal is aborted. Trouble with queue or store is logged once per outage and waited out. */
  async run(signal: AbortSignal): Promise<void> {
    let inTrouble = false;
    while (!signal.aborted) {
      let pauseMs = LOOK_AGAIN_MS;
      try {
        pauseMs = await this.#turn();
        if (inTrouble) this.#deps.logger.info({}, "relay resumed");
        inTrouble = false;
      } catch (thrown) {
        if (!inTrouble) this.#deps.logger.warn({ err: errorFacts(thrown) }, "relay waited for the queue");
        inTrouble = true;
      }
      await this.#bell.wait(Math.min(pauseMs, msUntilNext(LOOK_AGAIN_MS)), signal);
    }
  }

  async #turn(): Promise<number> {
    const { store, queue, service, streams, clock } = this.#deps;
    const state = service.state();
    // What is woken now would only wait for the end of the pause.
    if (state.holdMs > 0) return Math.min(LOOK_AGAIN_MS, state.holdMs);
    const isShared = this.#deps.isShared?.() === true;
    if (!isShared && this.#room(state) === 0) return LOOK_AGAIN_MS;
    const open = streams();
    if (open.length === 0) return LOOK_AGAIN_MS;
    const now = clock.now();
    if (!(await this.#news.any()) && now < this.#quiet.untilMs && this.#quiet.streams === open.join())
      return this.#pauseUntil(this.#quiet.untilMs, now);
    this.#quiet = { untilMs: 0, streams: open.join() };
    // Records in flight are still due until they are claimed: ask for enough to see past them.
    const found = await store.due({ limit: this.#room(state) + this.#out.size, streams: open });
    if (isShared) this.#forgetClaimed(found);
    const room = this.#room(state);
    const fresh = found.filter(({ id }) => this.#mayWake(id)).slice(0, room);
    // What one process cannot send yet is another one's to take.
    await this.#wake(queue, fresh, isShared && state.perSecond !== undefined);
    if (fresh.length === room) return isShared ? SHARED_LOOK_MS : LOOK_AGAIN_MS;
    const nextAt = (await store.nextDueAt(open)) ?? Number.POSITIVE_INFINITY;
    if (this.#out.size === 0) this.#quiet.untilMs = nextAt;
    return this.#pauseUntil(nextAt, now);
  }

  #pauseUntil(dueAt: number, now: number): number {
    return Math.max(10, Math.min(LOOK_AGAIN_MS, dueAt - now));
  }

  /** How many may be woken: nothing while the service is down, one as a probe when it may be back. */
  #room({ state, probeAt, perSecond = Infinity }: ServiceState): number {
    const { clock, window, isShared } = this.#deps;
    const shared = Math.min(SHARED_WINDOW, Math.ceil(perSecond * SHARED_WINDOW_SECONDS));
    const most = isShared?.() ? Math.min(window, shared) : window;
    if (state === "closed") return Math.max(0, most - this.#standing());
    if (state === "open" && (probeAt ?? 0) > clock.now()) return 0;
    return this.#standing() === 0 ? 1 : 0;
  }

  /** Wake-ups that take up room: in a silence, those given up for lost do not, or a lost window would be the last. */
  #standing(): number {
    const now = performance.now();
    if (now - this.#answeredAt < WAKE_LOST_MS) return this.#out.size;
    return [...this.#out.values()].filter(({ lostAt }) => now < lostAt).length;
  }

  /** A claim moves the due time: what is no longer due as it was woken has been claimed, perhaps by another process. */
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
