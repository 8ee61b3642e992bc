import { sql } from "kysely";
import { counted, type ErrorCode, type Finding } from "#model";
import { all, list } from "../compile.ts";
import { conditionsOf } from "../markers/marker.ts";
import { scalar, type Ask } from "../engines/engine.ts";
import { changesFeed, type StreamContext } from "./feeds.ts";
import { countKeyless, reasonOf } from "./keyless.ts";
import { keyReader, type Layout } from "./layout.ts";

/** Is the key never NULL and unique together? */
export async function checkKey(context: StreamContext, layout: Layout, signal: AbortSignal): Promise<Finding[]> {
  const { database } = context;
  const subject = `${layout.label}: key`;
  const keyless = await countKeyless(database, layout, signal);
  const problem = (code: ErrorCode, message: string): Finding[] => [
    { subject, verdict: "problem", message: `${message} (${code})`, code },
  ];
  if (keyless > 0) return problem("E_SOURCE_KEY_NULL", reasonOf(layout, keyless));
  const names = list(layout.key.map((column) => sql.id(column.name)));
  const selected = list(layout.key.map((column, at) => sql`${database.engine.exact(column)} as ${sql.id(`c${at}`)}`));
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

/** Does the stamp or counter hold what it should, in every row, and can the database find the new ones quickly? */
export async function checkMarks(context: StreamContext, layout: Layout, signal: AbortSignal): Promise<Finding[]> {
  const { increment } = await changesFeed(context, signal);
  if (!increment) {
    const message = "no change stamp: every poll reads all rows and compares them by hash";
    return [{ subject: layout.label, verdict: "ok", message }];
  }
  const read = increment.part.layout;
  const ask: Ask = (query) => context.database.ask(query, signal);
  const { bounds } = await increment.marker.begin({ mark: null });
  const count = async (phase: "unset" | "future") => {
    if (!increment.marker.phases.includes(phase)) return 0;
    const which = all([read.condition, ...conditionsOf(increment.marker.condition(phase, bounds))]);
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
  const { engine } = context.database;
  if (table !== undefined && mark && (await engine.indexed(ask, table, mark.name)) === false)
    warn(
      `no index of ${table} begins with ${mark.name}: every poll reads the whole table`,
      `Ask the ERP's administrator for an index on (${[mark, ...read.key].map(({ name }) => name).join(", ")}).`,
    );
  return findings;
}
