import { recordLabel, type RecordId } from "#model";
import type { OperatorStore, RecordStore } from "#store";
import { parseRecord } from "../../arguments.ts";
import type { Registration } from "../../command.ts";
import { openStoreContext, type GlobalOptions } from "../../command-context.ts";
import { exitCode } from "../../output/exit-code.ts";
import type { Io } from "../../output/io.ts";
import { eachRecord } from "../../each-record.ts";
import { printJson } from "../../output/json.ts";
import { areKnown, unknownStream } from "../../known-streams.ts";

interface RetryOptions extends GlobalOptions {
  /** Those alone that met this error. */
  readonly code?: string;
  readonly json?: boolean;
}

export const registerRetry: Registration = (cli) =>
  cli
    .command(
      "retry",
      "Retry parked and waiting records: a running daemon does so within seconds, otherwise the next sync",
    )
    .argument("[target]", "a stream, or one record as stream/key (default: everything)")
    .option("--code <code>", "only those that met this error")
    .option("--json", "as JSON")
    .action(cli.action(retry));

/** `svcsync retry [STREAM | RECORD]`: what is parked or waiting becomes due again. */
async function retry(target: string | undefined, options: RetryOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const id = target === undefined ? undefined : parseRecord(target);
  if (!areKnown([id?.stream ?? target], context.syncFile.streams, io)) return unknownStream;
  const scope = id ?? (target === undefined ? {} : { stream: target });
  // One that is named may also be one that a person left out before.
  const states = id ? (["parked", "waiting", "skipped"] as const) : (["parked", "waiting"] as const);
  const { code } = options;
  const count =
    code === undefined
      ? await context.store.retryNow({ ...scope, states })
      : await retryGroup(context.store, id ? { stream: id.stream } : scope, code);
  if (count === 0 && id) {
    const view = await context.store.record(id);
    const why = view ? `is ${view.state}: there is nothing to try again` : "is not in the store";
    io.stderr.write(`${recordLabel(id)} ${why}.\n`);
    return exitCode.needsPerson;
  }
  if (options.json) printJson(io.stdout, { due: count });
  else io.stdout.write(`${count} record${count === 1 ? " is" : "s are"} due again.\n`);
  return exitCode.ok;
}

async function retryGroup(
  store: Pick<RecordStore, "records"> & Pick<OperatorStore, "retryNow">,
  scope: { readonly stream?: string },
  code: string,
): Promise<number> {
  const states = ["parked", "waiting"] as const;
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { ...scope, states })) if (error?.code === code) ids.push(id);
  let count = 0;
  for (const id of ids) count += await store.retryNow({ ...id, states });
  return count;
}
