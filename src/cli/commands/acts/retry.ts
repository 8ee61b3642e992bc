import { parseRecord, recordLabel } from "#model";
import { knownRecord, retry, retryGroup, type RetryInput } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration, type StoreContext } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface RetryOptions extends ActOptions {
  /** Only records that met this error. */
  readonly code?: string;
  /** The id of a group of records with the same cause. */
  readonly group?: string;
}

export const registerRetry: Registration = (cli) =>
  withActor(
    cli
      .command(
        "retry",
        "Retry parked and waiting records: a running daemon does so within seconds, otherwise the next sync",
      )
      .argument("[target]", "a stream, or one record as stream/key (default: everything)")
      .option("--code <code>", "only records with this error")
      .option("--group <id>", "the records of one cause, as svcsync groups lists them"),
  ).action(cli.action(run));

/** `svcsync retry [STREAM | RECORD]`: makes parked and waiting records due again. */
async function run(target: string | undefined, options: RetryOptions, io: Io): Promise<number> {
  if (options.group !== undefined && (target !== undefined || options.code !== undefined))
    throw new UsageError("--group names the records: leave the target and --code out.");
  const id = target === undefined ? undefined : parseRecord(target);
  const stream = id?.stream ?? target;
  await using context = await openStoreContext(options, io, [stream]);
  const count = await retried(context, { stream, key: id?.key, code: options.code }, options);
  if (count === 0 && id) {
    const { state } = await knownRecord(context.store, id);
    io.stderr.write(`${recordLabel(id)} is ${state}: there is nothing to try again.\n`);
    return exitCode.needsPerson;
  }
  if (options.json) printJson(io.stdout, { due: count });
  else io.stdout.write(`${count} record${count === 1 ? " is" : "s are"} due again.\n`);
  return exitCode.ok;
}

async function retried(context: StoreContext, input: RetryInput, options: RetryOptions): Promise<number> {
  const by = actorOf(options);
  if (options.group === undefined) return retry(context, input, by);
  const streams = context.syncFile.streams.map(({ name }) => name);
  return retryGroup(context, streams, options.group, by);
}
