import { Command, CommanderError } from "commander";
import { versionText } from "#telemetry";
import type { CommandLine, Registration } from "./command-context.ts";
import { failureCode, failureText, settingsAdvice } from "./output/failure-text.ts";
import { exitCode, exitCodes, safeIo, type Io, type ProcessIo } from "./output/io.ts";

/** The command of an act that the register has. */
const anAct = (name: string) => async (): Promise<Registration> => {
  const { registerActs } = await import("./act-command.ts");
  return (cli) => registerActs(cli, (each) => each === name);
};

/** In the order of the help. Only the requested command is imported: importing all takes 100 ms and 5 MB more. */
const commands: ReadonlyMap<string, () => Promise<Registration>> = new Map([
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

/**
 * Runs one command line and resolves to the exit code. Never throws: an error of a command becomes one clear message on
 * stderr.
 */
export async function runCommand(argv: readonly string[], processIo: ProcessIo): Promise<number> {
  const io = safeIo(processIo);
  let code: number = exitCode.ok;
  const program = new Command("svcsync")
    .description("Keep a service system in sync with an ERP.")
    .version(versionText())
    .option(
      "--env-file <path>",
      "file with settings; the process environment takes precedence (default: .env if there is one)",
    )
    .configureOutput({ writeOut: (text) => io.ownWords.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(svcsync --help lists the commands)")
    .exitOverride()
    .addHelpText("after", () => helpEnd);
  const cli: CommandLine = {
    command: (name, description) =>
      program.command(name).description(description).showHelpAfterError(`(svcsync ${name} --help explains it)`),
    action:
      (run) =>
      async (...given) => {
        const command: unknown = given.at(-1);
        if (!(command instanceof Command)) throw new TypeError("an action is given its command last");
        const all: unknown[] = [...command.processedArgs, command.optsWithGlobals(), io];
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the library parsed what the registration declared
        code = await run(...(all as never[]));
      },
  };
  for (const load of loadersOf(argv)) (await load())(cli);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    return failed(thrown, io);
  }
}

/** Commands of acts without a place of their own in the help. */
async function otherActs(): Promise<Registration> {
  const { registerActs } = await import("./act-command.ts");
  return (cli) => registerActs(cli, (each) => !commands.has(each));
}

/** The command that is named first; all of them where it tells of the others, as a help text does; none for the version. */
function loadersOf(argv: readonly string[]): Iterable<() => Promise<Registration>> {
  const name = argv[0] === "--env-file" ? argv[2] : argv[0];
  if (name === "--version" || name === "-V") return [];
  const named = name === undefined || name === "completion" ? undefined : commands.get(name);
  return named === undefined ? [...commands.values(), otherActs] : [named];
}

const helpEnd = `
Getting started:
  svcsync init                        writes the settings for your ERP
  svcsync check                       verifies the settings before anything is written
  svcsync run                         runs the daemon
  svcsync status                      shows how far each stream is and what needs attention
  svcsync explain customers/10023     shows why one record is the way it is
Settings come from the environment; .env.example lists all of them.
Exit codes, the same in every command:
${exitCodes.map(([code, meaning]) => `  ${String(code).padEnd(4)}${meaning}`).join("\n")}
`;

function failed(thrown: unknown, io: Io): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.ok : exitCode.usage;
  if (io.signal.aborted && thrown === io.signal.reason) {
    io.stderr.write("Stopped before the end, as asked.\n");
    return exitCode.again;
  }
  io.stderr.write(failureText(thrown));
  io.stderr.write(settingsAdvice(thrown));
  return failureCode(thrown);
}
