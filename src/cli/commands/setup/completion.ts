import { Argument, type Command } from "commander";
import type { GlobalOptions, Registration } from "../../command-context.ts";
import { completionScript, shells, type CompletedOption, type Shell } from "../../completion/scripts.ts";
import { exitCode, type Io } from "../../output/io.ts";

const setUpWords = `
Set it up:
  bash   echo 'source <(svcsync completion bash)' >> ~/.bashrc
  zsh    echo 'source <(svcsync completion zsh)' >> ~/.zshrc, below compinit
  fish   svcsync completion fish > ~/.config/fish/completions/svcsync.fish
After an update, write the file of fish again; bash and zsh read the new one themselves.
`;

/** Knows every command, because the others are registered before it is asked. */
export const registerCompletion: Registration = (cli) => {
  const command = cli
    .command("completion", "Print a script that completes commands and options in your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", setUpWords);
  command.action(cli.action((shell: Shell, _: GlobalOptions, io: Io) => completion(shell, command.parent!, io)));
};

/** `svcsync completion SHELL`: the script that completes commands and options. */
function completion(shell: Shell, program: Command, io: Io): Promise<number> {
  const commands = program.commands.map((each) => ({
    name: each.name(),
    description: each.description(),
    options: optionsOf(each),
  }));
  io.ownWords.write(completionScript(shell, { commands, options: [...optionsOf(program), help] }));
  return Promise.resolve(exitCode.ok);
}

/** The library adds it to each command, and does not list it. */
const help: CompletedOption = { flag: "--help", description: "show the help of a command", takesValue: false };

function optionsOf({ options }: Command): CompletedOption[] {
  return options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description, required, optional }) => ({
      flag: long ?? short ?? "",
      description,
      takesValue: required || optional,
    }));
}
