import { PollsSeen, ProgressWatch, startDaemon, untilIdle } from "#daemon";
import { errorText, oneLine, StopError, type ErrorFacts, type RecordId, type StreamName } from "#model";
import { attentionLines, duration, knownRemedyOf, listHints, type BlockedPolicy } from "#operator";
import {
  needsPersonCount,
  streamStatus,
  type Delivery,
  type Observer,
  type PollFacts,
  type StreamStatus,
} from "#pipeline";
import { positiveInteger } from "../../arguments.ts";
import { readConfiguration, type JsonOptions, type Registration } from "../../command-context.ts";
import { exitCode, printJson, statusCode, type Io } from "../../output/io.ts";
import { isFirstLoad, Progress } from "../../output/progress.ts";
import { table } from "../../output/table.ts";

/** The run waits for retries and waits that end within this time; later ones are left to the next run. */
const HORIZON_MS = 30_000;
/** A run without any progress for this long ends, so that it never blocks the next one. */
const TIMEOUT_SECONDS = 300;
/** How much later than the settle time its last step may become due. */
const SETTLE_MARGIN_MS = 5_000;

/** How long the queue may be away: longer than a restart of Redis takes. */
const QUEUE_PATIENCE_MS = 30_000;
const QUEUE_LOOK_MS = 5_000;

/** The queue does not answer, so nothing can be polled or delivered. */
class QueueGone {
  readonly error: ErrorFacts;

  constructor(error: ErrorFacts) {
    this.error = error;
  }
}

/** Pending where the watch ended without a finding, so that it wins no race. */
function goneOf(error: ErrorFacts | undefined): QueueGone | Promise<never> {
  return error === undefined ? new Promise<never>(() => undefined) : new QueueGone(error);
}

interface SyncOptions extends JsonOptions {
  /** Seconds without any progress after which the run ends. */
  readonly timeout?: number;
}

const nothingDone = { read: 0, changed: 0, created: 0, adopted: 0, updated: 0, unchanged: 0, deleted: 0 };
type Totals = typeof nothingDone;

/** Counts what one run did, by stream. */
class RunTotals implements Observer {
  readonly streams = new Map<StreamName, Totals>();

  polled(stream: StreamName, { rowsRead, changed }: PollFacts): void {
    const totals = this.of(stream);
    totals.read += rowsRead;
    totals.changed += changed;
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    if (delivery.kind !== "done") return;
    const totals = this.of(stream);
    if (delivery.outcome !== "skipped") totals[delivery.outcome] += 1;
  }

  of(stream: StreamName): Totals {
    const totals = this.streams.get(stream) ?? { ...nothingDone };
    this.streams.set(stream, totals);
    return totals;
  }
}

export const registerSync: Registration = (cli) =>
  cli
    .command("sync", "Run one round: poll every stream, deliver until nothing is due, exit (for cron)")
    .option("--timeout <seconds>", "exit with 75 after this long without progress (default: 300)", positiveInteger)
    .option("--json", "the result as one line of JSON")
    .action(cli.action(sync));

