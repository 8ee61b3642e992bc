import { Command, CommanderError } from "commander";
import { versionText } from "#telemetry";
import type { CommandLine } from "./command-context.ts";
import { allCommands, builtOutlines, commandNamed } from "./command-list.ts";
import { failureCode, failureText, settingsAdvice } from "./output/failure-text.ts";
import { exitCode, exitCodes, safeIo, type Io, type ProcessIo } from "./output/io.ts";

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
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
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
  try {
    await addCommands(cli, argv);
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    return failed(thrown, io);
  }
}

/** Adds the command that is named, or all of them. For a list of all, such as the help, what the build wrote of them is enough. */
async function addCommands(cli: CommandLine, argv: readonly string[]): Promise<void> {
  const name = commandIn(argv);
  if (name !== "completion") {
    const named = await commandNamed(name);
    if (named) return named(cli);
    const outlines = builtOutlines();
    if (outlines?.every((each) => each.name !== name))
      return outlines.forEach(({ usage, ...each }) => void cli.command(each.name, each.description).usage(usage));
  }
  for (const command of await allCommands()) command(cli);
}

/** The command that is named first, or of which the help is asked. */
function commandIn(argv: readonly string[]): string | undefined {
  const words = argv.filter((word, at) => !word.startsWith("-") && argv[at - 1] !== "--env-file");
  return words[0] === "help" ? words[1] : words[0];
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
