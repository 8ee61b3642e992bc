import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, type Sizes } from "../figures.ts";
import type { Measured } from "../runs.ts";
import { Reader, type Reading } from "./reader.ts";
import { benchTable, type DatabaseName } from "./tables.ts";

const MICROS_PER_MS = 1_000;
/** What is to be reached: a person waits no longer than this for a page, and 100,000 rows take 1.5 s. */
export const STAGING_TARGETS = { microsPerRow: 15, bareRatio: 4, stallMs: 50 };

/**
 * Polls of rows that the store has, beside a bare read of the same rows with the same driver, in turn. What others wait for is
 * measured by further polls, while a page is asked for all the time.
 */
export async function measureStaging(name: DatabaseName, { large, rounds }: Sizes): Promise<Measured[]> {
  await using table = await benchTable(name, large);
  await using folder = await storeFolder();
  await using reader = await Reader.start(table.url, folder.path);
  await reader.poll({ rows: large, changed: large });
  await reader.bare();
  const unchanged = { rows: large, changed: 0 };
  const polls = [];
  const bare = [];
  const watched = [];
  for (let round = 0; round < rounds; round++) {
    polls.push(await reader.poll(unchanged));
    bare.push(await reader.bare());
    watched.push(await reader.pollBesidePages(unchanged));
  }
  const ms = median(polls.map((poll) => poll.ms));
  const bareMs = median(bare.map((read) => read.ms));
  const rows = `${large.toLocaleString("en")} unchanged rows, ${name}`;
  return [
    {
      what: `poll of ${rows}, µs a row`,
      value: (ms * MICROS_PER_MS) / large,
      digits: 1,
      atMost: STAGING_TARGETS.microsPerRow,
    },
    { what: "  processor time, µs a row", value: processorMicros(polls) / large, digits: 1 },
    { what: "  a bare read, µs a row", value: (bareMs * MICROS_PER_MS) / large, digits: 1 },
    { what: "    processor time, µs a row", value: processorMicros(bare) / large, digits: 1 },
    { what: "  times a bare read", value: ms / bareMs, digits: 2, atMost: STAGING_TARGETS.bareRatio },
    {
      what: "  longest stall, ms",
      value: median(watched.map((poll) => poll.stallMs)),
      atMost: STAGING_TARGETS.stallMs,
    },
    { what: "    processor time without a pause, ms", value: median(watched.map((poll) => poll.turnMs)), digits: 1 },
    { what: "  slowest page meanwhile, ms", value: median(watched.map((poll) => poll.pageMs)) },
    ...(await statementsOf(name, table.url)),
  ];
}

function processorMicros(readings: readonly Reading[]): number {
  return median(readings.map((reading) => reading.processorMs)) * MICROS_PER_MS;
}

/** What a poll asks the database when nothing changed since the last one. */
async function statementsOf(name: DatabaseName, url: string): Promise<Measured[]> {
  await using folder = await storeFolder();
  await using reader = await Reader.start(url, folder.path, "updated_at");
  let { statements } = await reader.poll({ changed: (await reader.bare()).rowsRead });
  for (let poll = 0; poll < 2; poll++) ({ statements } = await reader.poll({ changed: 0 }));
  return [{ what: `  statements of a poll without a change, ${name}`, value: statements }];
}

/** A folder for one store. */
export async function storeFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "svcsync-bench-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** One after the other, so that none takes the processor from another. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
