import { errorFacts, localTime, untilNext, type Clock, type StreamName } from "#model";
import { comparisonNote, restoredNote, type NoteStore, type RevisionStore, type Store } from "#store";
import type { Logger } from "#telemetry";
import { adoptionHold, type AdoptionGate } from "./adoption-gate.ts";
import { changeHold } from "./change-hold.ts";
import { mailHold } from "./mail-hold.ts";
import { massHold } from "./mass-hold.ts";
import type { Held, Hold, HoldStore } from "./hold.ts";
import { StoreNews } from "../store-news.ts";

/** How often the holds are read: a command in another process takes effect within this time. */
const LOOK_MS = 1_000;

/** The hold of a stream that a person paused until a certain time. */
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

/** The holds of whole streams besides the adoption gate. If several apply, the first one is reported first. */
const otherHolds: readonly Hold[] = [pauseHold, changeHold, mailHold];

/** Returns all holds of the stream now, from the store alone. */
export async function heldBy(store: HoldStore, stream: StreamName, now: number): Promise<Held[]> {
  return findHeld([adoptionHold, ...otherHolds, massHold], store, stream, now);
}

/** Reads the holds in parallel: one round trip to a remote store. */
async function findHeld(holds: readonly Hold[], store: HoldStore, stream: StreamName, now: number): Promise<Held[]> {
  const found = await Promise.all(holds.map((hold) => hold.find(store, stream, now)));
  return found.filter((held) => held !== undefined);
}

export interface StreamHoldsDeps {
  readonly store: HoldStore & RevisionStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gate: Pick<AdoptionGate, "isOpen" | "isSettled">;
  /** Called when a stream was let through. */
  readonly released: () => void;
  /** The holds besides the gate. Default: all. */
  readonly holds?: readonly Hold[];
  /** Additional holds. They are reported first. */
  readonly more?: readonly Hold[];
}

/**
 * Knows which streams may deliver: those that the adoption gate let through and that no other hold stops. It is asked before every
 * wake-up and every delivery, so it answers from memory, which {@link run} keeps up to date. Before the first look no stream may
 * deliver.
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

  open(): StreamName[] {
    return this.#streams.filter((stream) => !this.isHeld(stream));
  }

  isHeld(stream: StreamName): boolean {
    return this.#held === undefined || this.#held.has(stream) || !this.#deps.gate.isOpen(stream);
  }

  /**
   * Whether a stream that was woken may deliver. Reads the holds again before it answers no: another process may have just released
   * it.
   */
  async mayDeliver(stream: StreamName): Promise<boolean> {
    if (this.isHeld(stream)) await this.look();
    return !this.isHeld(stream);
  }

  mayPoll(stream: StreamName): boolean {
    return !this.#held?.get(stream)?.polls;
  }

  /** True once every stream was checked: it may deliver, or it is held by something that does not end soon without action. */
  get isSettled(): boolean {
    if (this.#held === undefined || !this.#deps.gate.isSettled) return false;
    return ![...this.#held.values()].some(
      ({ kind, needsPerson, isCounting }) => isCounting === true || (kind === "change" && !needsPerson),
    );
  }

  /**
   * Reads the holds, and resolves once everything stored before this call has taken effect. Reads run one after the other, so that
   * an older one never wins, and calls during a read share the next one. Never throws: after an error, held streams stay held.
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
      // A pause ends without a write to the store.
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

  /** Reads the holds after each write to the store, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#news.any()) await this.look();
      await untilNext(LOOK_MS, signal);
    }
  }
}

/** Holds, in processes that do not lead, the streams that the leader's gate has not let through. The leader asks its gate directly. */
export function undecidedHold(store: NoteStore & Pick<Store, "cluster" | "stream">): Hold {
  return {
    async find(_store, stream) {
      if (store.cluster.state.isLeader) return undefined;
      const [{ adoption }, ...restored] = await Promise.all([
        store.stream(stream),
        store.note(restoredNote),
        store.note(comparisonNote),
      ]);
      if (adoption !== undefined && !restored.includes(true)) return undefined;
      return {
        kind: "adoption",
        reason: "the leader has not released it yet",
        remedy: "wait, or follow the leader's status page",
        needsPerson: false,
        polls: false,
      };
    },
  };
}
