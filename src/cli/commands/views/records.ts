import { Option } from "commander";
import {
  errorText,
  oneLine,
  RECORD_STATES,
  recordLabel,
  textLines,
  grouped,
  type RecordId,
  type RecordState,
} from "#model";
import { ErrorGroups, recordWord, remedyOf, type ErrorGroup } from "#operator";
import { eachRecord, type RecordView, type Store } from "#store";
import { positiveInteger, recordNamed } from "../../arguments.ts";
import { openStoreContext, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";

interface RecordsOptions extends JsonOptions {
  readonly state?: readonly RecordState[];
  readonly code?: string;
  readonly each?: boolean;
  readonly after?: RecordId;
  readonly limit: number;
}

/** Which records are listed. */
export interface RecordsQuery {
  readonly stream?: string | undefined;
  /** Default: those that need attention. */
  readonly state?: readonly RecordState[] | undefined;
  readonly code?: string | undefined;
  readonly after?: RecordId | undefined;
}

export const registerRecords: Registration = (cli) =>
  cli
    .command("records", "List records by cause, with counts and what to do; by default those that need attention")
    .argument("[stream]", "one stream (default: all)")
    .addOption(new Option("--state <state...>", "states to list").choices(RECORD_STATES))
    .option("--code <code>", "only records with this error")
    .option("--each", "each record, instead of one entry per cause")
    .option("--after <record>", "only records after this one, in the order of --each", recordNamed)
    .option("--limit <count>", "with --each or --json: at most this many", positiveInteger, 100)
    .option("--json", "one line of JSON per record")
    .action(cli.action(records));

/**
 * `svcsync records [STREAM]`: lists records in some states (parked and uncertain ones by default), grouped by cause with
 * counts and remedies, or one by one with `--each` or `--json`.
 */
async function records(stream: string | undefined, options: RecordsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [stream]);
  const query = { ...options, stream };
  const isListed = options.each === true || options.json === true;
  const listed = isListed ? await listRecords(context.store, query, options.limit) : [];
  if (options.json) for (const view of listed) printJson(io.stdout, view);
  else if (listed.length > 0) io.stdout.write(wrapped(asTable(listed), io.width));
  else {
    const groups = new ErrorGroups();
    if (!isListed) for await (const record of foundRecords(context.store, query)) groups.add(record);
    const found = groups.list();
    const none = `${oneLine(noneText(query))}\n`;
    io.stdout.write(wrapped(found.length === 0 ? none : found.map(asText).join("\n"), io.width));
  }
  return exitCode.ok;
}

/** What `svcsync records --json` prints, one record per line. */
export async function listRecords(store: Store, query: RecordsQuery, limit: number): Promise<RecordView[]> {
  const listed: RecordView[] = [];
  for await (const record of foundRecords(store, query)) if (listed.push(record) === limit) break;
  return listed;
}

const attention: readonly RecordState[] = ["parked", "uncertain"];

async function* foundRecords(store: Store, { stream, state = attention, code, after }: RecordsQuery) {
  for await (const record of eachRecord(store, { stream, states: state, after }))
    if (code === undefined || record.error?.code === code) yield record;
}

/** Repeats what was asked for: with a misspelt code, "none" would otherwise look like good news. */
function noneText({ stream, state: states = attention, code, after }: RecordsQuery): string {
  const of = stream === undefined ? "" : ` of ${stream}`;
  const withCode = code === undefined ? "" : ` with the error ${code}`;
  const later = after === undefined ? "" : ` after ${recordLabel(after)}`;
  return `No record${of}${later} is ${states.join(" or ")}${withCode}.`;
}

/** One cause: what it is, which records, and what to do. */
export function causeLines({ count, error, message, examples }: ErrorGroup): string[] {
  const shown = `  ${examples.map(recordWord).join("  ")}${count > examples.length ? " …" : ""}`;
  if (error === undefined) return [shown];
  return [`  ${count === 1 ? error.message : message}`, shown, `  -> ${remedyOf(error, examples[0]!)}`];
}

function asText(group: ErrorGroup): string {
  const { id, stream, state, count, error } = group;
  const code = error === undefined ? "" : ` (${error.code})`;
  const lines = [`${grouped(count)} ${stream} ${state}${code}`, ...causeLines(group)];
  if (count > 1 && state === "parked") lines.push(`  -> all of them: "svcsync retry --group ${id}"`);
  if (count > 1 && error !== undefined && state !== "skipped")
    lines.push(
      `  -> all of ${stream} with ${error.code}, whatever the cause: "svcsync retry ${stream} --code ${error.code}" or "svcsync skip ${stream} --code ${error.code}"`,
    );
  return textLines(lines);
}

function asTable(found: readonly RecordView[]): string {
  return table(
    ["record", "state", "attempts", "reason"],
    found.map(({ id, state, attempts, error }) => [recordLabel(id), state, attempts, error ? errorText(error) : ""]),
  );
}
