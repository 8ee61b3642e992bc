import { describeSource, keptTable } from "../../conformance/source-contract.ts";
import type { SourceHarness, StreamOptions, TestRow } from "../../conformance/source-harness.ts";
import type { SourceStream } from "#sources";
import { SetClock } from "../../kit/clock.ts";
import { DropFolder } from "./drop-folder.ts";

/** An ERP that drops a file for each transaction: its changes, or all that it has. */
async function harness(kind: "full" | "delta"): Promise<SourceHarness> {
  const clock = new SetClock(0);
  clock.now = Date.now;
  const folder = await DropFolder.make(clock);
  const all = new Map<string, string>();
  let files = 0;
  const write = async (rows: readonly TestRow[]) => {
    for (const { key, name } of rows) all.set(key, name);
    const shown = kind === "delta" ? rows : [...all].map(([key, name]) => ({ key, name }));
    const text = shown.map(({ key, name }) => `${key};${name}`).join("\n");
    await folder.drop(`customers_${String(++files).padStart(6, "0")}.csv`, `no;name\n${text}\n`);
  };
  const opened = ({ pageSize }: StreamOptions, path = folder.path): SourceStream => {
    const stream = folder.stream({ kind, size: pageSize }, { folder: path });
    return {
      capabilities: { deletions: kind === "full" ? "sweep" : "flag" },
      async *changes(cursor, signal) {
        yield* (await stream).changes(cursor, signal);
      },
      readOne: async (key, signal) => (await stream).readOne(key, signal),
      async *keys(signal) {
        yield* (await stream).keys(signal);
      },
      check: async (signal) => (await stream).check(signal),
    };
  };
  return {
    stream: (options) => opened(options),
    put: (rows) => write(rows),
    async delete(keys) {
      for (const key of keys) all.delete(key);
      await write([]);
    },
    putLate: async (rows) => () => write(rows),
    unreachable: () => opened({ pageSize: 5 }, `${folder.path}/nowhere`),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const unread = "a file tells nothing before it was read; proven in files.test.ts";
const none = "files are read from a folder, without a server between";
const unstamped = "files carry no change stamp; they are read in the order in which they were claimed";
const exempt = {
  "reads rows without a stamp": unstamped,
  "loses no row whose stamp lies in the future": unstamped,
  "survives the hour that a clock is put back": unstamped,
  "reads one record, or reports that it does not exist": unread,
  "lists every key once": unread,
  "shows deletions as its capabilities say": unread,
  "stops when the ERP ignores the filter": none,
  "continues after a connection died between pages": none,
  "stops with a clear error when the schema changed":
    "a file whose header changed is refused alone; proven in files.test.ts",
};
const table = keptTable();
for (const kind of ["delta", "full"] as const)
  describeSource({ name: `files ${kind}`, open: () => harness(kind), exempt }, table);
