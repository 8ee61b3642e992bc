import {
  Bell,
  counted,
  errorEntry,
  errorFacts,
  errorText,
  sleep,
  StopError,
  WaitError,
  type ErrorFacts,
  type StreamName,
} from "#model";
import type { Stream } from "#mapping";
import { comparisonNote, type IntakeStore, type MatchStore, type NoteStore, restoredNote } from "#store";
import type { Logger } from "#telemetry";
import type { Hold } from "./hold.ts";
import type { LeftOutRecords } from "../compare/left-out.ts";
import type { Matcher } from "../match/matcher.ts";
import { ruleName } from "../match/natural-key.ts";
import { closedNote, heldNote, type HoldCause } from "../notes.ts";
import type { RestoredRecords } from "../compare/restored-records.ts";
import type { StoreAge } from "../compare/store-age.ts";

/** How often the gate checks held streams for a decision. */
const LOOK_AGAIN_MS = 5_000;
/** How often the gate checks while every stream is open. */
const IDLE_MS = 60_000;

export interface AdoptionGateDeps {
  readonly store: MatchStore & NoteStore & Pick<IntakeStore, "stream">;
  readonly matcher: Matcher;
  readonly age: Pick<StoreAge, "compare">;
  /** Compares a stream's bound records with the service after the store was put back. */
  readonly restored: Pick<RestoredRecords, "compare">;
  /** Finds records that were left out and that the service has by now. */
  readonly leftOut: Pick<LeftOutRecords, "look">;
  readonly logger: Logger;
  /** How long after a write the service's lists may not show it yet, in milliseconds. */
  readonly settleMs: number;
  /** Called when a stream was let through. */
  readonly opened: () => void;
  readonly stop: (error: StopError) => void;
}

/** Reads the hold that the gate stored for a stream. None once a person has decided, although the gate opens the stream a moment later. */
export const adoptionHold: Hold = {
  async find(store, stream) {
    const held = await store.note(heldNote(stream));
    if (!held || (await store.stream(stream)).adoption !== undefined) return undefined;
    const { isTemporary = false, ...cause } = held;
    return { kind: "adoption", ...cause, needsPerson: !isTemporary, polls: false };
  },
};

/**
 * Holds back the deliveries of a stream until it is clear what the service already holds. An empty resource (or one
 * whose records are all bound already) opens automatically; a resource with records of unknown origin waits for
 * `svcsync adopt`, so that nothing is created beside what exists. After a restore every stream first waits until the service
 * shows what was written before. A stream whose records cannot be found again is held too.
 */
export class AdoptionGate {
  readonly #deps: AdoptionGateDeps;
  readonly #streams: readonly Stream[];
  readonly #undecided: Map<StreamName, Stream>;
  readonly #open = new Set<StreamName>();
  readonly #held = new Map<StreamName, ErrorFacts>();
  readonly #bell = new Bell();
  #unsettledCode: ErrorFacts["code"] | undefined;

  constructor(deps: AdoptionGateDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams;
    this.#undecided = new Map(streams.map((stream) => [stream.name, stream]));
  }

  /** Whether the stream's existing records are known. */
  isOpen(stream: StreamName): boolean {
    return this.#open.has(stream);
  }

  /** True once every stream was checked: it is open, or held because a person must decide or the service could not be asked. */
  get isSettled(): boolean {
    return [...this.#undecided.keys()].every((name) => this.#held.has(name));
  }

  /** Makes the gate check now, after a person decided in this process. */
  decided(): void {
    this.#bell.ring();
  }

  /** Checks the undecided streams until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    let isSettled = false;
    while (!signal.aborted) {
      isSettled ||= await this.#restoreHasSettled(signal);
      // In parallel: one after another would add up the pauses of empty resources.
      if (isSettled) await Promise.all([...this.#undecided.values()].map((stream) => this.#look(stream, signal)));
      await this.#bell.wait(this.#undecided.size > 0 ? LOOK_AGAIN_MS : IDLE_MS, signal);
    }
  }

  /**
   * Holds an open stream whose match fields the service does not keep, so that created records cannot be found again. It stays held
   * across restarts until the sync file names other match fields or a person confirms the stream.
   */
  async close(stream: Stream, error: WaitError): Promise<void> {
    const { store, logger } = this.#deps;
    const hold = {
      reason: error.message,
      remedy: `correct match and fields of ${stream.name} in the sync file, then "svcsync adopt ${stream.name} --confirm"`,
    };
    this.#open.delete(stream.name);
    await store.saveNote(closedNote(stream.name), { rules: ruleNames(stream), reason: hold.reason });
    await store.decideAdoption(stream.name, undefined);
    await this.#hold(stream, hold, error);
    this.#undecided.set(stream.name, stream);
    logger.error({ stream: stream.name, resource: stream.resource, err: error }, "stream was held");
    this.#bell.ring();
  }

  /**
   * Returns true if the store was not restored. Otherwise the service first gets time to show what was written before that, and the
   * bound records are compared with it. Until then no stream delivers. The check needs the queue, but so does every delivery.
   */
  async #restoreHasSettled(signal: AbortSignal): Promise<boolean> {
    const { store, age, logger, settleMs } = this.#deps;
    try {
      await age.compare();
      const notes = await Promise.all([restoredNote, comparisonNote].map((note) => store.note(note)));
      if (!notes.includes(true)) return true;
      await this.#sayRestored();
      logger.info({ settleMs }, "store was restored, deliveries wait for the service's lists");
      await sleep(settleMs, signal);
      for (const stream of this.#streams) await this.#compare(stream, signal);
      if (signal.aborted) return false;
      for (const note of [restoredNote, comparisonNote]) await store.saveNote(note, undefined);
      return true;
    } catch (thrown) {
      if (thrown instanceof StopError) this.#deps.stop(thrown);
      else this.#sayUnsettled(errorFacts(thrown));
      return false;
    }
  }

  async #compare(stream: Stream, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const count = await this.#deps.restored.compare(stream, signal);
    this.#deps.logger.info({ stream: stream.name, count }, "restored records were compared with the service");
  }

