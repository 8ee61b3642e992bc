import { sql } from "kysely";
import { counted, errorFacts, isLoopback, errorText, type Clock, type Finding } from "#model";
import { checkKey, checkMarks } from "./check-columns.ts";
import type { Database } from "../database.ts";
import { describeRecords, type StreamContext } from "./feeds.ts";
import type { SqlSettings } from "../settings.ts";
import { otherMachine } from "../url.ts";

/** More than this between the server's clock and ours is worth knowing. */
const clockOffsetMs = 2_000;

/** Can the database be reached, which is it, and what time has it? */
export async function checkSource(database: Database, clock: Clock, signal: AbortSignal): Promise<Finding[]> {
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

/** A warning where passwords and records travel to another machine in plain text. */
export function plainFinding({ engine, source }: Database, { url, tls }: SqlSettings): Finding | undefined {
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

/** Is the table there with its columns, is the key a key, does the stamp hold stamps, will a poll be quick? */
export async function checkStream(context: StreamContext, signal: AbortSignal): Promise<Finding[]> {
  const { table, view } = context.read;
  const subject = table ?? view ?? "query";
  try {
    const layout = await describeRecords(context, signal);
    const { rows } = await context.database.ask(
      sql`select count(*) from ${layout.from} where ${layout.condition}`,
      signal,
    );
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

function problem(subject: string, thrown: unknown): Finding {
  const error = errorFacts(thrown);
  return { subject, verdict: "problem", message: errorText(error), code: error.code };
}
