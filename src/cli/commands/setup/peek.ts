import { canonicalJson, errorFacts, oneLine, errorText, type Change } from "#model";
import type { Mapped, MappedValue, Stream } from "#mapping";
import { positiveInteger } from "../../arguments.ts";
import type { Registration } from "../../command.ts";
import { openPartsContext, type GlobalOptions } from "../../command-context.ts";
import { exitCode } from "../../output/exit-code.ts";
import type { Io } from "../../output/io.ts";
import { printJson } from "../../output/json.ts";
import { areKnown, unknownStream } from "../../known-streams.ts";
import { nextChanges } from "../../check/next-changes.ts";

interface PeekOptions extends GlobalOptions {
  readonly rows: number;
  readonly json?: boolean;
}

/** A row as the ERP gives it and as the sync file maps it. */
interface Peeked {
  readonly change: Change;
  readonly mapped?: Mapped;
  readonly error?: string;
}

export const registerPeek: Registration = (cli) =>
  cli
    .command("peek", "Show the next rows of a stream as the ERP returns them and as they are mapped; write nothing")
    .argument("<stream>", "the stream")
    .option("--rows <count>", "how many", positiveInteger, 3)
    .option("--json", "one line of JSON per row")
    .action(cli.action(peek));

/** `svcsync peek STREAM`: the next rows as read and as mapped. Nothing is written, no cursor moves. */
async function peek(name: string, options: PeekOptions, io: Io): Promise<number> {
  await using context = await openPartsContext(options, io);
  const { syncFile } = context.configuration;
  if (!areKnown([name], syncFile.streams, io)) return unknownStream;
  const stream = syncFile.streams.find((each) => each.name === name)!;
  const source = context.parts.sources.streams.get(name)!;
  const { cursor } = await context.parts.store.cursor(name);
  const next = await nextChanges(source, cursor, options.rows, io.signal);
  // A stream that is up to date has no next rows: its first ones show the mapping as well.
  const isUpToDate = next.length === 0 && cursor !== null;
  const changes = isUpToDate ? await nextChanges(source, null, options.rows, io.signal) : next;
  if (isUpToDate) io.stderr.write(`${name} is up to date; these are its first rows.\n`);
  const peeked: Peeked[] = [];
  for (const change of changes) peeked.push(await map(stream, change));
  if (options.json) for (const each of peeked) printJson(io.stdout, each);
  else io.stdout.write(peeked.length === 0 ? "The ERP shows no rows.\n" : peeked.map(asText).join("\n"));
  return peeked.some(({ error }) => error !== undefined) ? exitCode.needsPerson : exitCode.ok;
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
  const lines = [change.key, "  as the ERP shows it:"];
  if (change.kind === "delete") lines.push("    deleted");
  else for (const [column, value] of Object.entries(change.row)) lines.push(`    ${column}: ${canonicalJson(value)}`);
  lines.push("  as it is mapped:", ...(error === undefined ? mappedLines(mapped!) : [`    PROBLEM: ${error}`]));
  return `${lines.map(oneLine).join("\n")}\n`;
}

function mappedLines(mapped: Mapped): string[] {
  if (mapped.kind === "skip") return [`    left out: ${mapped.reason}`];
  if (mapped.kind === "deleted" && mapped.policy !== "set") return [`    deleted: ${mapped.policy}`];
  const fields = "fields" in mapped ? mapped.fields : [];
  return fields.map(
    ({ name, value, own }) => `    ${name}: ${shown(value)}${own === "create" ? " (at creation only)" : ""}`,
  );
}

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
