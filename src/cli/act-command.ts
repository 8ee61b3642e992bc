import { Option } from "commander";
import { openMatcher } from "#daemon";
import { parseRecord, type RecordId } from "#model";
import {
  acts,
  derivedCommand,
  UsageError,
  type Act,
  type AtTerminal,
  type Command,
  type CommandOption,
  type StoreSystems,
} from "#operator";
import { commandActor, withActor, type ActOptions } from "./actor.ts";
import { durationArgument, momentArgument, positiveInteger, recordArgument } from "./arguments.ts";
import { openStoreContext, type CommandLine } from "./command-context.ts";
import { canBeAsked, confirmed } from "./interview.ts";
import { openPartsContext } from "./parts-context.ts";
import { exitCode, printJson, type Io } from "./output/io.ts";

const parsers = { duration: durationArgument, moment: momentArgument, number: positiveInteger };

/** Registers the commands of these acts. An act that is an option of another command has none. */
export function registerActs(cli: CommandLine, isWanted: (name: string) => boolean): void {
  for (const act of acts) {
    const { name, command = derivedCommand(act) } = act;
    if (isWanted(name) && typeof command !== "string") registerAct(cli, act, command);
  }
}

/** Registers the command of one act. */
export function registerAct(cli: CommandLine, { name, help }: Pick<Act, "name" | "help">, form: Command): void {
  const command = cli.command(name, form.help ?? help);
  for (const [argument, means] of Object.entries(form.arguments))
    if (argument === "<record>") command.addArgument(recordArgument());
    else command.argument(argument, means);
  for (const option of form.options ?? []) command.addOption(optionOf(option));
  if (form.words !== undefined) command.addHelpText("after", form.words);
  withActor(command).action(
    cli.action((...given: never[]) => {
      const args: readonly unknown[] = given.slice(0, -2);
      const [options, io] = given.slice(-2);
      return run(form, args, options!, io!);
    }),
  );
}

function optionOf({ flags, help, takes, preset }: CommandOption): Option {
  const option = new Option(flags, help);
  if (takes !== undefined) option.argParser(parsers[takes]);
  return preset === undefined ? option : option.default(...preset);
}

async function run(form: Command, given: readonly unknown[], options: ActOptions, io: Io): Promise<number> {
  const places = Object.keys(form.arguments);
  // A target is a record or a stream.
  const args = given.map((arg, at) =>
    typeof arg === "string" && /^.target/.test(places[at] ?? "") ? (parseRecord(arg) ?? arg) : arg,
  );
  const wrong = form.objection?.(options, { args, canBeAsked: canBeAsked(io) });
  if (wrong !== undefined) throw new UsageError(wrong);
  const names = args.flatMap((arg, at) => (/record|stream|target/.test(places[at] ?? "") ? streamsOf(arg) : []));
  await using context = await opened(form, args, form.isOfAnyStream ? [] : names, options, io);
  const { json, text, needsPerson } = await form.run(context.systems, args, options, terminal(options, io));
  if (options.json && json !== undefined) printJson(io.stdout, json);
  else if (!options.json && text !== undefined) io.stdout.write(text);
  return needsPerson ? exitCode.needsPerson : exitCode.ok;
}

function streamsOf(arg: unknown): readonly string[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the library and the parsers above make of an argument
  const named = arg as undefined | string | RecordId | readonly string[];
  if (named === undefined) return [];
  return typeof named === "object" && "key" in named ? [named.stream] : [named].flat();
}

/** The store alone, or also what asks the ERP and the service. */
async function opened(
  form: Command,
  args: readonly unknown[],
  names: readonly string[],
  options: ActOptions,
  io: Io,
): Promise<AsyncDisposable & { readonly systems: StoreSystems }> {
  if (!form.needsSystems?.(args)) {
    const context = await openStoreContext(options, io, names);
    const { streams, returns } = context.syncFile;
    const systems = { store: context.store, streams, returns };
    return { systems, [Symbol.asyncDispose]: () => context[Symbol.asyncDispose]() };
  }
  const context = await openPartsContext(options, io, names);
  const { configuration, parts } = context;
  const { streams, returns } = configuration.syncFile;
  const systems = { ...parts, streams, returns, matcher: openMatcher(configuration, parts) };
  return { systems, [Symbol.asyncDispose]: () => context[Symbol.asyncDispose]() };
}

function terminal(options: ActOptions, io: Io): AtTerminal {
  return {
    by: commandActor(options),
    signal: io.signal,
    print: (text) => void io.stdout.write(text),
    warn: (text) => void io.stderr.write(text),
    ask: (question) => confirmed(io, question),
  };
}
