import { Command } from "commander";
import { allCommands } from "./command-list.ts";

// The build runs this and keeps what it prints as commands.json: see builtOutlines.
const program = new Command();
for (const register of await allCommands())
  register({
    command: (name, description) => program.command(name).description(description),
    action: () => () => Promise.resolve(),
  });
const outlines = program.commands.map((command) => ({
  name: command.name(),
  usage: command.usage(),
  description: command.description(),
}));
process.stdout.write(JSON.stringify(outlines));
