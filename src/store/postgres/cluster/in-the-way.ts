import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { sleep, type StopError } from "#model";
import type { Standby, WaitReason } from "../../contract/index.ts";
import { storeBusy } from "../../refusals.ts";
import type { PostgresPlace } from "../connection/link.ts";

const LOOK_MS = 250;

/** A daemon that another one must wait for, and until when it counts as alive. */
export interface InTheWay {
  readonly holder: string;
  readonly name: string;
  readonly until: string;
}

/** A daemon in the way and why this one cannot work beside it. */
export interface Obstacle extends InTheWay {
  readonly why: WaitReason;
}

/** Begins the holder of the daemon's lease while it changes the tables. No replica has such a token. */
const CHANGER = "changes/";

export function changerToken(): string {
  return CHANGER + randomUUID();
}

export function isChanger({ holder }: InTheWay): boolean {
  return holder.startsWith(CHANGER);
}

export function processName(): string {
  return `process ${process.pid} on ${hostname()}`;
}

/**
 * Waits until no other daemon is in the way: until dead daemons expire, until one that changes the tables is done and, with `standby`, until
 * live ones end.
 * @throws {StopError} E_STORE_BUSY, with its name, when a live daemon is in the way.
 */
export async function untilFree(
  place: PostgresPlace,
  ask: () => Promise<Obstacle | undefined>,
  standby: Standby | undefined,
): Promise<void> {
  let first: Obstacle | undefined;
  await using waiting = new Waiting(place, standby);
  for (let found = await ask(); found !== undefined; found = await ask()) {
    first ??= found;
    const isAlive = found.holder !== first.holder || found.until !== first.until;
    if (isAlive) await waiting.waitFor(found);
    await sleep(LOOK_MS, standby?.signal);
    standby?.signal.throwIfAborted();
  }
}

/** What is said about the wait for live daemons: for whom and why, as it is now. */
class Waiting implements AsyncDisposable {
  readonly #place: PostgresPlace;
  readonly #standby: Standby | undefined;
  #said: Obstacle | undefined;
  #shown: AsyncDisposable | undefined;

  constructor(place: PostgresPlace, standby: Standby | undefined) {
    this.#place = place;
    this.#standby = standby;
  }

  async waitFor(found: Obstacle): Promise<void> {
    const { name, why } = found;
    if (this.#standby === undefined) {
      // A change of the tables takes a moment and ends without an operator.
      if (why !== "tablesChange") throw busy(this.#place, found);
      return;
    }
    if (this.#said?.name === name && this.#said.why === why) return;
    await this[Symbol.asyncDispose]();
    this.#said = found;
    this.#shown = await this.#standby.waits(name, why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shown?.[Symbol.asyncDispose]();
    this.#shown = undefined;
  }
}

function busy({ schema }: PostgresPlace, { name, why }: Obstacle): StopError {
  const wanted = why === "otherTables" ? "toChange" : "toRun";
  return storeBusy(`the schema ${schema}`, name, wanted, { details: { schema } });
}
