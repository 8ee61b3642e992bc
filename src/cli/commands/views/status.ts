import { stopNote } from "#daemon";
import { errorText, systemClock, textLines, grouped } from "#model";
import {
  arrivalText,
  attentionLines,
  roughDuration,
  ErrorGroups,
  isShared,
  listHints,
  readReturns,
  readUpkeep,
  remedyOf,
  returnNotes,
  returnUrgency,
  streamMeanings,
  unlistedStreams,
  urgencyOf,
  upkeepText,
  type ErrorGroup,
  type ReturnStatus,
} from "#operator";
import { streamStatus, type StreamStatus } from "#pipeline";
import { eachRecord } from "#store";
import { openStoreContext, type JsonOptions, type Registration, type StoreContext } from "../../command-context.ts";
import { daemonWords } from "../../output/daemon-words.ts";
import { glossary } from "../../output/glossary.ts";
import { exitCode, printJson, urgencyCode, type Io } from "../../output/io.ts";
import { fittingTables } from "../../output/table.ts";
import { wrapped } from "../../output/wrapped.ts";
import { returnHeads, returnRow } from "../returns/return-table.ts";

export const registerStatus: Registration = (cli) =>
  cli
    .command("status", "Show the state of each stream, what needs attention, and the health of service and queue")
    .option("--json", "the status as JSON, from the store alone")
    .addHelpText("after", streamWords)
    .action(cli.action(status));

const streamWords = `${glossary("Stream states", streamMeanings)}A held stream waits for "svcsync adopt", or for "svcsync plan" after a changed mapping. "svcsync pause" sets the end of a pause.
Records: in sync (the service has what the ERP showed last), due (in progress), waiting (for another record), parked and
uncertain (you must act), left out (by the rules of the stream or by a user), deleted (in the ERP).
`;

/** `svcsync status`: shows the state of each stream from the store, and what a running daemon reports about other parts. */
async function status(options: JsonOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const facts = await readStatus(context);
  const { streams: statuses, causes, unlisted, stopped, returns, ...upkeep } = facts;
  if (options.json) printJson(io.stdout, facts);
  else {
    const now = systemClock.now();
    const words = [
      ...unlisted.flatMap(({ message, remedy }) => [message, `  -> ${remedy}`]),
      ...upkeepText(upkeep, now),
      ...(stopped
        ? [
            `svcsync stopped ${roughDuration(now - stopped.at)} ago, because it could not continue: ${errorText(stopped)}`,
            `  -> ${stopped.remedy}`,
          ]
        : []),
      ...(await daemonWords(context.settings.health, context.secrets.pageToken)),
    ];
    io.stdout.write(asText(statuses, { causes, returns, words }, io.width));
  }
  const urgencies = [urgencyOf(statuses, context.settings.blockedRecords), returnUrgency(returns)];
  return stopped ? exitCode.needsPerson : urgencyCode(...urgencies);
}

/** What `svcsync status --json` prints. */
export async function readStatus({ store, syncFile }: Pick<StoreContext, "store" | "syncFile">) {
  const streams = await streamStatus(store, syncFile.streams, systemClock);
  const causes = new ErrorGroups();
  for await (const record of eachRecord(store, { states: ["parked", "uncertain"] })) causes.add(record);
  const unlisted = await unlistedStreams(store, syncFile.streams);
  const upkeep = await readUpkeep(store);
  // With several daemons, one may have stopped while the others work.
  const stop = isShared(upkeep) ? undefined : await store.note(stopNote);
  const stopped = stop && { ...stop, remedy: remedyOf(stop, { stream: "STREAM" }) };
  const returns = await readReturns(store.returns, syncFile.returns, systemClock.now());
  return { streams, causes: causes.list(), unlisted, stopped, returns, ...upkeep };
}

/** The largest causes; "svcsync records" lists all of them with remedies. */
const CAUSES_SHOWN = 5;

interface StatusWords {
  readonly causes: readonly ErrorGroup[];
  readonly returns: readonly ReturnStatus[];
  readonly words: readonly string[];
}

function asText(
  statuses: readonly StreamStatus[],
  { causes, returns, words }: StatusWords,
  width: number | undefined,
): string {
  const rows = statuses.map(({ name, state, lagMs, undeliveredMs, arrival, counts }) => [
    name,
    state,
    lagMs === undefined ? "never" : `${roughDuration(lagMs)} ago`,
    undeliveredMs === undefined ? "" : roughDuration(undeliveredMs),
    arrival === undefined ? "" : arrivalText(arrival),
    counts.applied ?? 0,
    (counts.due ?? 0) + (counts.claimed ?? 0),
    counts.waiting ?? 0,
    counts.parked ?? 0,
    counts.uncertain ?? 0,
    counts.skipped ?? 0,
    counts.deleted ?? 0,
  ]);
  const head = [
    "stream",
    "state",
    "polled",
    "behind",
    "takes at most",
    "in sync",
    "due",
    "waiting",
    "parked",
    "uncertain",
    "left out",
    "deleted",
  ];
  const reasons = causes
    .slice(0, CAUSES_SHOWN)
    .map(
      ({ stream, state, count, code, message }) =>
        `${stream}: ${grouped(count)} ${state}: ${code ? errorText({ message, code }) : message}`,
    );
  if (causes.length > CAUSES_SHOWN) reasons.push(`${causes.length - CAUSES_SHOWN} more causes`);
  const back = returns.length === 0 ? "" : fittingTables(returnHeads, returns.map(returnRow), width);
  const notes = [...attentionLines(statuses), ...reasons, ...listHints(statuses), ...returnNotes(returns), ...words];
  const parts = [fittingTables(head, rows, width), back, wrapped(textLines(notes), width)];
  return parts.filter((part) => part !== "").join("\n");
}
