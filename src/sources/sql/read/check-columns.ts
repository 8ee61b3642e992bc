import { sql } from "kysely";
import type { Finding } from "#model";
import { all, list } from "../compile.ts";
import { conditionsOf } from "../markers/marker.ts";
import type { Ask } from "../engines/engine.ts";
import { changesFeed, type StreamContext } from "./feeds.ts";
import { countKeyless, reasonOf } from "./keyless.ts";
import { keyReader, type Layout } from "./layout.ts";

/** Is the key never NULL and unique together? */
export async function checkKey(context: StreamContext, layout: Layout, signal: AbortSignal): Promise<Finding[]> {
  const { database } = context;
  const subject = `${layout.label}: key`;
  const keyless = await countKeyless(database, layout, signal);
  if (keyless > 0)
    return [
      {
        subject,
        verdict: "problem",
        message: `${reasonOf(layout, keyless)} (E_SOURCE_KEY_NULL)`,
        code: "E_SOURCE_KEY_NULL",
      },
    ];
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
  return [
    {
      subject,
      verdict: "problem",
      message: `several rows have the key ${key} (E_SOURCE_KEY_AMBIGUOUS)`,
      code: "E_SOURCE_KEY_AMBIGUOUS",
    },
  ];
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
    return Number((await ask(sql`select count(*) from ${read.from} where ${which}`)).rows[0]![0]);
  };
  return [
    ...zoneFindings(increment.marker.wall && !context.zoneIsSet, read),
    ...unsetFindings(read, await count("unset")),
    ...futureFindings(read, await count("future")),
    ...(await indexFindings(context, read, ask)),
  ];
}

function subjectOf(layout: Layout): string {
  return `${layout.label}: ${layout.marks.map(({ name }) => name).join(", ")}`;
}

function zoneFindings(assumed: boolean, layout: Layout): Finding[] {
  if (!assumed) return [];
  return [
    {
      subject: subjectOf(layout),
      verdict: "warning",
      message: "its stamps carry no time zone, and the source has none: they are read as UTC",
      remedy: "Set the source's `timezone` to the zone in which the ERP writes, e.g. Europe/Berlin.",
    },
  ];
}

function unsetFindings(layout: Layout, count: number): Finding[] {
  const subject = subjectOf(layout);
  if (count === 0) return [{ subject, verdict: "ok", message: "is set in every row" }];
  return [
    {
      subject,
      verdict: "warning",
      message: `${count} rows have no stamp: every poll reads them again`,
      remedy: "Nothing is lost. Where they are many, use a query with COALESCE of the change and the creation stamp.",
    },
  ];
}

function futureFindings(layout: Layout, count: number): Finding[] {
  if (count === 0) return [];
  return [
    {
      subject: subjectOf(layout),
      verdict: "warning",
      message: `${count} rows have a stamp later than the server's clock: every poll reads them again`,
      remedy: "Check the source's `timezone`, and the clock of the machine that writes the stamps.",
    },
  ];
}

async function indexFindings(context: StreamContext, layout: Layout, ask: Ask): Promise<Finding[]> {
  const { read, database } = context;
  const table = read.outbox?.table ?? read.table;
  const [mark] = layout.marks;
  const indexed = table === undefined || !mark ? undefined : await database.engine.indexed(ask, table, mark.name);
  if (indexed !== false) return [];
  return [
    {
      subject: subjectOf(layout),
      verdict: "warning",
      message: `no index of ${table} begins with ${mark!.name}: every poll reads the whole table`,
      remedy: `Ask the ERP's administrator for an index on (${mark!.name}, ${layout.key.map(({ name }) => name).join(", ")}).`,
    },
  ];
}
