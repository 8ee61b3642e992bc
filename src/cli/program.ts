import { Command, CommanderError } from "commander";
import { version } from "#daemon";
import type { CommandLine, Registration } from "./command.ts";
import { registerAdopt } from "./commands/acts/adopt.ts";
import { registerDeletions } from "./commands/acts/deletions.ts";
import { registerForget } from "./commands/acts/forget.ts";
import { registerPause } from "./commands/acts/pause.ts";
import { registerGroups } from "./commands/acts/groups.ts";
import { registerPoll } from "./commands/acts/poll.ts";
import { registerReread } from "./commands/acts/reread.ts";
import { registerResolve } from "./commands/acts/resolve.ts";
import { registerResume } from "./commands/acts/resume.ts";
import { registerRetry } from "./commands/acts/retry.ts";
import { registerSkip } from "./commands/acts/skip.ts";
import { registerUnbind } from "./commands/acts/unbind.ts";
import { registerWatch } from "./commands/acts/watch.ts";
import { registerBackup } from "./commands/maintenance/backup.ts";
import { registerBundle } from "./commands/maintenance/bundle.ts";
import { registerMove } from "./commands/maintenance/move.ts";
import { registerNotify } from "./commands/maintenance/notify.ts";
import { registerRebuild } from "./commands/maintenance/rebuild.ts";
import { registerReconcile } from "./commands/maintenance/reconcile.ts";
import { registerRun } from "./commands/running/run.ts";
import { registerSync } from "./commands/running/sync.ts";
import { registerCheck } from "./commands/setup/check.ts";
import { registerPagePassword } from "./commands/setup/page-password.ts";
import { registerPeek } from "./commands/setup/peek.ts";
import { registerSandbox } from "./commands/setup/sandbox.ts";
import { registerSchema } from "./commands/setup/schema.ts";
import { registerTest } from "./commands/setup/test.ts";
import { registerExplain } from "./commands/views/explain.ts";
import { registerPlan } from "./commands/views/plan.ts";
import { registerHistory } from "./commands/views/history.ts";
import { registerRecords } from "./commands/views/records.ts";
import { registerStatus } from "./commands/views/status.ts";
import { registerDemo } from "./demo/index.ts";
import { registerInit } from "./init/index.ts";
import { failureCode, failureText, isSettingsError } from "./output/failure-text.ts";
import { exitCode, exitCodes } from "./output/exit-code.ts";
import { safeIo, type Io, type ProcessIo } from "./output/io.ts";

/** In the order in which the help lists them. */
const registrations: readonly Registration[] = [
  registerInit,
  registerRun,
  registerSync,
  registerCheck,
  registerStatus,
  registerRecords,
  registerGroups,
  registerExplain,
  registerWatch,
  registerHistory,
  registerPeek,
  registerTest,
  registerPlan,
  registerRetry,
  registerSkip,
  registerResolve,
  registerUnbind,
  registerForget,
  registerAdopt,
  registerReconcile,
  registerDeletions,
  registerPoll,
  registerReread,
  registerPause,
  registerResume,
  registerBackup,
  registerBundle,
  registerMove,
  registerRebuild,
  registerPagePassword,
  registerNotify,
  registerSchema,
  registerSandbox,
  registerDemo,
];

/**
 * Runs one command line and resolves to the exit code. Never throws: what a command threw is one clear message on stderr.
 */
export async function runCommand(argv: readonly string[], processIo: ProcessIo): Promise<number> {
  const io = safeIo(processIo);
  let code: number = exitCode.ok;
  const program = new Command("svcsync")
    .description("Keep a service system in sync with an ERP.")
    .version(version)
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
  for (const register of registrations) register(cli);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    return failed(thrown, io);
  }
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
${exitCodes.map(({ code, meaning }) => `  ${String(code).padEnd(4)}${meaning}`).join("\n")}
`;

function failed(thrown: unknown, io: Io): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.ok : exitCode.usage;
  io.stderr.write(failureText(thrown));
  if (isSettingsError(thrown))
    io.stderr.write(
      'Correct it, then "svcsync check"; .env.example and docs/sync-file.md explain every word, "svcsync init" writes the first files.\n',
    );
  return failureCode(thrown);
}
