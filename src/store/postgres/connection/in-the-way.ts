import { hostname } from "node:os";
import { sleep } from "#model";
import type { Standby } from "../../contract/index.ts";
import { storeBusy } from "../../refusals.ts";
import type { PostgresPlace } from "./link.ts";

const LOOK_MS = 250;

/** A daemon that another one must wait for, and until when it counts as alive. */
export interface InTheWay {
  readonly holder: string;
  readonly name: string;
  readonly until: string;
}

export function processName(): string {
  return `process ${process.pid} on ${hostname()}`;
}

/**
 * Waits until no other daemon is in the way: until dead daemons expire and, with `standby`, until live ones end.
 * @throws {StopError} E_STORE_BUSY, with its name, when a live daemon is in the way.
 */
export async function untilFree(
  { schema }: PostgresPlace,
  ask: () => Promise<InTheWay | undefined>,
  standby: Standby | undefined,
  wanted: "toRun" | "toChange" = "toRun",
): Promise<void> {
  let first: InTheWay | undefined;
  let waiting: AsyncDisposable | undefined;
  await using _waiting = { [Symbol.asyncDispose]: async () => waiting?.[Symbol.asyncDispose]() };
  for (let found = await ask(); found !== undefined; found = await ask()) {
    first ??= found;
    if (found.holder !== first.holder || found.until !== first.until) {
      if (standby === undefined) throw storeBusy(`the schema ${schema}`, found.name, wanted, { details: { schema } });
      waiting ??= await standby.waits(found.name);
    }
    await sleep(LOOK_MS, standby?.signal);
    standby?.signal.throwIfAborted();
  }
}
