import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { builtProgram } from "../../setup/built-program.ts";
import type { Sizes } from "../figures.ts";
import type { Measured } from "../runs.ts";
import { writeEnvironment } from "../stage.ts";
import { Reader, type Reading } from "./reader.ts";
import { storeFolder, STAGING_TARGETS } from "./staging.ts";
import { benchTable, type BenchTable } from "./tables.ts";

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;
const MICROS_PER_MS = 1_000;
const CHANGED_SHARE = 0.001;
/** The commands that are measured ask the store alone. */
const NO_SERVICE = { url: "http://127.0.0.1:9" };

/** `linear`: what grows with the records, at most so many times as fast. `constant`: what does not, at most so much slower. */
export const GROWTH_TARGETS = { linear: 1.3, rowsPerSecond: 40_000, peakMb: 350, storeBytes: 400 };

/** What one size took, in milliseconds, and the most memory of the process that polled. */
interface Size {
  readonly records: number;
  readonly first: Reading;
  readonly took: ReadonlyMap<string, { readonly ms: number; readonly grows: "linear" | "constant" }>;
  readonly peakBytes: number;
  /** Of the store's file, beyond the rows themselves. */
  readonly storeBytes: number;
  readonly pageMs: number;
  readonly stallMs: number;
  readonly turnMs: number;
}

/** The same steps for each size; what a step takes of the next size is compared with what it took of the one before. */
export async function measureGrowth({ growth }: Sizes): Promise<Measured[]> {
  const sizes: Size[] = [];
  for (const records of growth) sizes.push(await sizeOf(records));
  return [...sizes.flatMap(figuresOf), ...sizes.slice(1).flatMap((size, at) => compared(sizes[at]!, size))];
}

/** Only the largest size, and of it only the first reading. */
export async function measureFirstRead({ growth }: Sizes): Promise<Measured[]> {
  const records = Math.max(...growth);
  await using table = await benchTable("SQLite", records);
  await using folder = await storeFolder();
  const first = await firstReading(table, folder.path, records);
  return firstFigures(records, first, (await rowlessBytes(folder.path)) / records);
}

async function firstReading(table: BenchTable, folder: string, records: number): Promise<Reading> {
  await using reader = await Reader.start(table.url, join(folder, "data"));
  return await reader.poll({ rows: records, changed: records });
}

async function sizeOf(records: number): Promise<Size> {
  await using table = await benchTable("SQLite", records);
  await using folder = await storeFolder();
  const first = await firstReading(table, folder.path, records);
  const storeBytes = await rowlessBytes(folder.path);
  await using reader = await Reader.start(table.url, join(folder.path, "data"));
  const unchanged = await reader.poll({ rows: records, changed: 0 });
  const { stallMs, turnMs, pageMs } = await reader.pollBesidePages({ rows: records, changed: 0 });
  const count = Math.ceil(records * CHANGED_SHARE);
  await table.change(count);
  const few = await reader.poll({ rows: records, changed: count });
  const environment = await writeEnvironment(folder.path, NO_SERVICE, { erpUrl: table.url });
  const svcsync = async (...args: string[]) => {
    const begun = performance.now();
    await run(process.execPath, [builtProgram, ...args, "--env-file", environment]);
    return performance.now() - begun;
  };
  const took: Size["took"] = new Map([
    ["first reading", { ms: first.ms, grows: "linear" }],
    ["poll without a change", { ms: unchanged.ms, grows: "linear" }],
    ["poll with 0.1 % changed", { ms: few.ms, grows: "linear" }],
    ["restart", { ms: few.openMs, grows: "linear" }],
    ["status", { ms: await svcsync("status"), grows: "linear" }],
    ["explain", { ms: await svcsync("explain", "customers/K00000001"), grows: "constant" }],
    ["backup", { ms: await svcsync("backup", join(folder.path, "copy.db")), grows: "linear" }],
  ] as const);
  return { records, first, took, peakBytes: few.peakBytes, storeBytes: storeBytes / records, stallMs, turnMs, pageMs };
}

/** The store's files less the rows that the ERP gave. */
async function rowlessBytes(folder: string): Promise<number> {
  const path = join(folder, "data/svcsync.db");
  const database = new Sqlite(path, { readonly: true });
  const rows = database.prepare<[], number>("SELECT sum(octet_length(row)) FROM contents").pluck().get() ?? 0;
  database.close();
  return (await stat(path)).size - rows;
}

function firstFigures(records: number, first: Reading, storeBytes: number): Measured[] {
  const { ms, processorMs, peakBytes, stallMs, turnMs } = first;
  const { rowsPerSecond, peakMb, storeBytes: atMost } = GROWTH_TARGETS;
  return [
    {
      what: `first reading of ${whole(records)} records, rows/s`,
      value: (records / ms) * 1000,
      atLeast: rowsPerSecond,
    },
    { what: "  processor time, µs a row", value: (processorMs * MICROS_PER_MS) / records, digits: 1 },
    { what: "  longest stall, ms", value: stallMs, atMost: STAGING_TARGETS.stallMs },
    { what: "    processor time without a pause, ms", value: turnMs, digits: 1 },
    { what: "  most memory, MB", value: peakBytes / MEGABYTE, atMost: peakMb },
    { what: "  store beyond its rows, bytes a record", value: storeBytes, atMost },
  ];
}

function figuresOf({ records, took, peakBytes, stallMs, turnMs, pageMs }: Size): Measured[] {
  const of = `of ${whole(records)}`;
  return [
    ...[...took].map(([step, { ms }]) => ({ what: `${step} ${of}, ms`, value: ms })),
    { what: `most memory of polls ${of}, MB`, value: peakBytes / MEGABYTE },
    { what: `longest stall of a poll ${of}, ms`, value: stallMs, atMost: STAGING_TARGETS.stallMs },
    { what: "  processor time without a pause, ms", value: turnMs, digits: 1 },
    { what: `slowest page during a poll ${of}, ms`, value: pageMs },
  ];
}

/** How a step grew, as a share of how the records did: 1 is in step with them. */
function compared(before: Size, size: Size): Measured[] {
  const factor = size.records / before.records;
  const name = `from ${whole(before.records)} to ${whole(size.records)}`;
  const steps = [...size.took].map(([step, { ms, grows }]) => {
    const times = ms / before.took.get(step)!.ms;
    const value = grows === "linear" ? times / factor : times;
    const how = grows === "linear" ? "times linear" : "times";
    return { what: `  ${step} ${name}, ${how}`, value, digits: 2, atMost: GROWTH_TARGETS.linear };
  });
  const memory = size.peakBytes / before.peakBytes;
  return [...steps, { what: `  most memory ${name}, times`, value: memory, digits: 2, atMost: GROWTH_TARGETS.linear }];
}

function whole(value: number): string {
  return value.toLocaleString("en");
}
