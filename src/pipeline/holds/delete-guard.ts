import { DAY_MS, HOUR_MS, WaitError, type Clock, type StreamName } from "#model";
import type { Claim, DeliveryStore, NoteStore, OperatorStore, RecordStore } from "#store";
import type { Logger } from "#telemetry";
import { emptiedNote, guardNote } from "../notes.ts";

/** A stream with more deletions within {@link WINDOW_MS} than these settings allow needs a person's confirmation. */
export interface DeleteGuardSettings {
  /** Percent of the stream's records. */
  readonly percent: number;
  readonly count: number;
  /** This many are always allowed: one of ten records is already more than five percent. */
  readonly floor: number;
}

const WINDOW_MS = DAY_MS;
/**
 * Pause before a deletion is checked again while others are counted. Meanwhile the rest of a mass deletion is delivered, and so
 * counted.
 */
const COUNT_AGAIN_MS = 300;
/**
 * Pause before a held deletion is checked again for the first time, or after a confirmation that was given during a check. A
 * confirmation wakes waiting records, but not one that is being checked.
 */
const HELD_FIRST_MS = 2_000;
/** Pause before later checks, which notice deletions that the ERP took back. */
const HELD_AGAIN_MS = HOUR_MS;

export interface DeleteGuardDeps {
  readonly store: RecordStore &
    NoteStore &
    Pick<DeliveryStore, "announceDeletion"> &
    Pick<OperatorStore, "deletionCount">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly guard: DeleteGuardSettings;
}

/**
 * Guards all deletions, whether a flag, a feed or a sweep reported them. Before each deletion it counts the stream's open deletions
 * and those of the last 24 hours. If together they are too many, it holds all open ones.
 */
export class DeleteGuard {
  readonly #deps: DeleteGuardDeps;
  /** Streams for which held deletions were logged. */
  readonly #holding = new Set<StreamName>();

  constructor(deps: DeleteGuardDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the deletion may be carried out.
   * @throws {WaitError} E_DELETION_COUNTED while others that came with it are still to be counted, E_DELETION_HELD when they are
   * too many.
   */
  async expectAllowed(claim: Claim): Promise<void> {
    const { store, clock, guard, logger } = this.#deps;
    const { stream } = claim.id;
    const now = clock.now();
    const { confirmedAt, further } = await this.#confirmed(stream, now);
    const since = now - WINDOW_MS;
    // Any count beyond this has the same effect. Counting all of a mass deletion for each record would take hours.
    const most = Math.max(guard.floor, guard.count, further);
    const { toldAt, count, isCounted } = await store.announceDeletion(claim, { since, confirmedAt, limit: most + 1 });
    if (toldAt <= confirmedAt || count <= further) return;
    if (!isCounted)
      throw new WaitError(
        "E_DELETION_COUNTED",
        "svcsync first delivers the changes that came with this deletion, to count the deletions among them",
        { afterMs: COUNT_AGAIN_MS },
      );
    if (await isAllowed(guard, count, () => knownCount(store, stream))) {
      this.#holding.delete(stream);
      return;
    }
    if (!this.#holding.has(stream)) {
      this.#holding.add(stream);
      const all = await store.deletionCount(stream, { since, confirmedAt });
      logger.error({ stream, count: all, known: await knownCount(store, stream) }, "deletions were held by the guard");
    }
    const wasHeld = (await store.record(claim.id))?.error?.code === "E_DELETION_HELD";
    const isConfirmed = (await this.#confirmed(stream, now)).confirmedAt !== confirmedAt;
    throw new WaitError(
      "E_DELETION_HELD",
      `${count > most ? `more than ${most}` : count} deletions of ${stream} within a day are too many for the deletion guard; a person has to confirm them`,
      { afterMs: wasHeld && !isConfirmed ? HELD_AGAIN_MS : HELD_FIRST_MS },
    );
  }

  /**
   * Reads the person's confirmation. One from the future was given before the clock was set back, so it is moved to just before
   * now: it then confirms nothing that is reported from now on.
   */
  async #confirmed(stream: StreamName, now: number): Promise<{ confirmedAt: number; further: number }> {
    const { store } = this.#deps;
    const noted = await store.note(guardNote(stream));
    if (noted === undefined || noted.confirmedAt <= now) return noted ?? { confirmedAt: 0, further: 0 };
    const past = { ...noted, confirmedAt: now - 1 };
    return (await store.replaceNote(guardNote(stream), noted, past)) ? past : this.#confirmed(stream, now);
  }
}

/** Whether the guard would hold `planned` deletions of a stream. Some of them may have been counted already. Counts none itself. */
export async function wouldHoldDeletions(
  {
    store,
    clock,
    guard,
  }: Pick<DeleteGuardDeps, "clock" | "guard"> & { store: OperatorStore & RecordStore & NoteStore },
  stream: StreamName,
  planned: number,
): Promise<boolean> {
  const { confirmedAt, further } = (await store.note(guardNote(stream))) ?? { confirmedAt: 0, further: 0 };
  const told = await store.deletionCount(stream, { since: clock.now() - WINDOW_MS, confirmedAt });
  const count = told + Math.max(0, planned - (await store.openDeletions(stream, 0)).count);
  return count > further && !(await isAllowed(guard, count, () => knownCount(store, stream)));
}

async function isAllowed(
  { floor, count: most, percent }: DeleteGuardSettings,
  count: number,
  known: () => Promise<number>,
): Promise<boolean> {
  return count <= floor || (count <= most && count <= ((await known()) * percent) / 100);
}

/** Counts the stream's records that the ERP has not deleted: in the service, or to be delivered there. */
export async function knownCount(store: Pick<RecordStore, "counts">, stream: StreamName): Promise<number> {
  const counts = (await store.counts()).get(stream) ?? {};
  return Object.values(counts).reduce((sum, count) => sum + count, 0) - (counts.deleted ?? 0);
}

/** Deletions of a stream that wait for a person: the guard holds them, or the ERP shows no record at all. */
export interface HeldDeletions {
  readonly count: number;
  readonly known: number;
  readonly examples: readonly string[];
  /** Whether the ERP no longer shows any record of the stream. */
  readonly isEmptied: boolean;
}

const EXAMPLES = 20;

export async function heldDeletions(
  store: OperatorStore & RecordStore & NoteStore,
  stream: StreamName,
): Promise<HeldDeletions | undefined> {
  const known = () => knownCount(store, stream);
  const emptied = await store.note(emptiedNote(stream));
  if (emptied !== undefined) return { count: emptied, known: await known(), examples: [], isEmptied: true };
  const { count, examples } = await store.openDeletions(stream, EXAMPLES);
  if (count === 0) return undefined;
  for (const key of examples)
    if ((await store.record({ stream, key }))?.error?.code === "E_DELETION_HELD")
      return { count, known: await known(), examples, isEmptied: false };
  return undefined;
}

/** Stores a person's confirmation of the deletions that were held at the time `at`. Those are carried out, and no others. */
export async function confirmDeletions(
  store: OperatorStore & NoteStore,
  stream: StreamName,
  held: HeldDeletions,
  at: number,
): Promise<void> {
  await store.saveNote(guardNote(stream), { confirmedAt: at, further: held.isEmptied ? held.count : 0 });
  await store.retryNow({ stream, states: ["waiting"] });
}
