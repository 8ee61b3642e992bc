import { readFile } from "node:fs/promises";
import { openMatcher } from "#daemon";
import type { Stream } from "#mapping";
import { codeOf, oneLine, ParkError, recordLabel } from "#model";
import {
  adoptionExamples,
  adoptionReport,
  adoptionVerdicts,
  bind,
  blindTexts,
  decideAdoption,
  overwriteText,
  sideText,
  verdictMeanings,
} from "#operator";
import { AdoptionPlanner, type AdoptionPlan, type PlannedRecord } from "#pipeline";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { adoptionCsv, readAnswers, type CsvRow } from "../../adoption-csv.ts";
import type { Registration } from "../../command-context.ts";
import { openPartsContext, type PartsContext } from "../../parts-context.ts";
import { NewFile, expectNewFile } from "../../output/new-file.ts";
import { glossary } from "../../output/glossary.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";

export interface AdoptOptions extends ActOptions {
  readonly csv?: string;
  readonly answers?: string;
  readonly confirm?: boolean;
  readonly createAll?: boolean;
}

export const registerAdopt: Registration = (cli) =>
  withActor(
    cli
      .command("adopt", "Show which records in the service match the ERP's; with --confirm, release the streams")
      .argument("[streams...]", "these streams (default: all)")
      .option("--csv <file>", "write the whole list; fill in its serviceId column for ambiguous records")
      .option("--answers <file>", "read the filled-in list and bind records as it says")
      .option("--confirm", "release the streams: bind matches, create new records, park ambiguous ones")
      .option("--create-all", "release the streams without matching: create every record"),
  )
    .addHelpText("after", glossary("Verdicts", verdictMeanings))
    .action(cli.action((names: readonly string[], options: AdoptOptions, io: Io) => adopt(names, options, io)));

/**
 * `svcsync adopt [STREAM…]`: shows which service records the ERP's records already correspond to. Writes nothing until
 * `--confirm` releases the streams: then matched records are bound, new ones created, ambiguous ones parked. `command`
 * is what a person has to repeat with `--confirm`.
 */
export async function adopt(
  names: readonly string[],
  options: AdoptOptions,
  io: Io,
  command = "svcsync adopt",
): Promise<number> {
  if (options.csv !== undefined) await expectNewFile("--csv", options.csv);
  await using context = await openPartsContext(options, io, names);
  const { syncFile } = context.configuration;
  if (options.answers !== undefined) {
    const content = await answersIn(options.answers);
    const failed = await answer(content, options.answers, context, options, io);
    if (failed > 0) return exitCode.needsPerson;
  }
  // Parents are planned too, though not shown: their children's natural keys contain the planned ids.
  const matcher = openMatcher(context.configuration, context.parts);
  const planner = new AdoptionPlanner(context.parts.store, context.parts.service, matcher);
  const plans: AdoptionPlan[] = [];
  const most = options.json || options.csv !== undefined ? Number.POSITIVE_INFINITY : adoptionExamples;
  for (const stream of syncFile.streams) plans.push(await planner.plan(stream, io.signal, most));
  const shown = plans.filter(({ stream }) => names.length === 0 || names.includes(stream));
  if (options.csv !== undefined) await NewFile.write("--csv", options.csv, (csv) => csv.add(adoptionCsv(shown)));
  if (options.json) printJson(io.stdout, { plans: shown });
  else io.stdout.write(asText(shown, options.csv));
  if (shown.every(({ records }) => records.length === 0)) {
    io.stderr.write('No record of the ERP is in the store yet: "svcsync sync" reads them, and holds the streams.\n');
    return exitCode.needsPerson;
  }
  if (options.confirm || options.createAll) {
    const streams = syncFile.streams.filter(({ name }) => shown.some(({ stream }) => stream === name));
    const decision = options.createAll ? "create-all" : "adopt";
    await decideAdoption({ store: context.parts.store, matcher }, { streams, decision }, commandActor(options));
    if (!options.json) io.stdout.write(decidedText(streams));
    return exitCode.ok;
  }
  if (!options.json) {
    const decided = await Promise.all(
      shown.map(async ({ stream }) => (await context.parts.store.stream(stream)).adoption),
    );
    const next = [command, ...names, "--confirm"].join(" ");
    io.stdout.write(
      decided.includes(undefined)
        ? nextStep(next, options.answers)
        : "\nNo stream waits for adoption: there is nothing to confirm.\n",
    );
  }
  return shown.some(({ records }) => records.some(({ verdict }) => verdict === "ambiguous" || verdict === "unclear"))
    ? exitCode.needsPerson
    : exitCode.ok;
}

