import {
  counted,
  errorFacts,
  errorText,
  isLoopback,
  ParkError,
  shortened,
  type Clock,
  type ErrorCode,
  type Finding,
} from "#model";
import { allOf, sqlList, sql } from "../sql-text.ts";
import type { SourceDatabase } from "../database.ts";
import { scalar, type RunQuery } from "../engines/engine.ts";
import { rowConditions } from "../markers/marker.ts";
import type { SqlSettings } from "../settings.ts";
import { otherMachine } from "../url.ts";
import { changesFeed, describeRecords, type StreamContext } from "./feeds.ts";
import { countKeyless, reasonOf } from "./keyless.ts";
import { keyReader, type TableLayout } from "./layout.ts";

/** The largest difference between the server's clock and ours that needs no warning. */
const clockOffsetMs = 2_000;

/** Checks whether the database can be reached. Reports its version and its clock. */
export async function checkSource(database: SourceDatabase, clock: Clock, signal: AbortSignal): Promise<Finding[]> {
  const subject = `source ${database.source}`;
  try {
    const { engine } = database;
    const version = await engine.version((query) => database.ask(query, signal));
    const { atMs } = await engine.moment((query) => database.ask(query, signal));
    return [{ subject, verdict: "ok", message: `${version} answers` }, clockFinding(subject, atMs - clock.now())];
  } catch (error) {
    signal.throwIfAborted();
    return [problem(subject, error)];
  }
}

/** Warns if passwords and records travel to another machine in plain text. */
export function plainFinding({ engine, source }: SourceDatabase, { url, tls }: SqlSettings): Finding | undefined {
  const mode = tls?.mode ?? (engine.name === "mssql" ? "verify" : "off");
  const host = engine.name === "sqlite" || mode !== "off" ? undefined : otherMachine(url, isLoopback);
  if (host === undefined) return undefined;
  return {
    subject: `source ${source}`,
    verdict: "warning",
    message: `the connection to ${host} is not encrypted: password and records can be read on the way`,
    remedy: "Set `tls: { mode: verify }` at the source, or keep to a network that you trust.",
  };
}

/** Checks that the table and its columns exist, that the key is a key, that the stamp holds stamps, and that polls will be quick. */
export async function checkTable(context: StreamContext, signal: AbortSignal): Promise<Finding[]> {
  const { table, view } = context.read;
  const subject = table ?? view ?? "query";
  try {
    const layout = await describeRecords(context, signal);
    const { rows } = await context.database
      .ask(sql`select count(*) from ${layout.from} where ${layout.condition}`, signal)
      .catch(inWhere(context.read.where));
    const found = `${counted(Number(rows[0]?.[0] ?? 0), "row")} and ${counted(layout.columns.length, "column")} can be read`;
    return [
      { subject, verdict: "ok", message: found },
      ...(await checkKey(context, layout, signal)),
      ...(await checkMarks(context, layout, signal)),
    ];
  } catch (error) {
    signal.throwIfAborted();
    return [problem(subject, error)];
  }
}

function clockFinding(subject: string, offsetMs: number): Finding {
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  if (Math.abs(offsetMs) <= clockOffsetMs)
    return { subject, verdict: "ok", message: `its clock is ${seconds} s from this machine's` };
  const side = offsetMs > 0 ? "ahead of" : "behind";
  return {
    subject,
    verdict: "warning",
    message: `its clock is ${seconds} s ${side} this machine's`,
    remedy: "Nothing is lost, as polls go by the server's clock. Let both machines follow a time server.",
  };
}

const WHERE_SHOWN = 80;

/** The columns were read before, so what a first statement with the condition is refused for is the condition. */
function inWhere(where: string | undefined): (error: unknown) => never {
  return (error) => {
    const isRefused = error instanceof ParkError && /^E_SOURCE_(QUERY|COLUMN)$/.test(error.code);
    if (where === undefined || !isRefused) throw error;
    const message = `the condition under \`where\` (${shortened(where, WHERE_SHOWN)}) is refused: ${error.message}`;
    throw new ParkError(error.code, message, { cause: error, details: error.details });
  };
}

