import type { Actor } from "#model";
import type { StoreSystems } from "./systems.ts";

/** The person who runs a command. */
export interface AtTerminal {
  readonly by: Actor;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  /** The answer to a yes-or-no question; undefined without a terminal. */
  readonly ask: (question: string) => Promise<boolean | undefined>;
}

/** The command line is wrong and nothing was done. The message is the whole output. */
export class UsageError extends Error {}

/** Why a command that asks for confirmation does nothing here: "end the binding" is what it would do. */
export function noTerminal(deed: string): string {
  return `No terminal to ask on: add --yes to ${deed} without confirmation.`;
}

export interface CommandOption {
  /** As `--for <duration>`. */
  readonly flags: string;
  readonly help: string;
  /** What its value is parsed to; a text otherwise. */
  readonly takes?: "duration" | "moment" | "number";
  /** The value where it is not given, and how a user would type it. */
  readonly preset?: readonly [value: number, typed: string];
}

/** The end of a command: what --json prints, what a person reads, and whether a person has to do more. */
export interface Ended {
  readonly json?: object;
  readonly text?: string;
  readonly needsPerson?: boolean;
}

/** The command of an act that takes more than its target and its input. */
export interface Command {
  /** `<record>` is parsed; `[target]` is a record or a stream. Streams that are not in the sync file are refused. */
  readonly arguments: Readonly<Record<string, string>>;
  readonly options?: readonly CommandOption[];
  /** What the command does, where it does more than the act. */
  readonly help?: string;
  /** Follows the help text. */
  readonly words?: string;
  /** Its record may be of a stream that is no longer in the sync file. */
  readonly isOfAnyStream?: boolean;
  /** Whether it asks the ERP or the service. */
  needsSystems?(args: readonly unknown[]): boolean;
  /** What is wrong with options that do not fit together. */
  objection?(
    options: object,
    given: { readonly args: readonly unknown[]; readonly canBeAsked: boolean },
  ): string | undefined;
  run(systems: StoreSystems, args: readonly unknown[], options: object, at: AtTerminal): Promise<Ended>;
}
