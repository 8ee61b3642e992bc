import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#model";
import { DEFAULT_TOKEN, type Fault } from "#sandbox";
import { openStore } from "#store";
import { Child } from "./child.ts";
import { median, type Sizes } from "./figures.ts";
import { SandboxProcess, type Answer } from "./sandbox-process.ts";
import { CONCURRENCY, Stage } from "./stage.ts";
import { silentLogger } from "../kit/logger.ts";

export const CREATES = { method: "POST", resource: "customer", status: 200 } as const;

/** Records per second of svcsync beside a loop that only posts; `ratio` is the median of the rounds' ratios. */
export interface Rate {
  readonly latencyMs: number;
  readonly records: number;
  readonly svcsync: number;
  readonly bareLoop: number;
  readonly ratio: number;
  readonly ratios: readonly number[];
}

/**
 * First loads of svcsync and runs of the bare loop, one after the other in turn, so that what else the machine does
 * falls on both alike. The rate is the service's view: creates between the first and the last.
 */
export async function compareRates(latencyMs: number, sizes: Sizes): Promise<Rate> {
  const records = latencyMs === 0 ? sizes.load : sizes.slowLoad;
  await using stage = await Stage.set(records);
  const svcsync: number[] = [];
  const bareLoop: number[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    const loaded = await firstLoad(stage, records, latencyMs);
    svcsync.push(loaded.rate);
    bareLoop.push(await load("bare-loop-main.ts", loaded, latencyMs));
  }
  const ratios = svcsync.map((rate, round) => rate / bareLoop[round]!);
  return {
    latencyMs,
    records,
    svcsync: median(svcsync),
    bareLoop: median(bareLoop),
    ratio: median(ratios),
    ratios,
  };
}

/** Creates per second that the sandbox itself can take, from a generator with ready-made bytes. */
export async function sandboxRate(sizes: Sizes): Promise<number> {
  await using stage = await Stage.set(sizes.load);
  const loaded = await firstLoad(stage, sizes.load, 0);
  const rates: number[] = [];
  for (let round = 0; round < sizes.rounds; round++) rates.push(await load("lean-load-main.ts", loaded, 0));
  return median(rates);
}

/** What svcsync posted, and how fast. */
interface Loaded {
  readonly rate: number;
  /** Path and query of its creates. */
  readonly path: string;
  /** One body a line, read from its own audit. */
  readonly file: string;
  readonly count: number;
}

async function firstLoad(stage: Stage, records: number, latencyMs: number): Promise<Loaded> {
  await stage.forget();
  await using sandbox = await SandboxProcess.start(latencyOf(latencyMs));
  await using daemon = await stage.start("sync", sandbox);
  await daemon.ended();
  const window = await createsOf(sandbox, records);
  const file = join(stage.folder, "bodies.jsonl");
  await writeFile(file, `${(await bodiesOf(stage, records)).join("\n")}\n`);
  return { rate: rateOf(window), path: window.url ?? "", file, count: records };
}

async function bodiesOf(stage: Stage, records: number): Promise<string[]> {
  const parts = { as: "operator", clock: systemClock, logger: silentLogger } as const;
  await using store = await openStore(join(stage.folder, "data"), parts);
  const entries = await store.audit({ limit: records });
  return entries.map(({ after }) => JSON.stringify(after, (_name, value: unknown) => value ?? undefined));
}

export function latencyOf(ms: number): Fault[] {
  return ms > 0 ? [{ kind: "latency", ms }] : [];
}

async function load(program: string, { path, file, count }: Loaded, latencyMs: number): Promise<number> {
  await using sandbox = await SandboxProcess.start(latencyOf(latencyMs));
  await using loop = new Child(program, [`${sandbox.url}${path}`, file, String(CONCURRENCY), DEFAULT_TOKEN]);
  await loop.next(hasPosted);
  return rateOf(await createsOf(sandbox, count));
}

/** @throws {Error} unless there were exactly so many creates. */
export async function createsOf(sandbox: SandboxProcess, expected: number): Promise<Answer> {
  const window = await sandbox.window(CREATES);
  if (window.count !== expected) throw new Error(`${window.count} of ${expected} records were created`);
  return window;
}

export function rateOf({ count, firstAt = 0, lastAt = 0 }: Answer): number {
  return ((count - 1) / (lastAt - firstAt)) * 1000;
}

function hasPosted(message: unknown): message is { posted: number } {
  return typeof message === "object" && message !== null && "posted" in message;
}
