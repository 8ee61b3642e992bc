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
import type { DeleteGuardSettings } from "../poll/delete-guard.ts";
import { changeConfirmedNote, changeHeldNote, type ChangeHeld } from "../wake/change-hold.ts";
import { Planner, type PlannerDeps } from "./planner.ts";

/** How often a person's word is looked for. */
const LOOK_MS = 500;
/** How often a stream that is held is planned again, without a person's word: the ERP may have made the change small. */
const COUNT_AGAIN_MS = 600_000;
/** The pause after the service could not be asked for names. */
const RETRY_MS = 5_000;

/** A changed mapping that updates more records of a stream than both needs a person's word. */
export interface ChangeGuardSettings {
  /** Of the stream's records. */
  readonly percent: number;
  readonly count: number;
}

/** The updates of records that were written before, by a mapping that has not been delivered yet. */
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
  /** Counts what the stream's changed mapping would update of what was written before. */
  readonly plan: (planner: Planner, stream: Stream, signal: AbortSignal) => Promise<PlannedChange>;
  /** Records became due. */
  readonly released: () => void;
  readonly stop: (error: StopError) => void;
}

/**
 * Lets a changed mapping through, record by record, unless it would update too many that were written before: its stream is
 * then held, new rows included, until a person confirms the plan or the sync file is corrected. A first load is never held.
 */
export class ChangeGuard {
  readonly #deps: ChangeGuardDeps;
  readonly #streams: readonly Stream[];
  /** Streams whose mapping was not let through yet, and when each is planned next, by a monotonic clock. */
  readonly #pending = new Map<Stream, number>();

  constructor(deps: ChangeGuardDeps, streams: readonly Stream[]) {
    this.#deps = deps;
    this.#streams = streams;
  }

  /** Holds the streams whose mapping changed, before anything is delivered; ends the holds of those that were corrected. */
  async begin(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => this.#begin(stream)));
  }

  /** Looks at the streams that are held until none is, or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#pending.size > 0) {
      for (const [stream, dueAt] of this.#pending) await this.#look(stream, dueAt, signal);
      await sleep(LOOK_MS, signal);
    }
  }

  async #begin(stream: Stream): Promise<void> {
    const { store, logger } = this.#deps;
    const { name, fingerprint } = stream;
    const [known, held] = await Promise.all([store.fingerprint(name), store.note(changeHeldNote(name))]);
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
      reason: "its mapping changed, and the updates that follow from it are being counted",
      remedy: "wait; a person is asked only if there are many",
      plan: null,
    });
  }

  /** Plans the stream when a person answered or its time has come. */
  async #look(stream: Stream, dueAt: number, signal: AbortSignal): Promise<void> {
    const { store, logger, changeGuard, released } = this.#deps;
    const { name, fingerprint } = stream;
    try {
      const confirmed = await store.note(changeConfirmedNote(name));
      const isAnswered = confirmed?.fingerprint === fingerprint;
      if (!isAnswered && performance.now() < dueAt) return;
      const change = await this.#deps.plan(await this.openPlanner(), stream, signal);
      if (!isTooMuch(changeGuard, change, isAnswered ? confirmed.updates : 0)) {
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

  /** A planner that asks the service for names that were never read: without them every record would seem to change. */
  openPlanner(): Promise<Planner> {
    const names: PlannerDeps["names"] = async (...of) => {
      try {
        return await this.#deps.service.lookup(...of);
      } catch (thrown) {
        if (thrown instanceof ParkError || thrown instanceof StopError) throw thrown;
        // Not the record's affair, and no reason to count it as one that is not updated.
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

/** Whether a person has to confirm the change; `meant`: so many updates were confirmed. */
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

/** A person's word that this plan is meant: the daemon, or the next sync, writes it. */
export async function confirmChange(
  store: NoteStore,
  stream: StreamName,
  { fingerprint, updates }: { readonly fingerprint: string; readonly updates: number },
): Promise<void> {
  await store.saveNote(changeConfirmedNote(stream), { fingerprint, updates });
}
