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
  const count = await context.store.retryNow({ ...scope, states: ["parked", "waiting"] });
  io.stdout.write(`${count} record${count === 1 ? " is" : "s are"} due again.\n`);
  return count === 0 && id ? exitCode.needsPerson : exitCode.ok;
}