/** The list that a person filled in. */
async function answersIn(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (thrown) {
    throw new UsageError(`--answers: ${path} cannot be read (${codeOf(thrown) ?? "unknown"}). Nothing was written.`);
  }
}

function nextStep(command: string, answers: string | undefined): string {
  const done =
    answers === undefined ? "Nothing was written" : `The answers of ${answers} are kept, and nothing was sent`;
  return (
    `\n${done}. Matched records will be bound, deleted ones bound and then removed or set as the\n` +
    `stream says, new ones created, ambiguous and unclear ones parked; those left out and those only in the service stay as they are. If that is right: "${command}".\n`
  );
}

function decidedText(streams: readonly Stream[]): string {
  return `\nDecided: ${streams.map(({ name }) => name).join(", ")} may deliver. A running daemon continues at once; otherwise the next sync does.\n`;
}

async function answer(
  content: Uint8Array,
  file: string,
  context: PartsContext,
  options: AdoptOptions,
  io: Io,
): Promise<number> {
  const { answers, problems } = readAnswers(content, file);
  for (const problem of problems) io.stderr.write(`${problem}\n`);
  if (problems.length > 0) return problems.length;
  let failed = 0;
  for (const each of answers) failed += (await carryOut(each, context, options, io)) ? 0 : 1;
  return failed;
}

/** The list was filled in by a person. */
const anyway = () => Promise.resolve(true);

async function carryOut(
  { id, serviceId, place }: CsvRow,
  context: PartsContext,
  options: AdoptOptions,
  io: Io,
): Promise<boolean> {
  const stream = context.configuration.syncFile.streams.find(({ name }) => name === id.stream);
  if (!stream) {
    io.stderr.write(`${place}: found stream ${JSON.stringify(id.stream)}, expected one of the sync file\n`);
    return false;
  }
  const owner = await context.parts.store.boundTo({ resource: stream.resource, serviceId });
  if (owner && recordLabel(owner) === recordLabel(id)) return true;
  try {
    await bind(context.parts, { id, stream, serviceId, isMeant: anyway, signal: io.signal }, commandActor(options));
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ParkError)) throw thrown;
    io.stderr.write(`${place}: ${oneLine(thrown.message)} (${thrown.code})\n`);
    return false;
  }
}

function asText(plans: readonly AdoptionPlan[], csv: string | undefined): string {
  const reports = plans.map(adoptionReport);
  const rows = reports.map(({ stream, counts, onlyInService }) => [
    stream,
    ...adoptionVerdicts.map((verdict) => counts[verdict]),
    onlyInService,
  ]);
  const lines = [table(["stream", ...adoptionVerdicts, "only in the service"], rows)];
  for (const report of reports) lines.push(...blindTexts(report).map((text) => `${text}\n`));
  for (const { examples, counts } of reports)
    for (const verdict of new Set(examples.map((record) => record.verdict))) {
      const some = examples.filter((record) => record.verdict === verdict);
      for (const record of some) lines.push(`${verdict}: ${recordText(record)}\n`);
      if (counts[verdict] > some.length) lines.push(`… and ${counts[verdict] - some.length} more ${verdict}\n`);
    }
  lines.push(csv === undefined ? "--csv FILE writes the whole list.\n" : `The whole list is in ${csv}.\n`);
  return lines.join("");
}

/** Both sides in terms that people recognise, and what the first write would change. */
function recordText({ id, name, match, verdict, candidates, counterparts, overwrites, error }: PlannedRecord): string {
  const sides = counterparts.map((each) => sideText(String(each.serviceId), each));
  const others = sides.length > 0 ? sides : candidates.map(String);
  const is = others.length === 0 ? "" : verdict === "ambiguous" ? " could be " : " is ";
  const changes = overwrites.length === 0 ? "" : `; would overwrite ${overwrites.map(overwriteText).join("; ")}`;
  return oneLine(
    `${sideText(recordLabel(id), { name, match })}${is}${others.join(" or ")}${changes}${error ? `: ${error.message}` : ""}`,
  );
}
