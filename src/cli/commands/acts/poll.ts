import { pollNow } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

export const registerPoll: Registration = (cli) =>
  withActor(
    cli.command("poll", "Have the running daemon poll these streams now").argument("<streams...>", "the streams"),
  ).action(cli.action(poll));

/** `svcsync poll STREAM…`: a running daemon polls within a second; otherwise the next daemon does when it starts. */
async function poll(streams: readonly string[], options: ActOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, streams);
  await pollNow(context, streams, actorOf(options));
  if (options.json) printJson(io.stdout, { streams });
  else
    io.stdout.write(
      `The running daemon polls ${streams.join(", ")} within a second. If none runs, the next "svcsync run" does so at its start.\n`,
    );
  return exitCode.ok;
}
