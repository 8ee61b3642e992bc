import type { Systems } from "#daemon";
import type { Mapped, MappedValue, Stream } from "#mapping";
import { canonicalJson, counted, errorFacts, errorText, textLines, type Change } from "#model";
import { shellQuoted } from "#operator";
import { redacted } from "#telemetry";
import { columnsArgument, positiveInteger } from "../../arguments.ts";
import { nextRows } from "../../check/next-changes.ts";
import type { GlobalOptions, Registration } from "../../command-context.ts";
import { openPartsContext } from "../../parts-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { maskedRows, type MaskOptions } from "../../test/masked-rows.ts";
import { saveCases } from "../../test/save-cases.ts";

interface PeekOptions extends GlobalOptions, MaskOptions {
  readonly rows: number;
  readonly save?: string;
  readonly mask?: boolean;
  readonly json?: boolean;
}

/** A row as the ERP returns it and as the sync file maps it. */
interface Peeked {
  readonly change: Change;
  readonly mapped?: Mapped;
  readonly error?: string;
}

export const registerPeek: Registration = (cli) =>
  cli
    .command(
      "peek",
      "Show the next rows of a stream as the ERP returns them and as they are mapped, or save them as test cases",
    )
    .argument("<stream>", "the stream")
    .option("--rows <count>", "how many", positiveInteger, 3)
    .option("--save <file>", 'add the rows as cases for "svcsync test", with what they are mapped to now')
    .option("--mask", "replace personal data by made-up values; columns that the mapping does not read are left out")
    .option("--mask-columns <names>", "with --mask: also mask these columns", columnsArgument)
    .option("--keep-columns <names>", "with --mask: keep these columns as they are", columnsArgument)
    .option("--json", "one line of JSON per row")
    .action(cli.action(peek));

/** `svcsync peek STREAM`: shows the next rows as read and as mapped. It moves no cursor and does not contact the service. */
async function peek(name: string, options: PeekOptions, io: Io): Promise<number> {
  if (!options.mask && (options.maskColumns || options.keepColumns))
    throw new UsageError("--mask-columns and --keep-columns choose what --mask does: add --mask.");
  await using context = await openPartsContext(options, io, [name]);
  const { streams } = context.configuration.syncFile;
  const stream = streams.find((each) => each.name === name)!;
  const { store } = context.parts;
  const read = await rowsOf(context.parts, name, options.rows, io);
  const changes = options.mask ? await maskedRows(read, stream, options, store, io) : read;
  const peeked: Peeked[] = [];
  for (const change of changes) peeked.push(await map(stream, change));
  if (options.json) for (const each of peeked) printJson(io.stdout, each);
  else io.stdout.write(peeked.length === 0 ? "The ERP returned no rows.\n" : peeked.map(asText).join("\n"));
  if (options.save !== undefined && changes.length > 0) {
    const clean = redacted(changes, io.redaction.redact);
    const { saved, known } = await saveCases(options.save, clean, stream, streams, io.signal);
    io.stderr.write(savedText(options.save, saved, known, options.mask ?? false));
  }
  return peeked.some(({ error }) => error !== undefined) ? exitCode.needsPerson : exitCode.ok;
}

async function rowsOf({ sources, store }: Systems, name: string, rows: number, io: Io): Promise<readonly Change[]> {
  const source = sources.streams.get(name)!;
  const { cursor } = await store.stream(name);
  const next = await nextRows(source, cursor, rows, io.signal);
  if (next.changes.length > 0 || cursor === null) return next.changes;
  // A stream that is up to date has no next rows; its first rows show the mapping as well.
  io.stderr.write(`${name} is up to date; these are its first rows.\n`);
  return (await nextRows(source, null, rows, io.signal)).changes;
}

function savedText(file: string, saved: number, known: number, isMasked: boolean): string {
  const others = known === 0 ? "" : `; ${counted(known, "record")} had one already`;
  const warning = isMasked
    ? "Read the file before you share it."
    : "The file holds real rows: --mask replaces personal data.";
  return `Saved ${counted(saved, "case")} to ${file}${others}. "svcsync test ${shellQuoted(file)}" runs them. ${warning}\n`;
}

async function map(stream: Stream, change: Change): Promise<Peeked> {
  try {
    const row = change.kind === "upsert" ? change.row : {};
    return { change, mapped: await stream.map(row, change.kind === "delete") };
  } catch (thrown) {
    return { change, error: errorText(errorFacts(thrown)) };
  }
}

function asText({ change, mapped, error }: Peeked): string {
  const lines = [change.key, "  row in the ERP:"];
  if (change.kind === "delete") lines.push("    deleted");
  else for (const [column, value] of Object.entries(change.row)) lines.push(`    ${column}: ${canonicalJson(value)}`);
  lines.push("  mapped to:", ...(error === undefined ? mappedLines(mapped!) : [`    PROBLEM: ${error}`]));
  return textLines(lines);
}

function mappedLines(mapped: Mapped): string[] {
  if (mapped.kind === "skip") return [`    left out: ${mapped.reason}`];
  if (mapped.kind === "deleted" && mapped.policy !== "set") return [`    deleted: ${mapped.policy}`];
  const fields = "fields" in mapped ? mapped.fields : [];
  return fields.map(({ name, value, own }) => `    ${name}: ${shown(value)}${written[own]}`);
}

const written = {
  always: "",
  create: " (at creation only)",
  empty: " (only while it is empty in the service)",
} as const;

function shown(value: MappedValue): string {
  switch (value.kind) {
    case "value":
      return canonicalJson(value.value);
    case "ref":
      return value.key === null ? "null" : `the service id of ${value.stream}/${value.key}`;
    case "lookup":
      return value.value === null ? "null" : `the id of ${value.resource} ${JSON.stringify(value.value)}`;
    case "tags":
      return `the ids of ${value.resource} ${canonicalJson([...value.values])}, added and removed one by one`;
  }
}
