import { Argument, Option } from "commander";
import { RETURN_STATES, systemClock, textLines, type ReturnState } from "#model";
import {
  acts,
  commandOf,
  derivedCommand,
  knownReturnStream,
  readReturns,
  openReturnStates,
  returnLabel,
  returnMeanings,
  returnNotes,
  returnUrgency,
  type ReturnStatus,
} from "#operator";
import type { StoredReturn } from "#store";
import { registerAct } from "../../act-command.ts";
import { withActor } from "../../actor.ts";
import { positiveInteger } from "../../arguments.ts";
import { openStoreContext, type CommandLine, type JsonOptions, type Registration } from "../../command-context.ts";
import { glossary } from "../../output/glossary.ts";
import { exitCode, printJson, urgencyCode, type Io } from "../../output/io.ts";
import { fittingTables, table } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";
import { registerReturnsDdl } from "./ddl.ts";
import { registerReturnsPlan } from "./plan.ts";
import { returnHeads, returnRow } from "./return-table.ts";
import { showReturn } from "./show.ts";

interface ReturnsOptions extends JsonOptions {
  readonly state?: readonly ReturnState[];
  readonly limit: number;
}

/** `svcsync returns` and what is below it: what goes back to the ERP. */
export const registerReturns: Registration = (cli) => {
  const returns = withActor(
    cli
      .command("returns", "Show what goes back to the ERP, what it answered, and what needs attention")
      .argument("[stream]", "list the returns of this stream (default: all streams, with counts)")
      .addOption(new Option("--state <state...>", "states to list").choices(RETURN_STATES))
      .option("--limit <count>", "list at most this many", positiveInteger, 100)
      .addHelpText("after", glossary("States of a return", returnMeanings)),
  );
  returns.action(cli.action(run));
  const below: CommandLine = {
    command: (name, description) =>
      returns.command(name).description(description).showHelpAfterError(`(svcsync returns ${name} --help explains it)`),
    action: (command) => cli.action(command),
  };
  below
    .command("show", "Show one return: its content, what differs from the version before, and the ERP's answer")
    .addArgument(new Argument("<return>", "for example reports/4711/2; without a version, the newest"))
    .action(cli.action(showReturn));
  registerReturnsDdl(below);
  registerReturnsPlan(below);
  for (const act of acts) if (commandOf(act).startsWith("returns ")) registerAct(below, act, derivedCommand(act));
};

async function run(stream: string | undefined, options: ReturnsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const { store, syncFile } = context;
  if (stream !== undefined) return list(stream, options, { ...context, io });
  const statuses = await readReturns(store.returns, syncFile.returns, systemClock.now());
  if (options.json) printJson(io.stdout, { streams: statuses });
  else io.stdout.write(statuses.length === 0 ? nothing : statusText(statuses, io.width));
  return urgencyCode(returnUrgency(statuses));
}

const nothing = "Nothing goes back to the ERP: the sync file has no returns.\n";

async function list(
  stream: string,
  { state = openReturnStates, limit, json }: ReturnsOptions,
  {
    store,
    syncFile,
    io,
  }: Pick<Awaited<ReturnType<typeof openStoreContext>>, "store" | "syncFile"> & { readonly io: Io },
): Promise<number> {
  const found = await store.returns.find({ stream, states: state, limit });
  if (found.length === 0) knownReturnStream(syncFile.returns, stream);
  if (json) for (const item of found) printJson(io.stdout, item);
  else
    io.stdout.write(
      found.length === 0
        ? `No return of ${stream} is ${state.join(" or ")}.\n`
        : wrapped(table(["return", "kind", "state", "since", "why"], found.map(rowOf)), io.width),
    );
  return exitCode.ok;
}

function rowOf(item: StoredReturn): string[] {
  const { kind, state, preparedAt, deliveredAt, error } = item;
  const since = new Date(deliveredAt ?? preparedAt).toISOString();
  return [returnLabel(item), kind, state, since, error === undefined ? "" : `${error.code} ${error.message}`];
}

function statusText(statuses: readonly ReturnStatus[], width: number | undefined): string {
  const notes = textLines(returnNotes(statuses));
  const shown = fittingTables(returnHeads, statuses.map(returnRow), width);
  return notes === "" ? shown : `${shown}\n${wrapped(notes, width)}`;
}
