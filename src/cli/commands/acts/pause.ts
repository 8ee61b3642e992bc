import { localTime } from "#model";
import { duration, pause, type StreamPause } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { durationArgument, momentArgument } from "../../moment.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface PauseOptions extends ActOptions {
  /** The instant at which the pause ends. */
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

/**
 * `svcsync pause STREAM… --until TIME`: a running daemon stops within a second; one that is started meanwhile respects
 * the pause.
 */
async function run(streams: readonly string[], options: PauseOptions, io: Io): Promise<number> {
  const { until: moment, for: lastsMs, polls = false } = options;
  if ((moment === undefined) === (lastsMs === undefined))
    throw new UsageError("Set the end of the pause: --until 18:00, or --for 2h.");
  await using context = await openStoreContext(options, io, streams);
  const now = context.store.clock.now();
  const until = moment ?? now + lastsMs!;
  const paused = await pause(context, { streams, until, polls }, actorOf(options));
  const endsAt = Math.min(...paused.map((each) => each.until));
  if (options.json) printJson(io.stdout, { paused: streams, endsAt, polls: paused.every((each) => each.polls) });
  else io.stdout.write(`${asText(paused, until, polls, now)}"svcsync resume ${streams.join(" ")}" ends it earlier.\n`);
  return exitCode.ok;
}

function asText(paused: readonly StreamPause[], until: number, polls: boolean, now: number): string {
  const lasts = (end: number) => `until ${localTime(end)}, in ${duration(end - now)}`;
  const isAsMeant = (each: StreamPause) => each.until === until && each.polls === polls;
  const names = paused.filter(isAsMeant).map(({ stream }) => stream);
  const lines = paused
    .filter((each) => !isAsMeant(each))
    .map((each) => {
      const what = each.polls ? "is paused and not polled" : "is paused";
      return `${each.stream} ${what} ${lasts(each.until)}: an earlier pause counts too.\n`;
    });
  if (names.length > 0)
    lines.unshift(
      `Paused ${names.join(", ")} ${lasts(until)}; ${polls ? "they are not polled either" : "they are still polled"}.\n`,
    );
  return lines.join("");
}
