import {
  counted,
  errorFacts,
  ParkError,
  RetryError,
  sleep,
  StopError,
  WaitError,
  type Clock,
  type StreamName,
} from "#model";
import type { Stream } from "#mapping";
import type { Service } from "#service";
import type { NoteStore } from "#store";
import type { Logger } from "#telemetry";
import type { DeleteGuardSettings } from "../holds/delete-guard.ts";
import { changeConfirmedNote, changeHeldNote, type ChangeHeld } from "../holds/change-hold.ts";
import { massConfirmedNote, massHeldNote } from "../holds/mass-hold.ts";
import { Planner, type PlannerDeps } from "../plan/planner.ts";

/** How often to check for a person's confirmation. */
const LOOK_MS = 500;
/** How often a held stream is planned again without a confirmation. Changes in the ERP may have made the update small enough. */
const COUNT_AGAIN_MS = 600_000;
/** Pause after a plan failed because the service could not be asked for names. */
const RETRY_MS = 5_000;

/** A changed mapping needs a person's confirmation if it updates more records of a stream than both limits. */
export interface ChangeGuardSettings {
  /** Percent of the stream's records. */
  readonly percent: number;
  readonly count: number;
}

/** What a changed mapping, not delivered yet, would update among the records that were written before. */
export interface PlannedChange {
  readonly id: string;
  readonly updates: number;
  /** Records of the stream that the ERP has not deleted. */
  readonly known: number;
}

export interface ChangeGuardDeps {
  readonly store: PlannerDeps["store"];
  readonly service: Pick<Service, "lookup">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly changeGuard: ChangeGuardSettings;
  readonly guard: DeleteGuardSettings;
  /** Counts the written records that the stream's changed mapping would update. */
  readonly plan: (planner: Planner, stream: Stream, signal: AbortSignal) => Promise<PlannedChange>;
  /** Called when records became due. */
  readonly released: () => void;
  readonly stop: (error: StopError) => void;
}

/**
 * Lets a changed mapping through unless it would update too many records that were written before. Then the whole stream is held,
 * new rows included, until a person confirms the plan or corrects the sync file. A first load is never held.
 */
export class ChangeGuard {
  readonly #deps: ChangeGuardDeps;
  readonly #streams: readonly Stream[];
  /** Streams whose changed mapping was not let through yet, and when each is planned next, in milliseconds by a monotonic clock. */
  readonly #pending = new Map<Stream, number>();

  constructor(deps: ChangeGuardDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams;
  }

  /** Holds the streams whose mapping changed, before anything is delivered. Ends the holds of mappings that were changed back. */
  async begin(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => this.#begin(stream)));
  }

  /** Checks the held streams until none is left or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#pending.size > 0) {
      for (const [stream, dueAt] of this.#pending) await this.#look(stream, dueAt, signal);
      await sleep(LOOK_MS, signal);
    }
  }

  async #begin(stream: Stream): Promise<void> {
    const { store, logger } = this.#deps;
    const { name, fingerprint } = stream;
    const [{ fingerprint: known }, held] = await Promise.all([store.stream(name), store.note(changeHeldNote(name))]);
    if (known === undefined || known === fingerprint) {
      if (held) {
        await store.saveNote(changeHeldNote(name), undefined);
        logger.info({ stream: name }, "changed mapping was taken back");
      }
      await store.remap(name, fingerprint);
      return;
    }
    this.#pending.set(stream, 0);
    await this.#hold(stream, {
      fingerprint,
      reason: "its mapping changed, and svcsync is counting the updates",
      remedy: "wait; you have to decide only if there are many",
      plan: null,
    });
  }

  /** Plans the stream if a person confirmed a plan or its next plan is due. */
  async #look(stream: Stream, dueAt: number, signal: AbortSignal): Promise<void> {
    const { store, logger, changeGuard, released } = this.#deps;
    const { name, fingerprint } = stream;
    try {
      const confirmed = await store.note(changeConfirmedNote(name));
      const isAnswered = confirmed?.fingerprint === fingerprint;
      if (!isAnswered && performance.now() < dueAt) return;
      const change = await this.#deps.plan(await this.openPlanner(), stream, signal);
      if (!isTooMuch(changeGuard, change, isAnswered ? confirmed.updates : 0)) {
        // The confirmed plan included what the mass-change guard holds. First, because what follows ends the confirmation.
        const mass = isAnswered ? await store.note(massHeldNote(name)) : undefined;
        if (mass?.plan) await store.saveNote(massConfirmedNote(name), mass.plan);
        const count = await store.remap(name, fingerprint);
        await store.saveNote(changeHeldNote(name), undefined);
        await store.saveNote(changeConfirmedNote(name), undefined);
        this.#pending.delete(stream);
        logger.info({ stream: name, count }, "mapping changed, records are mapped again");
        return released();
      }
      if (isAnswered) await store.saveNote(changeConfirmedNote(name), undefined);
      this.#pending.set(stream, performance.now() + COUNT_AGAIN_MS);
      const hold = holdFor(stream, change);
      await this.#hold(stream, hold);
      const error = new WaitError("E_CHANGE_GUARD", `${hold.reason}; ${hold.remedy}`, {
        details: { plan: change.id, updates: change.updates, known: change.known },
      });
      logger.error({ stream: name, err: error }, "changed mapping was held by the guard");
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof StopError) return this.#deps.stop(thrown);
      this.#pending.set(stream, performance.now() + RETRY_MS);
      logger.warn({ stream: name, err: errorFacts(thrown) }, "changed mapping could not be planned yet");
    }
  }

  /** Opens a planner that asks the service for names that were never read. Without them every record would seem to change. */
  openPlanner(): Promise<Planner> {
    const names: PlannerDeps["names"] = async (...of) => {
      try {
        return await this.#deps.service.lookup(...of);
      } catch (thrown) {
        if (thrown instanceof ParkError || thrown instanceof StopError) throw thrown;
        // The error does not concern the record, so it must not count the record as not updated.
        const { code, message } = errorFacts(thrown);
        throw new RetryError(code, message, { cause: thrown });
      }
    };
    return Planner.open({ ...this.#deps, names }, this.#streams);
  }

  #hold({ name }: Stream, hold: ChangeHeld): Promise<void> {
    return this.#deps.store.saveNote(changeHeldNote(name), hold);
  }
}

/** Whether a person has to confirm the change. `meant` is how many updates were confirmed. */
export function isTooMuch(
  { percent, count }: ChangeGuardSettings,
  { updates, known }: Pick<PlannedChange, "updates" | "known">,
  meant = 0,
): boolean {
  const further = updates - meant;
  return further > count && further > (known * percent) / 100;
}

function holdFor({ name, fingerprint }: Stream, { id, updates, known }: PlannedChange): ChangeHeld {
  return {
    fingerprint,
    reason: `its changed mapping would update ${updates.toLocaleString("en")} of ${counted(known, "record")}, more than the change guard allows`,
    remedy: `"svcsync plan ${name}" shows them; "svcsync plan --confirm ${id}" writes them. Or correct the sync file and restart`,
    plan: id,
  };
}

/** Stores a person's confirmation of a plan. The daemon, or the next sync, carries it out. */
export async function confirmChange(
  store: NoteStore,
  stream: StreamName,
  { fingerprint, updates }: { readonly fingerprint: string; readonly updates: number },
): Promise<void> {
  await store.saveNote(changeConfirmedNote(stream), { fingerprint, updates });
}
