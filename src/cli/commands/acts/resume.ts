import { resume } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

export const registerResume: Registration = (cli) =>
  withActor(
    cli.command("resume", "Resume paused streams").argument("[streams...]", "these streams (default: all paused)"),
  ).action(cli.action(run));

/** `svcsync resume [STREAM…]`: a running daemon continues within a second. */
async function run(names: readonly string[], options: ActOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, names);
  const streams = names.length > 0 ? names : context.syncFile.streams.map(({ name }) => name);
  const resumed = await resume(context, streams, actorOf(options));
  if (options.json) printJson(io.stdout, { resumed });
  else io.stdout.write(resumed.length === 0 ? "No such stream is paused.\n" : `Resumed ${resumed.join(", ")}.\n`);
  return exitCode.ok;
}