  /** Makes `status` show the wait. A stream that is held for another reason keeps that reason. */
  async #sayRestored(): Promise<void> {
    const { store, settleMs } = this.#deps;
    const hold = {
      reason:
        "the store was restored to an earlier state and does not know the records created since then (E_STORE_RESTORED)",
      remedy: `wait ${Math.ceil(settleMs / 1_000)} s; svcsync then reads which records the service holds, compares those that it knows, and asks you about the others`,
    };
    for (const name of this.#undecided.keys()) await store.replaceNote(heldNote(name), undefined, hold);
  }

  /** Logs once per cause, because the gate asks every few seconds. */
  #sayUnsettled(error: ErrorFacts): void {
    if (this.#unsettledCode !== error.code) this.#deps.logger.warn({ err: error }, "streams could not be opened yet");
    this.#unsettledCode = error.code;
  }

  async #look(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, matcher, logger } = this.#deps;
    try {
      if ((await store.stream(stream.name)).adoption) return await this.#letThrough(stream, signal);
      if (this.#isForPerson(stream)) return;
      const closed = await store.note(closedNote(stream.name));
      if (closed?.rules === ruleNames(stream)) return this.#stayClosed(stream, closed.reason);
      const foreign = await matcher.survey(stream, signal);
      if (foreign === 0) {
        await store.decideAdoption(stream.name, "empty");
        return await this.#letThrough(stream, signal);
      }
      const hold = holdFor(stream, foreign, await matcher.blindFields(stream));
      const error = new WaitError("E_ADOPTION_NEEDED", `${hold.reason}; ${hold.remedy}`, {
        details: { count: foreign },
      });
      await this.#hold(stream, hold, error);
      logger.error({ stream: stream.name, resource: stream.resource, count: foreign, err: error }, "stream was held");
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof StopError) return this.#deps.stop(thrown);
      await this.#sayUnopened(stream, errorFacts(thrown));
    }
  }

  /** Logs once per cause, as above. Stores the note first, like {@link #hold}. */
  async #sayUnopened(stream: Stream, error: ErrorFacts): Promise<void> {
    if (this.#held.get(stream.name)?.code !== error.code) {
      this.#deps.logger.warn({ stream: stream.name, err: error }, "stream could not be opened yet");
      await this.#deps.store.saveNote(heldNote(stream.name), unopened(stream, error)).catch(() => {});
    }
    this.#held.set(stream.name, error);
  }

  async #letThrough(stream: Stream, signal: AbortSignal): Promise<void> {
    const { store, leftOut, opened } = this.#deps;
    await leftOut.look(stream.name, signal);
    if (await store.note(heldNote(stream.name))) await store.saveNote(heldNote(stream.name), undefined);
    if (await store.note(closedNote(stream.name))) await store.saveNote(closedNote(stream.name), undefined);
    this.#undecided.delete(stream.name);
    this.#held.delete(stream.name);
    this.#open.add(stream.name);
    opened();
  }

  #isForPerson({ name }: Stream): boolean {
    const code = this.#held.get(name)?.code;
    return code === "E_ADOPTION_NEEDED" || code === "E_MATCH_DROPPED";
  }

  /** Keeps the stream held as {@link close} left it. */
  #stayClosed({ name }: Stream, reason: string): void {
    this.#held.set(name, errorFacts(new WaitError("E_MATCH_DROPPED", reason)));
  }

  /** Stores the note first: once the gate is settled, others may ask why this stream is held. */
  async #hold(stream: Stream, { reason, remedy }: HoldCause, error: WaitError): Promise<void> {
    await this.#deps.store.saveNote(heldNote(stream.name), { reason, remedy });
    this.#held.set(stream.name, errorFacts(error));
  }
}

function holdFor({ name, resource, match, create }: Stream, count: number, blind: readonly string[]): HoldCause {
  const reason = `${resource} already holds ${counted(count, "record")} that svcsync does not know`;
  if (match.length === 0)
    return {
      reason,
      remedy: `the stream has no match rule: add one, or, if none of them comes from the ERP, "svcsync adopt ${name} --create-all"`,
    };
  if (blind.length > 0)
    return {
      reason: `${reason}, and none of them has a value in ${blind.join(", ")}`,
      remedy: blindRemedy(name, create),
    };
  const others = create === "never" ? "leaves out" : "creates";
  return {
    reason,
    remedy: `"svcsync adopt ${name}" shows which of them match records of the ERP; "--confirm" adopts those and ${others} the others`,
  };
}

function unopened({ resource }: Stream, error: ErrorFacts): HoldCause {
  return {
    reason: `svcsync cannot find out which records of ${resource} the service holds: ${errorText(error)}`,
    remedy: `svcsync asks again every few seconds, and "svcsync explain ${error.code}" shows what to do`,
    isTemporary: errorEntry(error.code)?.heals ?? false,
  };
}

/** The remedy if no record of the service has a value in a match field. */
export function blindRemedy(stream: StreamName, create: Stream["create"]): string {
  if (create === "never")
    return `correct the field's name in match, or, if it is right, "svcsync adopt ${stream} --confirm" leaves records out until the service has them`;
  return `correct the field's name in match, or, if none of them comes from the ERP, "svcsync adopt ${stream} --create-all"`;
}

/** The names of the stream's match rules, as one text. */
export function ruleNames({ match }: Stream): string {
  return match.map(ruleName).join(";");
}
