import { errorFacts, localTime, untilNext, type Clock, type StreamName } from "#model";
import { restoredNote, type MatchStore, type NoteStore, type RevisionStore, type Store } from "#store";
import type { Logger } from "#telemetry";
import { adoptionHold, type AdoptionGate } from "./adoption-gate.ts";
import { changeHold } from "./change-hold.ts";
import type { Held, Hold, HoldStore } from "./hold.ts";
import { StoreNews } from "./store-news.ts";

/** How often the holds are read: a command in another process takes effect within this time. */
const LOOK_MS = 1_000;

/** What a person paused until a moment. */
const pauseHold: Hold = {
  async find({ acts }, stream, now) {
    const found = await acts.pauseOf(stream);
    if (found === undefined || found.until <= now) return undefined;
    const { until, polls, by } = found;
    const what = polls ? "polls and deliveries are" : "delivery is";
    const why = by.why === undefined ? "" : `: ${by.why}`;
    return {
      kind: "pause",
      reason: `${what} paused by ${by.name} until ${localTime(until)}${why}`,
      remedy: `it continues then, or with "svcsync resume ${stream}"`,
      needsPerson: false,
      polls,
      endsAt: until,
    };
  },
};

/** What may hold a stream besides the adoption gate; the first that does is named first. */
const otherHolds: readonly Hold[] = [pauseHold, changeHold];

/** Everything that holds the stream now, from the store alone. */
export async function heldBy(store: HoldStore, stream: StreamName, now: number): Promise<Held[]> {
  return findHeld([adoptionHold, ...otherHolds], store, stream, now);
}

/** Asked for together, so that a store at the other end of a network answers once. */
async function findHeld(holds: readonly Hold[], store: HoldStore, stream: StreamName, now: number): Promise<Held[]> {
  const found = await Promise.all(holds.map((hold) => hold.find(store, stream, now)));
  return found.filter((held) => held !== undefined);
}

export interface StreamHoldsDeps {
  readonly store: HoldStore & RevisionStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: Pick<AdoptionGate, "isOpen" | "isSettled">;
  /** A stream was let through. */
  readonly released: () => void;
  /** The holds besides the gate, unless all. */
  readonly holds?: readonly Hold[];
  /** What holds besides those. */
  readonly more?: readonly Hold[];
}

/**
 * Which streams may deliver: those that the adoption gate let through and that no other hold stops. Asked before every wake-up
 * and every delivery, so it answers from memory; {@link run} keeps it up to date. Until the first look no stream may deliver.
 */
export class StreamHolds {
  readonly #deps: StreamHoldsDeps;
  readonly #holds: readonly Hold[];
  readonly #streams: readonly StreamName[];
  readonly #news: StoreNews;
  #held: ReadonlyMap<StreamName, Held> | undefined;
  #inTrouble = false;
  #looking = Promise.resolve();
  #nextLook: Promise<void> | undefined;

  constructor(deps: StreamHoldsDeps, streams: readonly StreamName[]) {
    this.#deps = deps;
    this.#holds = [...(deps.more ?? []), ...(deps.holds ?? otherHolds)];
    this.#streams = streams;
    this.#news = new StoreNews(deps.store);
  }

  /** The streams that may deliver. */
  open(): StreamName[] {
    return this.#streams.filter((stream) => !this.isHeld(stream));
  }

  isHeld(stream: StreamName): boolean {
    return this.#held === undefined || this.#held.has(stream) || !this.#deps.gate.isOpen(stream);
  }

  /** Whether a stream that was woken may deliver. Looks before it says no: another process may just have let it through. */
  async mayDeliver(stream: StreamName): Promise<boolean> {
    if (this.isHeld(stream)) await this.look();
    return !this.isHeld(stream);
  }

  /** Whether the stream may be polled. */
  mayPoll(stream: StreamName): boolean {
    return !this.#held?.get(stream)?.polls;
  }

  /** True once every stream was looked at: it may deliver, or something holds it that waiting alone does not end at once. */
  get isSettled(): boolean {
    if (this.#held === undefined || !this.#deps.gate.isSettled) return false;
    return ![...this.#held.values()].some(({ kind, needsPerson }) => kind === "change" && !needsPerson);
  }

  /**
   * Looks, and resolves once what was stored before this call takes effect. Looks go one after the other, so that no earlier one has
   * the last word; all who ask while one is under way share the next. Never throws: what is held stays held.
   */
  look(): Promise<void> {
    return (this.#nextLook ??= this.#lookNext());
  }

  async #lookNext(): Promise<void> {
    await this.#looking;
    this.#nextLook = undefined;
    await (this.#looking = this.#look());
  }

  async #look(): Promise<void> {
    const { store, clock, logger, released } = this.#deps;
    const before = this.#held;
    try {
      const now = clock.now();
      const found = await Promise.all(this.#streams.map((stream) => findHeld(this.#holds, store, stream, now)));
      const held = new Map<StreamName, Held>();
      for (const [at, stream] of this.#streams.entries()) {
        const [first] = found[at] ?? [];
        if (first) held.set(stream, first);
      }
      this.#held = held;
      // A pause ends at its time.
      if (held.size > 0) this.#news.lookAgain();
      this.#inTrouble = false;
      for (const [stream, { kind, reason }] of held)
        if (before?.get(stream)?.reason !== reason) logger.info({ stream, kind, reason }, "stream was put on hold");
      const free = [...(before?.keys() ?? [])].filter((stream) => !held.has(stream));
      for (const stream of free) logger.info({ stream }, "stream was released");
      if (free.length > 0 || before === undefined) released();
    } catch (thrown) {
      if (!this.#inTrouble) logger.warn({ err: errorFacts(thrown) }, "holds could not be read");
      this.#inTrouble = true;
      this.#news.lookAgain();
    }
  }

  /** Looks until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#news.any()) await this.look();
      await untilNext(LOOK_MS, signal);
    }
  }
}

/**
 * Holds, in replicas that do not lead, the streams that the leader's gate has not let through. The leader asks its gate itself.
 */
export function undecidedHold(store: MatchStore & NoteStore & Pick<Store, "replicas">): Hold {
  return {
    async find(_store, stream) {
      if (store.replicas.state.isLeader) return undefined;
      const [adoption, isRestored] = await Promise.all([store.adoption(stream), store.note(restoredNote)]);
      if (adoption !== undefined && isRestored !== true) return undefined;
      return {
        kind: "adoption",
        reason: "the leader has not let it through yet",
        remedy: "wait, or do what the leader's page says",
        needsPerson: false,
        polls: false,
      };
    },
  };
}
