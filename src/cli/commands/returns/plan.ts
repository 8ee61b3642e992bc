import { Option } from "commander";
import { openLaneStreams } from "#daemon";
import { errorText, type ErrorFacts } from "#model";
import { knownReturnStream } from "#operator";
import { planReturns, type PlannedReturn } from "#returns";
import { dayOrMomentArgument, positiveInteger } from "../../arguments.ts";
import type { JsonOptions, Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";
import { openPartsContext } from "../../parts-context.ts";

interface PlanOptions extends JsonOptions {
  readonly since: number;
  readonly limit: number;
}

/** `svcsync returns plan`, below the command `returns`: what would flow, read from the service; nothing is written anywhere. */
export const registerReturnsPlan: Registration = (cli) =>
  cli
    .command("plan", "Show what would go back if the lane had begun at a moment; writes nothing")
    .argument("<stream>", "a stream under `returns` in the sync file")
    .addOption(
      new Option("--since <moment>", "a day (from 00:00 UTC), as `begin` in the sync file, or a time")
        .argParser(dayOrMomentArgument)
        .makeOptionMandatory(),
    )
    .option("--limit <count>", "stop after this many", positiveInteger, 100)
    .option("--json", "one line of JSON per return")
    .action(cli.action(plan));

async function plan(name: string, options: PlanOptions, io: Io): Promise<number> {
  await using context = await openPartsContext(options, io, []);
  const { configuration, parts, closing } = context;
  knownReturnStream(configuration.syncFile.returns, name);
  const streams = await openLaneStreams(configuration, parts, closing);
  const found = streams.find(({ stream }) => stream.name === name)!;
  const planned: PlannedReturn[] = [];
  let isCut = false;
  for await (const one of planReturns(found, options.since, io.signal)) {
    isCut = planned.length >= options.limit;
    if (isCut) break;
    planned.push(one);
    if (options.json) printJson(io.stdout, { stream: name, ...one });
  }
  const blocked = planned.filter(({ error }) => error !== undefined).length;
  if (!options.json) io.stdout.write(wrapped(asText(name, planned, { blocked, isCut }), io.width));
  return blocked > 0 ? exitCode.needsPerson : exitCode.ok;
}

function asText(
  name: string,
  planned: readonly PlannedReturn[],
  { blocked, isCut }: { readonly blocked: number; readonly isCut: boolean },
): string {
  if (planned.length === 0) return `Nothing of ${name} would go back.\n`;
  const rows = planned.map(({ subject, finalAt, content, error }) => [
    `${name}/${subject}`,
    new Date(finalAt).toISOString(),
    content === undefined ? "" : content.lines.length,
    error === undefined ? "would be handed over" : reason(error),
  ]);
  const more = isCut ? "There are more; --limit shows them.\n" : "";
  const summary = `${planned.length - blocked} would be handed over, ${blocked} would be blocked. Nothing was written.\n`;
  return `${table(["return", "final at", "lines", "what"], rows)}\n${more}${summary}`;
}

function reason(error: ErrorFacts): string {
  return `blocked: ${errorText(error)}`;
}
