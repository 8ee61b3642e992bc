import { errorFacts, sleep, StopError, WaitError, type Clock, type StreamName } from "#model";
import type { Stream } from "#mapping";
import type { IntakeStore, NoteStore, RecordStore, RevisionStore, Store, Undecided } from "#store";
import type { Logger } from "#telemetry";
import { massConfirmedNote, massHeldNote, type MassHeld } from "../holds/mass-hold.ts";
import { StoreNews } from "../store-news.ts";
import { isTooMuch, type ChangeGuardSettings } from "./change-guard.ts";
import type { Planner } from "../plan/planner.ts";
import { RecentChanges, ROUND_MS } from "./recent-changes.ts";
import { Tally } from "../plan/tally.ts";

/** How often to look for a person's confirmation, and for rows that a command staged. */
const LOOK_MS = 1_000;
/** How often held records are planned again. Changes in the ERP may have made them few enough. */
const COUNT_AGAIN_MS = 600_000;
/** Up to this many held records are planned again as soon as one of them has changed again: that takes less than a second. */
const FEW_TO_PLAN = 2_000;
/** Pause after a plan failed because the service could not be asked for names. */
const RETRY_MS = 5_000;

type MassGuardStore = IntakeStore & RecordStore & NoteStore & RevisionStore & Pick<Store, "rounds">;

export interface MassGuardDeps {
  readonly store: MassGuardStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A round is held if it would update more bound records than both limits. 100 percent turns the guard off. */
  readonly massGuard: ChangeGuardSettings;
  readonly openPlanner: () => Promise<Planner>;
  /** Called when records became due. */
  readonly released: () => void;
  readonly stop: (error: StopError) => void;
}

/** What the poller tells the guard. */
export type PolledRounds = Pick<MassGuard, "begin" | "decide" | "end">;

/**
 * Holds the records of a round of changes in the ERP that would update too many bound records at once: another database, an export with
 * another encoding, an import gone wrong. The store stages changes of bound records as undecided, so that no claim gets one before this
 * guard has counted the round. Other records of the stream are delivered meanwhile. Decisions are made one after the other.
 */
export class MassGuard {
  readonly #deps: MassGuardDeps;
  readonly #streams: ReadonlyMap<StreamName, Stream>;
  readonly #news: StoreNews;
  readonly #recent: RecentChanges;
  readonly #polling = new Set<StreamName>();
  /** When held records are planned next, in milliseconds by a monotonic clock. Streams without an entry are planned at the next look. */
  readonly #planAt = new Map<StreamName, number>();
  /** When a round that could not be counted is counted again, by the same clock. */
  readonly #countAt = new Map<StreamName, number>();
  readonly #deciding = new Map<StreamName, Promise<void>>();

  constructor(deps: MassGuardDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = new Map(streams.map((stream) => [stream.name, stream]));
    this.#news = new StoreNews(deps.store);
    this.#recent = new RecentChanges(deps);
  }

  /** Reports that a poll begins: its rows are decided when it calls {@link decide}. */
  begin(stream: StreamName): void {
    this.#polling.add(stream);
  }

  /** Reports that the poll is over. */
  end(stream: StreamName): void {
    this.#polling.delete(stream);
  }