/** `svcsync sync`: polls every stream once, delivers until nothing is due, and prints a summary. For cron. */
export async function sync(options: SyncOptions, io: Io): Promise<number> {
  const configuration = await readConfiguration(options, io, io.stderr);
  const { syncFile, logger } = configuration;
  const names = syncFile.streams.map(({ name }) => name);
  const horizonMs = horizonMsOf(configuration.settings.delivery.settleMs);
  const polls = new PollsSeen();
  const totals = new RunTotals();
  const progress = new ProgressWatch();
  const shown = new Progress(names, io, { bars: true });
  await using daemon = await startDaemon(configuration, { polls: "once", observers: [polls, totals, progress, shown] });
  if (io.isTerminal && !options.json && (await isFirstLoad(daemon.parts.store, names))) shown.start();
  // A failed daemon never becomes idle: abort the wait, or the process would never exit.
  const looking = new AbortController();
  const signal = AbortSignal.any([io.signal, looking.signal]);
  const limitMs = Math.max(configuration.settings.delivery.settleMs, (options.timeout ?? TIMEOUT_SECONDS) * 1000);
  const isIdle = untilIdle(daemon, polls, names, horizonMs, signal);
  const isStalled = progress.stalled(limitMs, signal);
  const patience = { everyMs: QUEUE_LOOK_MS, patienceMs: Math.min(QUEUE_PATIENCE_MS, limitMs) };
  const isQueueGone = daemon.queueGone(patience, signal);
  const end = await Promise.race([daemon.failure, isIdle, isStalled, isQueueGone.then(goneOf)]);
  looking.abort();
  await Promise.allSettled([isIdle, isStalled]);
  shown.finish();
  const failure = end instanceof StopError ? end : undefined;
  if (failure) {
    logger.error({ err: failure, remedy: knownRemedyOf(failure.code) }, "daemon could not continue");
    return exitCode.stopped;
  }
  const statuses = await streamStatus(daemon.parts.store, syncFile.streams, daemon.parts.clock);
  const { requests } = daemon.parts.service.state();
  if (options.json) printJson(io.stdout, asJson(statuses, totals, requests));
  else io.stdout.write(asText(statuses, totals, requests));
  if (io.signal.aborted) return exitCode.again;
  if (end instanceof QueueGone) {
    const remedy = knownRemedyOf(end.error.code) ?? "Check QUEUE_URL.";
    io.stderr.write(`This round ends, because ${errorText(end.error)}.\n  -> ${remedy} The next round continues.\n`);
    return exitCode.again;
  }
  if (end === true) {
    io.stderr.write(`Nothing progressed for ${duration(limitMs)}, so this round ends; the next one continues.\n`);
    return exitCode.again;
  }
  return outcome(statuses, configuration.settings.blockedRecords);
}

/**
 * How far ahead a retry or a wait may lie for the run to stay for it. Each run starts its own wait for a write without
 * an answer: a run that ended before `settleMs` would never settle it.
 */
export function horizonMsOf(settleMs: number): number {
  return Math.max(HORIZON_MS, settleMs + SETTLE_MARGIN_MS);
}

/** The exit code by what the run leaves: first what needs a person, then what the next run retries. */
function outcome(statuses: readonly StreamStatus[], blocked: BlockedPolicy): number {
  const code = statusCode(statuses, blocked);
  const isLeft = statuses.some(({ counts }) => (counts.due ?? 0) > 0);
  return code === exitCode.ok && isLeft ? exitCode.again : code;
}

function asJson(statuses: readonly StreamStatus[], totals: RunTotals, requests: number) {
  return {
    requests,
    streams: statuses.map((status) => ({ ...totals.of(status.name), ...status })),
  };
}

function asText(statuses: readonly StreamStatus[], totals: RunTotals, requests: number): string {
  const rows = statuses.map((status) => {
    const { read, created, adopted, updated, unchanged, deleted } = totals.of(status.name);
    const waiting = (status.counts.waiting ?? 0) + (status.counts.due ?? 0);
    return [status.name, read, created, adopted, updated, unchanged, deleted, waiting, needsPersonCount(status)];
  });
  const head = ["stream", "read", "created", "adopted", "updated", "unchanged", "deleted", "waiting", "needs you"];
  const sum = (name: keyof Totals) => [...totals.streams.values()].reduce((total, each) => total + each[name], 0);
  const writes = sum("created") + sum("updated") + sum("deleted");
  const asked = `${requests.toLocaleString("en")} request${requests === 1 ? "" : "s"} to the service`;
  const summary = writes === 0 ? `Nothing to write: ${asked}.\n` : `${asked}.\n`;
  const notes = [...attentionLines(statuses), ...listHints(statuses)].map((line) => `${oneLine(line)}\n`);
  return [table(head, rows), summary, ...(notes.length === 0 ? [] : [notes.join("")])].join("\n");
}
