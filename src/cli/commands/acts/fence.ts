import { counted } from "#model";
import { unknownMember } from "#operator";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

export const registerFence: Registration = (cli) =>
  withActor(
    cli
      .command("fence", "Take over from a dead replica at once, instead of after eight seconds of silence")
      .argument("<replica>", 'its name, as "svcsync replicas" lists it, in quotes if it has spaces'),
  ).action(cli.action(run));

/** `svcsync fence NAME`: for a person who knows that the replica's machine is dead. */
async function run(name: string, options: ActOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const count = await context.store.cluster.fence(name, commandActor(options));
  if (count === 0) throw unknownMember(name);
  if (options.json) printJson(io.stdout, { fenced: name, count });
  else io.stdout.write(`Fenced ${counted(count, "replica")} called ${name}: others take over its work.\n`);
  return exitCode.ok;
}
