import type { Command } from "commander";

/** Adds one command with its help, options and action. Each command's file exports its own. */
export type Registration = (cli: CommandLine) => void;

/** What a registration adds its command to. */
export interface CommandLine {
  /** A command of this name in the order of registration; the description is an imperative. */
  command(name: string, description: string): Command;
  /**
   * The action that runs a command: `run` gets the arguments, the options (its own and the global ones) and the outputs. What it
   * resolves to is the exit code. The library hands over what the registration declares, so `run` names the types.
   */
  action(run: (...given: never[]) => Promise<number>): (...given: unknown[]) => Promise<void>;
}
