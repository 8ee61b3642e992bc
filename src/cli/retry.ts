import { recordLabel } from "#model";
import { openStoreContext, type GlobalOptions } from "./command-context.ts";
import { exitCode, type Io } from "./io.ts";
import { areKnown, unknownStream } from "./known-streams.ts";
import { parseRecord } from "./records.ts";

/** `svcsync retry [STREAM | RECORD]`: what is parked or waiting becomes due again. */
export async function retry(target: string | undefined, options: GlobalOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const id = target === undefined ? undefined : parseRecord(target);
  if (!areKnown([id?.stream ?? target], context.syncFile.streams, io)) return unknownStream;
  const scope = id ?? (target === undefined ? {} : { stream: target });
  // One that is named may also be one that a person left out before.
  const states = id ? (["parked", "waiting", "skipped"] as const) : (["parked", "waiting"] as const);
  const count = await context.store.retryNow({ ...scope, states });
  if (count === 0 && id) {
    const view = await context.store.record(id);
    const why = view ? `is ${view.state}: there is nothing to try again` : "is not in the store";
    io.stderr.write(`${recordLabel(id)} ${why}.\n`);
    return exitCode.needsPerson;
  }
  io.stdout.write(`${count} record${count === 1 ? " is" : "s are"} due again.\n`);
  return exitCode.ok;
}
