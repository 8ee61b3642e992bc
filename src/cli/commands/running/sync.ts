import { PollsSeen, ProgressWatch, startDaemon, untilIdle } from "#daemon";
import { textLines, grouped, type RecordId, type StreamName } from "#model";
import {
  attentionLines,
  listHints,
  readReturns,
  returnNotes,
  returnUrgency,
  urgencyOf,
  type BlockedPolicy,
  type ReturnStatus,
} from "#operator";
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
import { exitCode, printJson, urgencyCode, type Io } from "../../output/io.ts";
import { isFirstLoad, Progress } from "../../output/progress.ts";
import { table } from "../../output/table.ts";
import { endedEarly, horizonMsOf, untilEnd } from "../../round.ts";

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
  const end = await untilEnd(
    daemon,
    { progress, settleMs: configuration.settings.delivery.settleMs, timeout: options.timeout, signal: io.signal },
    async (signal) => {
      await untilIdle(daemon, polls, names, horizonMs, signal);
      await daemon.returns.once(signal);
    },
  );
  shown.finish();
  const early = endedEarly(end, io, logger);
  if (end.kind === "failed") return exitCode.stopped;
  const statuses = await streamStatus(daemon.parts.store, syncFile.streams, daemon.parts.clock);
  const returns = await readReturns(daemon.parts.store.returns, syncFile.returns, daemon.parts.clock.now());
  const { requests } = daemon.parts.service.state();
  if (options.json) printJson(io.stdout, asJson({ statuses, returns }, totals, requests));
  else io.stdout.write(asText({ statuses, returns }, totals, requests));
  return early ?? outcome({ statuses, returns }, configuration.settings.blockedRecords);
}

interface Left {
  readonly statuses: readonly StreamStatus[];
  readonly returns: readonly ReturnStatus[];
}

/** The exit code by what the run leaves: first what needs a person, then what the next run retries. */
function outcome({ statuses, returns }: Left, blocked: BlockedPolicy): number {
  const code = urgencyCode(urgencyOf(statuses, blocked), returnUrgency(returns));
  const isLeft = statuses.some(({ counts }) => (counts.due ?? 0) > 0);
  return code === exitCode.ok && isLeft ? exitCode.again : code;
}

function asJson({ statuses, returns }: Left, totals: RunTotals, requests: number) {
  return {
    requests,
    streams: statuses.map((status) => ({ ...totals.of(status.name), ...status })),
    ...(returns.length > 0 && { returns }),
  };
}

function asText({ statuses, returns }: Left, totals: RunTotals, requests: number): string {
  const rows = statuses.map((status) => {
    const { read, created, adopted, updated, unchanged, deleted } = totals.of(status.name);
    const waiting = (status.counts.waiting ?? 0) + (status.counts.due ?? 0);
    return [status.name, read, created, adopted, updated, unchanged, deleted, waiting, needsPersonCount(status)];
  });
  const head = ["stream", "read", "created", "adopted", "updated", "unchanged", "deleted", "waiting", "needs you"];
  const sum = (name: keyof Totals) => [...totals.streams.values()].reduce((total, each) => total + each[name], 0);
  const writes = sum("created") + sum("updated") + sum("deleted");
  const asked = `${grouped(requests)} request${requests === 1 ? "" : "s"} to the service`;
  const summary = writes === 0 ? `Nothing to write: ${asked}.\n` : `${asked}.\n`;
  const notes = textLines([...attentionLines(statuses), ...listHints(statuses), ...returnNotes(returns)]);
  return [table(head, rows), summary, notes].filter((part) => part !== "").join("\n");
}
