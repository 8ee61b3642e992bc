import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { programFile } from "#model";
import type { Registration } from "./command-context.ts";

type CommandLoader = () => Promise<Registration>;

/** The command of an act that the register has. */
const anAct = (name: string) => async (): Promise<Registration> => {
  const { registerActs } = await import("./act-command.ts");
  return (cli) => registerActs(cli, (each) => each === name);
};

/** In the order of the help. Only the requested command is imported: importing all takes 300 ms and 60 MB more. */
const loaders: ReadonlyMap<string, CommandLoader> = new Map([
  ["init", async () => (await import("./init/index.ts")).registerInit],
  ["run", async () => (await import("./commands/running/run.ts")).registerRun],
  ["sync", async () => (await import("./commands/running/sync.ts")).registerSync],
  ["apply", async () => (await import("./commands/running/apply.ts")).registerApply],
  ["check", async () => (await import("./commands/setup/check.ts")).registerCheck],
  ["status", async () => (await import("./commands/views/status.ts")).registerStatus],
  ["replicas", async () => (await import("./commands/views/replicas.ts")).registerReplicas],
  ["records", async () => (await import("./commands/views/records.ts")).registerRecords],
  ["groups", async () => (await import("./commands/acts/groups.ts")).registerGroups],
  ["explain", async () => (await import("./commands/views/explain.ts")).registerExplain],
  ["watch", anAct("watch")],
  ["history", async () => (await import("./commands/views/history.ts")).registerHistory],
  ["compare", async () => (await import("./commands/setup/compare.ts")).registerCompare],
  ["views", async () => (await import("./commands/setup/views.ts")).registerViews],
  ["peek", async () => (await import("./commands/setup/peek.ts")).registerPeek],
  ["test", async () => (await import("./commands/setup/test.ts")).registerTest],
  ["plan", async () => (await import("./commands/views/plan.ts")).registerPlan],
  ["retry", anAct("retry")],
  ["skip", anAct("skip")],
  ["resolve", async () => (await import("./commands/acts/resolve.ts")).registerResolve],
  ["unbind", anAct("unbind")],
  ["forget", anAct("forget")],
  ["fence", async () => (await import("./commands/acts/fence.ts")).registerFence],
  ["adopt", async () => (await import("./commands/acts/adopt.ts")).registerAdopt],
  ["reconcile", async () => (await import("./commands/maintenance/reconcile.ts")).registerReconcile],
  ["deletions", async () => (await import("./commands/acts/deletions.ts")).registerDeletions],
  ["files", async () => (await import("./commands/acts/files.ts")).registerFiles],
  ["returns", async () => (await import("./commands/returns/returns.ts")).registerReturns],
  ["poll", anAct("poll")],
  ["reread", anAct("reread")],
  ["pause", anAct("pause")],
  ["resume", anAct("resume")],
  ["backup", async () => (await import("./commands/maintenance/backup.ts")).registerBackup],
  ["bundle", async () => (await import("./commands/maintenance/bundle.ts")).registerBundle],
  ["rename-stream", async () => (await import("./commands/maintenance/rename-stream.ts")).registerRenameStream],
  ["move", async () => (await import("./commands/maintenance/move.ts")).registerMove],
  ["rebuild", async () => (await import("./commands/maintenance/rebuild.ts")).registerRebuild],
  ["page-password", async () => (await import("./commands/setup/page-password.ts")).registerPagePassword],
  ["notify", async () => (await import("./commands/maintenance/notify.ts")).registerNotify],
  ["mcp", async () => (await import("./commands/running/mcp.ts")).registerMcp],
  ["schema", async () => (await import("./commands/setup/schema.ts")).registerSchema],
  ["completion", async () => (await import("./commands/setup/completion.ts")).registerCompletion],
  ["sandbox", async () => (await import("./commands/setup/sandbox.ts")).registerSandbox],
  ["demo", async () => (await import("./demo/index.ts")).registerDemo],
]);

/** Commands of acts without a place of their own in the help. */
async function otherActs(): Promise<Registration> {
  const { registerActs } = await import("./act-command.ts");
  return (cli) => registerActs(cli, (each) => !loaders.has(each));
}

/** Every command, in the order of the help. */
export function allCommands(): Promise<readonly Registration[]> {
  return Promise.all([...loaders.values(), otherActs].map((load) => load()));
}

/** The command of this name, if it has a place of its own in the help. */
export async function commandNamed(name: string | undefined): Promise<Registration | undefined> {
  return name === undefined ? undefined : loaders.get(name)?.();
}

/** What a list of all commands shows of one. */
const outline = z.object({ name: z.string(), usage: z.string(), description: z.string() });

/** The outlines that the build wrote, so that the help loads no command. Undefined where the sources run. */
export function builtOutlines(): readonly z.infer<typeof outline>[] | undefined {
  const file = programFile("commands.json");
  return existsSync(file) ? z.array(outline).parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
}