function problem(subject: string, thrown: unknown): Finding {
  const error = errorFacts(thrown);
  return { subject, verdict: "problem", message: errorText(error), code: error.code };
}

/** Checks that the key is never NULL and that its columns are unique together. */
async function checkKey(context: StreamContext, layout: TableLayout, signal: AbortSignal): Promise<Finding[]> {
  const { database } = context;
  const subject = `${layout.label}: key`;
  const keyless = await countKeyless(database, layout, signal);
  const problem = (code: ErrorCode, message: string): Finding[] => [
    { subject, verdict: "problem", message: `${message} (${code})`, code },
  ];
  if (keyless > 0) return problem("E_SOURCE_KEY_NULL", reasonOf(layout, keyless));
  const names = sqlList(layout.key.map((column) => sql.id(column.name)));
  const selected = sqlList(
    layout.key.map((column, at) => sql`${database.engine.exact(column)} as ${sql.id(`c${at}`)}`),
  );
  const { rows } = await database.ask(
    sql`select ${selected} from ${layout.from} where ${layout.condition}
        group by ${names} having count(*) > 1 order by ${names} ${database.engine.limit(1)}`,
    signal,
  );
  const [twice] = rows;
  if (!twice) return [{ subject, verdict: "ok", message: "is unique and never NULL" }];
  const key = keyReader({ key: layout.key, columns: layout.key })(twice);
  return problem("E_SOURCE_KEY_AMBIGUOUS", `several rows have the key ${key}`);
}

/** Checks that the stamp or counter is valid in every row, and that the database can find new rows quickly. */
async function checkMarks(context: StreamContext, layout: TableLayout, signal: AbortSignal): Promise<Finding[]> {
  const { increment } = await changesFeed(context, signal);
  if (!increment) {
    const message = "no change stamp: every poll reads all rows and compares them by hash";
    return [{ subject: layout.label, verdict: "ok", message }];
  }
  const read = increment.part.layout;
  const ask: RunQuery = (query) => context.database.ask(query, signal);
  const { bounds } = await increment.marker.begin({ mark: null });
  const count = async (phase: "unset" | "future") => {
    if (!increment.marker.phases.includes(phase)) return 0;
    const which = allOf([read.condition, ...rowConditions(increment.marker.condition(phase, bounds))]);
    return Number(await scalar(ask, sql`select count(*) from ${read.from} where ${which}`));
  };
  const table = context.read.outbox?.table ?? context.read.table;
  const [mark] = read.marks;
  const subject = `${read.label}: ${read.marks.map(({ name }) => name).join(", ")}`;
  const findings: Finding[] = [];
  const warn = (message: string, remedy: string) => findings.push({ subject, verdict: "warning", message, remedy });
  if (increment.marker.wall && !context.zoneIsSet)
    warn(
      "its stamps carry no time zone, and the source has none: they are read as UTC",
      "Set the source's `timezone` to the zone in which the ERP writes, e.g. Europe/Berlin.",
    );
  const unset = await count("unset");
  if (unset === 0) findings.push({ subject, verdict: "ok", message: "is set in every row" });
  else
    warn(
      `${counted(unset, "row")} without a stamp: every poll reads them again`,
      "Nothing is lost. If there are many, use a query with COALESCE of the change and the creation stamp.",
    );
  const future = await count("future");
  if (future > 0)
    warn(
      `${counted(future, "row")} with a stamp later than the server's clock: every poll reads them again`,
      "Check the source's `timezone`, and the clock of the machine that writes the stamps.",
    );
  try {
    await increment.marker.prove?.(bounds);
  } catch (thrown) {
    if (!(thrown instanceof ParkError)) throw thrown;
    findings.push(problem(subject, thrown));
  }
  const { engine } = context.database;
  if (table !== undefined && mark && (await engine.indexed(ask, table, mark.name)) === false)
    warn(
      `no index of ${table} begins with ${mark.name}: every poll reads the whole table`,
      `Ask the ERP's administrator for an index on (${[mark, ...read.key].map(({ name }) => name).join(", ")}).`,
    );
  return findings;
}
