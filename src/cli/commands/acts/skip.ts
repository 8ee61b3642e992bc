import { parseRecord, counted, oneLine } from "#model";
import { skip } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface SkipOptions extends ActOptions {
  /** Only records of the stream that met this error. */
  readonly code?: string;
}

export const registerSkip: Registration = (cli) =>
  withActor(
    cli
      .command("skip", "Leave a record out until the ERP changes it, or all records of a stream with the same error")
      .argument("<target>", "one record as stream/key, or a stream with --code")
      .option("--code <code>", "the records of the stream with this error"),
  ).action(cli.action(run));

/** `svcsync skip RECORD`, `svcsync skip STREAM --code CODE`: leaves records out until the ERP changes them. */
async function run(target: string, options: SkipOptions, io: Io): Promise<number> {
  const id = parseRecord(target);
  await using context = await openStoreContext(options, io, [id?.stream ?? target]);
  if (id === undefined && options.code === undefined)
    throw new UsageError(
      `Give the group with --code, as "svcsync records ${target}" shows it, or one record as stream/key.`,
    );
  const input = id ?? { stream: target, code: options.code! };
  const { skipped: count, refused } = await skip(context, input, actorOf(options));
  for (const { error } of refused) io.stderr.write(`${oneLine(error.message)} (${error.code})\n`);
  if (options.json) printJson(io.stdout, { skipped: count, refused: refused.length });
  else io.stdout.write(`${counted(count, "record")} left out until the ERP changes ${count === 1 ? "it" : "them"}.\n`);
  return refused.length === 0 && count > 0 ? exitCode.ok : exitCode.needsPerson;
}
