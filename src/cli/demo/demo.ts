import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { PollsSeen, startDaemon, untilIdle, type Daemon } from "#daemon";
import { printable, grouped } from "#model";
import { queueText } from "#operator";
import { streamStatus, type StreamStatus } from "#pipeline";
import { loadLocalSettings } from "#settings";
import type { GlobalOptions, Registration } from "../command-context.ts";
import { exitCode, type Io } from "../output/io.ts";
import { Progress } from "../output/progress.ts";
import { table } from "../output/table.ts";
import { whenAborted } from "#model";
import { liveChanges, REFUSED_CUSTOMER, show } from "./live-changes.ts";
import { ServiceReader } from "./service-reader.ts";
import { setStage, type Stage } from "./stage.ts";
import { judge, type DemoResult } from "./verdict.ts";
import { wayBack } from "./way-back.ts";

interface DemoOptions extends GlobalOptions {
  /** Keeps everything running until Ctrl-C. */
  readonly keep?: boolean;
}

export const registerDemo: Registration = (cli) =>
  cli
    .command("demo", "Run a sample ERP and the sandbox: first load, live changes, counts")
    .option("--keep", "keep everything running until Ctrl-C")
    .action(cli.action(demo));

/** `svcsync demo`: runs the whole path from an ERP to the service with the real daemon, in its own environment. */
async function demo(options: DemoOptions, io: Io): Promise<number> {
  const say = (text: string) => io.stdout.write(`${text}\n`);
  const { secrets } = loadLocalSettings({});
  const folder = await mkdtemp(join(tmpdir(), "svcsync-demo-"));
  // Windows keeps files for a moment after they were closed, and then refuses to remove the folder.
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
  await using stage = await setStage(folder, secrets.queueUrl);
  const streams = stage.configuration.syncFile.streams.map(({ name }) => name);
  const polls = new PollsSeen();
  const progress = new Progress(streams, io, { bars: io.isTerminal });
  say(`A sample ERP (SQLite) in ${folder}`);
  say(`A stand-in for the service at ${stage.sandbox.url}`);
  say("\nFirst load:\n");
  progress.start();
  const startedAt = Date.now();
  await using daemon = await startDaemon(stage.configuration, {
    polls: "scheduled",
    web: true,
    observers: [polls, progress],
  });
  const failure = await Promise.race([daemon.failure, untilIdle(daemon, polls, streams, 0, io.signal)]);
  progress.finish();
  if (failure) throw failure;
  if (io.signal.aborted) return exitCode.again;
  const loaded = await daemon.parts.store.counts();
  const synced = [...loaded.values()].reduce((sum, { applied = 0 }) => sum + applied, 0);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(`\n  ${grouped(synced)} records in ${seconds} s, with the queue ${queueText(daemon.queueKind)}.`);

  const service = new ServiceReader(stage.sandbox.url);
  say("\nNow the ERP changes, and work comes back:\n");
  const allSeen = await changeLive(stage, daemon, service, io);
  if (io.signal.aborted) return exitCode.again;
  const requests = daemon.parts.service.state().requests;
  const verdicts = await judge(stage.erp, service, new Set([REFUSED_CUSTOMER]));
  const statuses = await streamStatus(daemon.parts.store, stage.configuration.syncFile.streams, daemon.parts.clock);
  say(`\n${report(statuses, verdicts)}`);
  say(`${grouped(requests)} requests to the service.`);
  for (const line of complaints(verdicts)) say(`  ${line}`);
  const blocked = statuses.reduce((sum, { counts }) => sum + (counts.waiting ?? 0), 0);
  if (blocked > 0) {
    say(`${blocked} records are blocked: the ERP deleted their customer before svcsync saw it.`);
    say('They harm nothing; "svcsync records --state waiting" lists them by cause.');
  }
  const holds = allSeen && verdicts.every(isClean);
  const outcome = holds
    ? coloured(io.terminal, "green", "Every other record of the ERP is in the service, once, as the ERP says.")
    : coloured(io.terminal, "red", "THE COUNTS DO NOT HOLD.");
  io.terminal.write(`${outcome}\n\n`);
  say(nextSteps(stage, daemon, options.keep ?? false));
  if (options.keep) await Promise.race([whenAborted(io.signal), daemon.failure]);
  return holds ? exitCode.ok : exitCode.needsPerson;
}

