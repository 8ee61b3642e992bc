import { systemClock } from "#model";
import { roughDuration, memberState } from "#operator";
import { openStoreContext, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";

export const registerReplicas: Registration = (cli) =>
  cli
    .command("replicas", "List the daemons that share the store: which one leads, and what each one does")
    .option("--json", "one line of JSON per replica")
    .action(cli.action(replicas));

const heads = ["replica", "state", "version", "running for", "requests at once", "heard of"];

/** `svcsync replicas`: reads the store, so it needs no daemon. */
async function replicas(options: JsonOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const now = systemClock.now();
  const found = await context.store.cluster.members();
  if (options.json) for (const replica of found) printJson(io.stdout, replica);
  else if (found.length === 0)
    io.stdout.write("No daemon works on a shared store now. Only a store in PostgreSQL (STORE_URL) can be shared.\n");
  else
    io.stdout.write(
      table(
        heads,
        found.map((replica) => [
          replica.name,
          memberState(replica),
          replica.version,
          roughDuration(now - replica.startedAt),
          replica.share ?? "all",
          `${roughDuration(Math.max(0, now - replica.seenAt))} ago`,
        ]),
      ),
    );
  return exitCode.ok;
}
