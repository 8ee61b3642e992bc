import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drained, PollsSeen, startDaemon, type Daemon } from "#daemon";
import { loadLocalSettings } from "#settings";
import { needsPersonCount, streamStatus } from "#pipeline";
import { exitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { table } from "../table.ts";
import { whenAborted } from "../when-aborted.ts";
import { liveChanges, REFUSED_CUSTOMER, show } from "./live-changes.ts";
import { Progress } from "./progress.ts";
import { provideRedis } from "./provide-redis.ts";
import { ServiceReader } from "./service-reader.ts";
import { setStage, type Stage } from "./stage.ts";
import { judge, type Verdict } from "./verdict.ts";

export interface DemoOptions {
  /** Leaves everything running until Ctrl-C. */
  readonly keep?: boolean;
}

const MANY = 10_000;

/** `svcsync demo`: the whole way from an ERP to the service, on a stage of its own, with the real daemon. */
export async function demo(options: DemoOptions, io: Io): Promise<number> {
  const say = (text: string) => io.stdout.write(`${text}\n`);
  const { secrets } = loadLocalSettings({});
  if (secrets.queueUrl === undefined) await provideRedis(say);
  const folder = await mkdtemp(join(tmpdir(), "svcsync-demo-"));
  await using stage = await setStage(folder, secrets.queueUrl);
  const streams = stage.configuration.syncFile.streams.map(({ name }) => name);
  const polls = new PollsSeen();
  const progress = new Progress(streams, io);
  say(`A sample ERP (SQLite) and a stand-in for the service (${stage.sandbox.url}) stand in ${folder}.`);
  say("\nFirst load:\n");
  const startedAt = Date.now();
  await using daemon = await startDaemon(stage.configuration, {
    polls: "scheduled",
    web: true,
    observers: [polls, progress],
  });
  const failure = await Promise.race([daemon.failure, drained(daemon, polls, streams, 0, io.signal)]);
  progress.finish();
  if (failure) throw failure;
  if (io.signal.aborted) return exitCode.again;
  say(`\n  ${records(progress)} records in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);

  const service = new ServiceReader(stage.sandbox.url);
  say("\nNow the ERP changes:\n");
  const allSeen = await changeLive(stage, daemon, service, io);
  if (io.signal.aborted) return exitCode.again;
  const requests = daemon.parts.service.state().requests;
  const verdicts = await judge(stage.erp, service, new Set([REFUSED_CUSTOMER]));
  say(`\n${await report(stage, daemon, progress, verdicts)}`);
  say(`${requests.toLocaleString("en")} requests to the service.`);
  for (const line of complaints(verdicts)) say(`  ${line}`);
  const waiting = (await daemon.parts.store.records({ states: ["waiting"], limit: MANY })).length;
  if (waiting > 0)
    say(
      `${waiting} records wait, as they should: the ERP deleted their customer before svcsync saw it. "svcsync records --state waiting" lists them.`,
    );
  const holds = allSeen && verdicts.every(isClean);
  say(
    holds ? "Every other record of the ERP is in the service, once, as the ERP says.\n" : "THE COUNTS DO NOT HOLD.\n",
  );
  say(nextSteps(stage, daemon, options.keep ?? false));
  if (options.keep) await Promise.race([whenAborted(io.signal), daemon.failure]);
  return holds ? exitCode.ok : exitCode.needsPerson;
}

async function changeLive(stage: Stage, daemon: Daemon, service: ServiceReader, io: Io): Promise<boolean> {
  const isParked = async (stream: string, key: string) => {
    const record = await daemon.parts.store.record({ stream, key });
    return record?.state === "parked" ? `it is parked: ${record.error?.message}` : undefined;
  };
  let allSeen = true;
  for (const change of liveChanges(stage.erp, service, isParked)) {
    io.stdout.write(`  ${change.what}\n`);
    const result = await show(change, io.signal);
    if (result) io.stdout.write(`    → ${result.seen} (${(result.afterMs / 1000).toFixed(1)} s)\n`);
    else io.stdout.write("    → NOT SEEN in the service\n");
    allSeen &&= result !== undefined;
  }
  return allSeen;
}

async function report(stage: Stage, daemon: Daemon, progress: Progress, verdicts: readonly Verdict[]): Promise<string> {
  const { store, clock } = daemon.parts;
  const statuses = await streamStatus(store, stage.configuration.syncFile.streams, clock);
  const rows = statuses.map((status) => {
    const { read, created, updated, unchanged } = progress.totals.get(status.name)!;
    const verdict = verdicts.find(({ stream }) => stream === status.name)!;
    const wait = (status.counts.waiting ?? 0) + (status.counts.due ?? 0);
    const { records: found, duplicates, missing, different } = verdict;
    const wrong = missing.length + different.length;
    return [status.name, read, created, updated, unchanged, wait, needsPersonCount(status), found, duplicates, wrong];
  });
  const head = ["stream", "read", "created", "updated", "unchanged", "waiting", "parked"];
  return table([...head, "in the service", "duplicates", "differing"], rows);
}

function records(progress: Progress): string {
  return [...progress.totals.values()].reduce((sum, { created }) => sum + created, 0).toLocaleString("en");
}

function isClean({ duplicates, missing, different }: Verdict): boolean {
  return duplicates === 0 && missing.length === 0 && different.length === 0;
}

function* complaints(verdicts: readonly Verdict[]): Iterable<string> {
  for (const { stream, missing, different } of verdicts) {
    for (const key of missing.slice(0, 5)) yield `${stream}: ${key} is missing`;
    for (const line of different.slice(0, 5)) yield `${stream}: ${line}`;
  }
}

function nextSteps(stage: Stage, daemon: Daemon, keep: boolean): string {
  const env = `--env-file ${stage.envFile}`;
  const lines = [
    "What to look at:",
    `  the log      ${stage.logFile}`,
    `  the store    ${join(stage.configuration.settings.dataDir, "svcsync.db")}`,
    `  commands     npx svcsync status ${env}`,
    `               npx svcsync records ${env}`,
    `               npx svcsync explain customers/${REFUSED_CUSTOMER} ${env}`,
  ];
  if (keep)
    lines.push(
      `  status page  ${daemon.url}`,
      `  the service  ${stage.sandbox.controlUrl}/__sandbox/`,
      `  the ERP      ${stage.erp.path} (change it with any SQLite tool)`,
      "",
      "Everything keeps running. Ctrl-C ends it.",
    );
  else
    lines.push(
      "",
      "npm run demo -- --keep leaves everything running: the status page, the service and the ERP to play with.",
    );
  return lines.join("\n");
}