async function changeLive(stage: Stage, daemon: Daemon, service: ServiceReader, io: Io): Promise<boolean> {
  const isParked = async (stream: string, key: string) => {
    const record = await daemon.parts.store.record({ stream, key });
    const said = record?.error?.message.replace(/^[A-Z]+ \S+ answered/, "the service answered");
    return record?.state === "parked" ? `it is parked: ${said}` : undefined;
  };
  let allSeen = true;
  const changes = [...liveChanges(stage.erp, service, isParked), wayBack(stage.erp, stage.sandbox.people, service)];
  for (const change of changes) {
    io.stdout.write(`  ${change.what}\n`);
    const result = await show(change, io.signal);
    const seen = result ? `${result.seen} (${(result.afterMs / 1000).toFixed(1)} s)` : "NOT SEEN in the service";
    io.terminal.write(`    ${coloured(io.terminal, result ? "green" : "red", "→")} ${printable(seen)}\n`);
    allSeen &&= result !== undefined;
  }
  return allSeen;
}

/**
 * Where the records of each stream are. The columns up to `deleted` add up to `records`; states without records are left
 * out.
 */
function report(statuses: readonly StreamStatus[], verdicts: readonly DemoResult[]): string {
  const states = [
    { head: "in sync", of: ({ counts }: StreamStatus) => counts.applied ?? 0 },
    { head: "due", of: ({ counts }: StreamStatus) => (counts.due ?? 0) + (counts.claimed ?? 0) },
    { head: "blocked", of: ({ counts }: StreamStatus) => counts.waiting ?? 0 },
    { head: "parked", of: ({ counts }: StreamStatus) => (counts.parked ?? 0) + (counts.uncertain ?? 0) },
    { head: "left out", of: ({ counts }: StreamStatus) => counts.skipped ?? 0 },
    { head: "deleted", of: ({ counts }: StreamStatus) => counts.deleted ?? 0 },
  ].filter(({ of }) => statuses.some((status) => of(status) > 0));
  const rows = statuses.map((status) => {
    const { records: found, duplicates, missing, different } = verdicts.find(({ stream }) => stream === status.name)!;
    const figures = states.map(({ of }) => of(status));
    const sum = figures.reduce((total, figure) => total + figure, 0);
    return [status.name, sum, ...figures, found, duplicates, missing.length + different.length];
  });
  return table(["stream", "records", ...states.map(({ head }) => head), "in service", "twice", "wrong"], rows);
}

function isClean({ duplicates, missing, different }: DemoResult): boolean {
  return duplicates === 0 && missing.length === 0 && different.length === 0;
}

function* complaints(verdicts: readonly DemoResult[]): Iterable<string> {
  for (const { stream, missing, different } of verdicts) {
    for (const key of missing.slice(0, 5)) yield `${stream}: ${key} is missing`;
    for (const line of different.slice(0, 5)) yield `${stream}: ${line}`;
  }
}

function nextSteps(stage: Stage, daemon: Daemon, keep: boolean): string {
  if (!keep)
    return "npm run demo -- --keep leaves everything running: the status page, the commands,\nthe service and the ERP to play with.";
  const env = `--env-file ${stage.envFile}`;
  return [
    "What to look at:",
    `  status page  ${daemon.url}`,
    `  the service  ${stage.sandbox.controlUrl}/__sandbox/`,
    `  the ERP      ${stage.erp.path}`,
    `  the log      ${stage.logFile}`,
    "  commands     npx svcsync status \\",
    `                 ${env}`,
    `               npx svcsync explain customers/${REFUSED_CUSTOMER} \\`,
    `                 ${env}`,
    "",
    "Everything keeps running. Ctrl-C ends it and removes the folder.",
  ].join("\n");
}

/** A coloured text, if `terminal` shows colours: respects NO_COLOR, and outputs that are not terminals. */
export function coloured(terminal: NodeJS.WritableStream, colour: "green" | "red", text: string): string {
  return styleText(colour, text, { stream: terminal });
}
