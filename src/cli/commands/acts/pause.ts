import { localTime } from "#model";
import { duration, pause } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { durationArgument, momentArgument } from "../../moment.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface PauseOptions extends ActOptions {
  /** The instant at which it ends. */
  readonly until?: number;
  /** Milliseconds from now. */
  readonly for?: number;
  readonly polls?: boolean;
}

export const registerPause: Registration = (cli) =>
  withActor(
    cli
      .command("pause", "Pause deliveries of these streams until a given time; they then resume automatically")
      .argument("<streams...>", "the streams")
      .option("--until <time>", "when it ends, for example 18:00 or 2026-11-22 18:00", momentArgument)
      .option("--for <duration>", "how long it lasts, for example 30m, 2h or 1d", durationArgument)
      .option("--polls", "also stop polling the ERP for them"),
  ).action(cli.action(run));

/** `svcsync pause STREAM… --until TIME`: a running daemon stops within a second, one that is started meanwhile does not begin. */
async function run(streams: readonly string[], options: PauseOptions, io: Io): Promise<number> {
  const { until: moment, for: lastsMs, polls = false } = options;
  if ((moment === undefined) === (lastsMs === undefined))
    throw new UsageError("Say when the pause ends: --until 18:00, or --for 2h.");
  await using context = await openStoreContext(options, io, streams);
  const { store } = context;
  const now = store.clock.now();
  const until = moment ?? now + lastsMs!;
  await pause({ store, clock: store.clock }, { streams, until, polls }, actorOf(options));
  if (options.json) printJson(io.stdout, { paused: streams, endsAt: until, polls });
  else
    io.stdout.write(
      `Paused ${streams.join(", ")} until ${localTime(until)}, in ${duration(until - now)}; ${polls ? "they are not polled either" : "they are still polled"}.
"svcsync resume ${streams.join(" ")}" ends it earlier.
`,
    );
  return exitCode.ok;
}
