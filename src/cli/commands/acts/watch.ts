import { InvalidArgumentError, Option } from "commander";
import { localTime, recordLabel, type RecordId } from "#model";
import { duration, longestWatchMs, recordWord, watchRecord } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { recordArgument } from "../../arguments.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { durationArgument } from "../../moment.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

interface WatchOptions extends ActOptions {
  /** Milliseconds from now. */
  readonly for: number;
}

const TEN_MINUTES_MS = 600_000;

export const registerWatch: Registration = (cli) =>
  withActor(
    cli
      .command("watch", "Record the requests and answers of one record for a while; explain and its page show them")
      .addArgument(recordArgument())
      .addOption(
        new Option("--for <duration>", "how long, as 10m or 2h, up to 1d")
          .argParser(watchArgument)
          .default(TEN_MINUTES_MS, "10m"),
      ),
  ).action(cli.action(run));

function watchArgument(text: string): number {
  const forMs = durationArgument(text);
  if (forMs > longestWatchMs) throw new InvalidArgumentError("expected up to 1d");
  return forMs;
}

/** `svcsync watch RECORD --for 10m`: makes a running daemon keep the record's requests to the service and the answers. */
async function run(id: RecordId, { for: forMs, ...options }: WatchOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [id.stream]);
  const { until, isKnown } = await watchRecord(context, { id, forMs }, actorOf(options));
  if (options.json) printJson(io.stdout, { id, endsAt: until, isKnown });
  else
    io.stdout.write(
      `Watching ${recordLabel(id)} until ${localTime(until)}, for ${duration(forMs)}: a running daemon keeps its requests and answers.
${isKnown ? "" : "No poll has returned this key yet: its first delivery will be kept.\n"}"svcsync explain ${recordWord(id)}" shows them.
`,
    );
  return exitCode.ok;
}
