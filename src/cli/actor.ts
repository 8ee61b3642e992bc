import { userInfo } from "node:os";
import { InvalidArgumentError, type Command } from "commander";
import type { Actor } from "#model";
import type { JsonOptions } from "./command-context.ts";

/** The options of each command that acts on streams or records. */
export interface ActOptions extends JsonOptions {
  readonly why?: string;
  readonly as?: string;
}

/** Adds the options shared by commands that act: who acts and why, and JSON output. */
export function withActor(command: Command): Command {
  return command
    .option("--why <text>", "the reason, kept in the history", oneLineOf(500))
    .option("--as <name>", "who acts (default: the user of the operating system)", oneLineOf(100))
    .option("--json", "as JSON");
}

/** Who acts through a command. */
export function commandActor({ why, as }: ActOptions): Actor {
  return { name: as ?? systemUser(), via: "cli", ...(why === undefined ? {} : { why }) };
}

/** The user of a container may have a number but no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

function oneLineOf(longest: number) {
  return (text: string): string => {
    const trimmed = text.trim();
    if (trimmed === "" || trimmed.length > longest || /[\r\n]/.test(trimmed))
      throw new InvalidArgumentError(`expected one line of 1 to ${longest} characters`);
    return trimmed;
  };
}
