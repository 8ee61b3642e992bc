import { restoredNote } from "#store";
import { withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type GlobalOptions, type Registration } from "../../command-context.ts";
import { expectNewFile } from "../../output/new-file.ts";
import { exitCode, type Io } from "../../output/io.ts";
import { adopt, type AdoptOptions } from "../acts/adopt.ts";
import { sync } from "../running/sync.ts";

interface RebuildOptions extends ActOptions {
  readonly confirm?: boolean;
  readonly csv?: string;
}

export const registerRebuild: Registration = (cli) =>
  withActor(
    cli
      .command("rebuild", "Rebuild a lost store by matching the ERP's records with the service's")
      .option("--csv <file>", "write the whole list")
      .option("--confirm", "bind records that match, create new records"),
  ).action(cli.action(rebuild));

/**
 * `svcsync rebuild`: rebuilds a lost store. It reads the whole ERP, matches its records with the service's, and binds
 * them after `--confirm`. Only fields that differ are written. With --json, each step is a line.
 */
async function rebuild(options: RebuildOptions, io: Io): Promise<number> {
  if (await hasBindings(options, io)) {
    io.stderr.write("The store already has bindings; rebuild is for a new store after the old one was lost.\n");
    return exitCode.needsPerson;
  }
  if (options.csv !== undefined) await expectNewFile("--csv", options.csv);
  await expectLateLists(options, io);
  if (!options.json) io.stdout.write("Reading the ERP and the service …\n\n");
  const polled = await sync(options, io);
  if (polled === exitCode.stopped) return polled;
  const adoptOptions: AdoptOptions = options;
  const planned = await adopt([], adoptOptions, io, "svcsync rebuild");
  if (!options.confirm) return planned;
  if (!options.json) io.stdout.write("\nBinding …\n\n");
  return sync(options, io);
}

/** The service's lists may not show yet what the lost store wrote last, so the streams are opened after the settle time. */
async function expectLateLists(options: GlobalOptions, io: Io): Promise<void> {
  await using context = await openStoreContext(options, io);
  await context.store.saveNote(restoredNote, true);
}

async function hasBindings(options: GlobalOptions, io: Io): Promise<boolean> {
  await using context = await openStoreContext(options, io);
  for (const { name } of context.syncFile.streams) {
    const applied = await context.store.records({ stream: name, states: ["applied"], limit: 1 });
    if (applied.length > 0) return true;
  }
  return false;
}