  /** Decides about the rows that were staged until now. Call it when all rows of a round are stored. */
  async decide(name: StreamName, signal: AbortSignal): Promise<void> {
    const stream = this.#streams.get(name);
    if (!stream) return;
    await this.#inTurn(name, async () => {
      await this.#confirmIfAsked(name);
      await this.#decide(stream, signal);
    });
  }

  /** Carries out confirmations, and decides about rows that no poll of this process staged, until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const isNews = await this.#news.any();
        const asked = [...this.#streams.values()].filter(({ name }) => isNews || this.#isDue(name));
        await Promise.all(asked.map((stream) => this.#look(stream, signal)));
      } catch (thrown) {
        if (signal.aborted) return;
        if (thrown instanceof StopError) return this.#deps.stop(thrown);
        this.#news.lookAgain();
      }
      await sleep(LOOK_MS, signal);
    }
  }

  /**
   * Runs the work after what is already being decided about the stream. If it fails, it may have done a part: held records are then planned
   * at the next look, which ends a hold that nothing is left of.
   */
  async #inTurn(name: StreamName, work: () => Promise<void>): Promise<void> {
    const mine = (this.#deciding.get(name) ?? Promise.resolve()).then(work);
    const ended = mine.catch(() => void this.#planAt.set(name, 0));
    this.#deciding.set(name, ended);
    await mine;
  }

  /** Whether the stream has to be looked at although nothing was written to the store. */
  #isDue(name: StreamName): boolean {
    return [this.#planAt, this.#countAt].some((dueAt) => (dueAt.get(name) ?? Infinity) <= performance.now());
  }

  async #look(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const { name } = stream;
    const [confirmed, held, { fresh, again }] = await Promise.all([
      store.note(massConfirmedNote(name)),
      store.note(massHeldNote(name)),
      store.rounds.undecided(name, Number.MAX_SAFE_INTEGER),
    ]);
    if (confirmed !== undefined) await this.#inTurn(name, () => this.#confirmIfAsked(name));
    const isUndecided = fresh + again > 0;
    if (!held) this.#planAt.delete(name);
    if (!isUndecided) this.#countAt.delete(name);
    // A poll has stored a part of what it reads: only its end shows what is left.
    if (this.#polling.has(name)) return;
    // A round that was never counted is planned by its decision, if that is not over.
    if (held && (held.plan !== null || !isUndecided) && isPast(this.#planAt, name))
      await this.#inTurn(name, () => this.#planAgain(stream, signal));
    if (isUndecided && isPast(this.#countAt, name)) await this.decide(name, signal);
  }

  /** Releases what the person saw. Later changes of the same records are still undecided, and stay so. */
  async #confirmIfAsked(name: StreamName): Promise<void> {
    const { store, logger } = this.#deps;
    const confirmed = await store.note(massConfirmedNote(name));
    if (confirmed === undefined) return;
    const held = await store.note(massHeldNote(name));
    if (confirmed === held?.plan) {
      const count = await this.#release(name);
      logger.info({ stream: name, count }, "mass change was confirmed");
    } else logger.warn({ stream: name, plan: confirmed }, "confirmed mass change was outdated");
    // Not before it was carried out: a confirmation outlives this process. A newer one stays.
    await store.replaceNote(massConfirmedNote(name), confirmed, undefined);
  }

  async #decide(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, released } = this.#deps;
    const { name } = stream;
    const { sequence: upTo } = await store.stream(name);
    const round = await store.rounds.undecided(name, upTo);
    const count = round.fresh + round.again;
    if (count === 0) return;
    const held = await store.note(massHeldNote(name));
    const found = await this.#count(stream, round, signal);
    if (typeof found === "object") return await this.#hold(name, found, { before: held, upTo });
    this.#countAt.delete(name);
    // A count includes what was held before: all of it is few now.
    const keepHeld = held !== undefined && held.plan !== null && found === "few rows";
    await this.#recent.add(name, keepHeld ? round.fresh : count);
    await store.rounds.decide(name, { kind: "letThrough", upTo, keepHeld });
    if (held && !keepHeld) return await this.#takeBack(name);
    // The ERP may be going back to the old values row by row.
    if (held && round.again > 0 && held.updates <= FEW_TO_PLAN) this.#planAt.set(name, 0);
    released();
  }

  /** Returns what a person has to confirm, or why the round is no mass change. */
  async #count(
    stream: Stream,
    { fresh, again }: Undecided,
    signal: AbortSignal,
  ): Promise<MassHeld | "few rows" | "few updates"> {
    const { store, massGuard } = this.#deps;
    const { name } = stream;
    const recent = await this.#recent.count(name);
    const rows = fresh + again + recent;
    // From the cheapest question to the dearest. Applied records are bound, so they are never more than the bound ones.
    if (massGuard.percent >= 100 || rows <= massGuard.count) return "few rows";
    const applied = (await store.counts(["applied"])).get(name)?.applied ?? 0;
    if (!isTooMuch(massGuard, { updates: rows, known: applied })) return "few rows";
    const bound = await store.rounds.boundCount(name);
    if (!isTooMuch(massGuard, { updates: rows, known: bound })) return "few rows";
    try {
      const since = this.#deps.clock.now() - ROUND_MS;
      const written = recent === 0 ? 0 : Math.min(recent, await store.rounds.updatedCount(name, since));
      const plan = await this.#plan(stream, signal);
      if (!isTooMuch(massGuard, { updates: plan.updates + written, known: bound })) return "few updates";
      return { ...plan, bound };
    } catch (thrown) {
      if (signal.aborted || thrown instanceof StopError) throw thrown;
      this.#deps.logger.warn({ stream: name, err: errorFacts(thrown) }, "mass change could not be counted yet");
      return { plan: null, updates: rows, bound };
    }
  }

  /** Counts the undecided and held records that would be updated: a row may change in columns that are not mapped. */
  async #plan({ name, fingerprint }: Stream, signal: AbortSignal): Promise<{ plan: string; updates: number }> {
    const planner = await this.#deps.openPlanner();
    const tally = new Tally(name, fingerprint);
    for await (const planned of planner.plan(name, signal)) tally.add(planned);
    return { plan: tally.id, updates: tally.guarded };
  }

  async #hold(
    name: StreamName,
    found: MassHeld,
    { before, upTo }: { readonly before: MassHeld | undefined; readonly upTo: number },
  ): Promise<void> {
    const { store, logger } = this.#deps;
    if (found.plan === null) {
      this.#countAt.set(name, performance.now() + RETRY_MS);
      // An earlier round stays held with its plan. Its records must not pass for ones that were never counted.
      return before === undefined || before.plan === null ? store.saveNote(massHeldNote(name), found) : undefined;
    }
    await store.saveNote(massHeldNote(name), found);
    await store.rounds.decide(name, { kind: "hold", upTo });
    await this.#recent.clear(name);
    this.#countAt.delete(name);
    this.#planAt.set(name, performance.now() + COUNT_AGAIN_MS);
    const error = new WaitError(
      "E_MASS_CHANGE",
      `the ERP changed ${found.updates.toLocaleString("en")} of ${found.bound.toLocaleString("en")} bound records of ${name} at once; "svcsync plan ${name}" shows them`,
      { details: found },
    );
    logger.error({ stream: name, err: error }, "mass change was held by the guard");
  }

  /** Keeps the plan's id: a person may still confirm it, because only single records have changed. */
  async #planAgain(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, massGuard, logger } = this.#deps;
    const { name } = stream;
    const held = await store.note(massHeldNote(name));
    if (!held) return;
    try {
      const { updates, plan } = await this.#plan(stream, signal);
      if (this.#polling.has(name)) return void this.#planAt.set(name, 0);
      this.#planAt.set(name, performance.now() + COUNT_AGAIN_MS);
      const bound = await store.rounds.boundCount(name);
      if (massGuard.percent >= 100 || !isTooMuch(massGuard, { updates, known: bound }))
        return await this.#takeBack(name);
      if (updates !== held.updates || held.plan === null)
        await store.saveNote(massHeldNote(name), { plan: held.plan ?? plan, updates, bound });
    } catch (thrown) {
      if (signal.aborted || thrown instanceof StopError) throw thrown;
      this.#planAt.set(name, performance.now() + RETRY_MS);
      logger.warn({ stream: name, err: errorFacts(thrown) }, "mass change could not be counted yet");
    }
  }

  async #takeBack(name: StreamName): Promise<void> {
    const count = await this.#release(name);
    this.#deps.logger.info({ stream: name, count }, "mass change was taken back");
  }

  async #release(name: StreamName): Promise<number> {
    const { store, released } = this.#deps;
    const count = await store.rounds.decide(name, { kind: "release" });
    await store.saveNote(massHeldNote(name), undefined);
    await this.#recent.clear(name);
    this.#planAt.delete(name);
    released();
    return count;
  }
}

/** True also where nothing is set. */
function isPast(times: ReadonlyMap<StreamName, number>, name: StreamName): boolean {
  return (times.get(name) ?? 0) <= performance.now();
}

/** Stores a person's confirmation of a held round. The daemon, or the next sync, carries it out. */
export async function confirmMassChange(store: NoteStore, stream: StreamName, plan: string): Promise<void> {
  await store.saveNote(massConfirmedNote(stream), plan);
}
