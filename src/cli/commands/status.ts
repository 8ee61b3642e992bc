import { oneLine, systemClock } from "#model";
import { attentionOf, duration, ErrorGroups, listHints, type ErrorGroup } from "#operator";
import { streamStatus, type StreamStatus } from "#pipeline";
import { eachRecord } from "../each-record.ts";
import { daemonWords } from "../output/daemon-words.ts";
import { openStoreContext, type GlobalOptions } from "../command-context.ts";
import { statusCode } from "../output/exit-code.ts";
import type { Io } from "../output/io.ts";
import { printJson } from "../output/json.ts";
import { table } from "../output/table.ts";

export interface StatusOptions extends GlobalOptions {
  readonly json?: boolean;
}

/** `svcsync status`: how each stream stands, from the store, and what a running daemon says of the others. */
export async function status(options: StatusOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const statuses = await streamStatus(context.store, context.syncFile.streams, systemClock);
  const causes = new ErrorGroups();
  for await (const record of eachRecord(context.store, { states: ["parked", "uncertain"] })) causes.add(record);
  if (options.json) printJson(io.stdout, { streams: statuses, causes: causes.list() });
  else io.stdout.write(asText(statuses, causes.list(), await daemonWords(context.settings.health)));
  return statusCode(statuses, context.settings.blockedRecords);
}

/** The largest causes; "svcsync records" has all of them, with what to do. */
const CAUSES_SHOWN = 5;

function asText(statuses: readonly StreamStatus[], causes: readonly ErrorGroup[], daemon: readonly string[]): string {
  const rows = statuses.map(({ name, state, lagMs, counts }) => [
    name,
    state,
    lagMs === undefined ? "never" : `${duration(lagMs)} ago`,
    counts.applied ?? 0,
    (counts.due ?? 0) + (counts.claimed ?? 0),
    counts.waiting ?? 0,
    counts.parked ?? 0,
    counts.uncertain ?? 0,
    counts.skipped ?? 0,
    counts.deleted ?? 0,
  ]);
  const head = ["stream", "state", "polled", "in sync", "due", "waiting", "parked", "uncertain", "left out", "deleted"];
  const reasons = causes
    .slice(0, CAUSES_SHOWN)
    .map(
      ({ stream, state, count, code, message }) =>
        `${stream}: ${count.toLocaleString("en")} ${state}: ${message} (${code})`,
    );
  if (causes.length > CAUSES_SHOWN) reasons.push(`${causes.length - CAUSES_SHOWN} more causes`);
  const notes = [...attentionOf(statuses), ...reasons, ...listHints(statuses), ...daemon].map(
    (line) => `${oneLine(line)}\n`,
  );
  return [table(head, rows), ...(notes.length === 0 ? [] : [notes.join("")])].join("\n");
}
