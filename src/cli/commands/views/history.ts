import { InvalidArgumentError, Option } from "commander";
import { DAY_MS, duration as durationOf, localTime, systemClock } from "#model";
import { actText, csvText, whoText } from "#operator";
import { addCounts, countNames, noCounts, type Counts, type HistoryHour, type PersonAct } from "#store";
import { openStoreContext, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";
import { table } from "../../output/table.ts";

interface HistoryOptions extends JsonOptions {
  readonly since: number;
  readonly stream?: string;
  readonly acts?: boolean;
  readonly csv?: boolean;
}

/** A longer span is shown by day: hundreds of lines are not an overview. */
const BY_HOUR_MS = 3 * DAY_MS;

export const registerHistory: Registration = (cli) =>
  cli
    .command("history", "Show what each stream did, by hour or by day: polls, changes, deliveries, requests")
    .addOption(
      new Option("--since <when>", "a span such as 24h or 30d, or a date such as 2026-11-01")
        .argParser(since)
        .default(DAY_MS, "24h"),
    )
    .option("--stream <stream>", "one stream (default: all)")
    .option("--acts", "list what people did instead: who, when and why")
    .option("--json", "one line of JSON per stream and hour, or per act")
    .option("--csv", "as CSV, a line per stream and hour, or per act")
    .action(cli.action(history));

/** `svcsync history`: shows what the daemon counted, from the store. */
async function history({ since: from, stream, acts, json, csv, ...options }: HistoryOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [stream]);
  const now = systemClock.now();
  // A span is smaller than any date.
  const beginsAt = from < FIRST_DATE ? now - from : from;
  const query = { since: beginsAt, stream };
  if (acts) {
    const found = await context.store.acts.recent({ ...query, limit: ACTS_MAX });
    if (json) for (const act of found) printJson(io.stdout, act);
    else if (csv) io.stdout.write(csvText([actHeads, ...found.map(actCells)]));
    else
      io.stdout.write(
        found.length === 0 ? "No person changed anything in this period.\n" : table(actHeads, found.map(actCells)),
      );
    return exitCode.ok;
  }
  const hours = await context.store.history.history(query);
  if (json) for (const hour of hours) printJson(io.stdout, hour);
  else if (csv) io.stdout.write(asCsv(hours));
  else if (hours.length === 0)
    io.stdout.write("Nothing was recorded in this period. A daemon adds to it once a minute.\n");
  else io.stdout.write(asTable(hours, now - beginsAt > BY_HOUR_MS));
  return exitCode.ok;
}

/** Acts that are listed at most. */
const ACTS_MAX = 1_000;

const actHeads = ["when", "who", "what", "why"];

function actCells(act: PersonAct): string[] {
  return [localTime(act.at), whoText(act.by), actText(act), act.by.why ?? ""];
}

const FIRST_DATE = Date.UTC(2000, 0, 1);

/** A span in milliseconds, or an instant. */
function since(text: string): number {
  const span = durationOf.safeParse(text);
  if (span.success) return span.data;
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || at < FIRST_DATE)
    throw new InvalidArgumentError("expected a span such as 24h or 30d, or a date such as 2026-11-01");
  return at;
}

function asCsv(hours: readonly HistoryHour[]): string {
  const lines = hours.map((hour) =>
    [new Date(hour.hourAt).toISOString(), hour.stream, ...countNames.map((name) => hour[name])].join(","),
  );
  return `${[`hourAt,stream,${countNames.join(",")}`, ...lines].join("\n")}\n`;
}

function asTable(hours: readonly HistoryHour[], byDay: boolean): string {
  const length = byDay ? "2026-01-01".length : "2026-01-01T00:00".length;
  const rows = new Map<string, { when: string; stream: string; counts: Counts }>();
  for (const hour of hours) {
    const when = new Date(hour.hourAt).toISOString().slice(0, length).replace("T", " ");
    const id = `${when}/${hour.stream}`;
    const row = rows.get(id) ?? { when, stream: hour.stream, counts: { ...noCounts } };
    addCounts(row.counts, hour);
    rows.set(id, row);
  }
  const head = [
    "from (UTC)",
    "stream",
    "polls",
    "failed",
    "read",
    "changed",
    "created",
    "updated",
    "deleted",
    "parked",
    "requests",
    "busy s",
  ];
  return table(
    head,
    [...rows.values()].map(({ when, stream, counts: c }) => [
      when,
      stream,
      c.polls,
      c.pollFailures,
      c.rowsRead,
      c.changed,
      c.created + c.adopted,
      c.updated,
      c.deleted,
      c.parked + c.uncertain,
      c.requests,
      Math.round(c.busyMs / 1000),
    ]),
  );
}
