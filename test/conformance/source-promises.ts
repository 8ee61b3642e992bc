import { expect } from "vitest";
import { ParkError, RetryError } from "#model";
import type { SourceHarness } from "./source-harness.ts";
import { allKeys, Reader, rows } from "./source-reading.ts";
import { never } from "../kit/outcome.ts";

export type Proof = (erp: SourceHarness) => Promise<void>;

const minuteMs = 60_000;
const pageSize = 7;

async function loaded(erp: SourceHarness, count: number): Promise<Reader> {
  await erp.put(rows(count, "old"), Date.now() - 30 * minuteMs);
  const reader = new Reader(erp.stream({ pageSize }));
  await reader.poll();
  expect(reader.names.size).toBe(count);
  return reader;
}

function expectAll(reader: Reader, count: number, name: string): void {
  expect([...reader.names.values()].filter((value) => value === name)).toHaveLength(count);
}

/** One entry per promise of the contract: the sentence, and what disproves it. */
export const sourcePromises: Readonly<Record<string, Proof>> = {
  "yields every row from the beginning": async (erp) => {
    const reader = await loaded(erp, 50);
    expectAll(reader, 50, "old");
  },

  "yields a change after the cursor": async (erp) => {
    const reader = await loaded(erp, 20);
    await erp.put([{ key: "K000003", name: "new" }]);
    const changes = await reader.poll();
    expect(changes.map(({ key }) => key)).toContain("K000003");
    expect(reader.names.get("K000003")).toBe("new");
  },

  "gives no row again when nothing changed": async (erp) => {
    const reader = await loaded(erp, 20);
    await reader.poll();
    expect(await reader.poll()).toEqual([]);
  },

  "loses no row with equal stamps at a page border": async (erp) => {
    const reader = await loaded(erp, 50);
    await erp.put(rows(50, "new"), Date.now());
    await reader.poll();
    expectAll(reader, 50, "new");
  },

  "sees a transaction that commits late": async (erp) => {
    const reader = await loaded(erp, 20);
    const commit = await erp.putLate!([{ key: "K000001", name: "late" }]);
    if (erp.writesBesideLate !== false) await erp.put([{ key: "K000009", name: "early" }]);
    await reader.poll();
    await reader.poll();
    await commit();
    await reader.poll();
    expect(reader.names.get("K000001")).toBe("late");
  },

  "reads rows without a stamp": async (erp) => {
    await erp.put(rows(20, "old"), null);
    const reader = new Reader(erp.stream({ pageSize }));
    await reader.poll();
    await erp.put([{ key: "K000004", name: "new" }], null);
    await erp.put([{ key: "Z", name: "born" }], null);
    await reader.poll();
    expect([reader.names.get("K000004"), reader.names.get("Z"), reader.names.size]).toEqual(["new", "born", 21]);
  },

  "loses no row whose stamp lies in the future": async (erp) => {
    const reader = await loaded(erp, 20);
    await erp.put([{ key: "K000005", name: "ahead" }], Date.now() + 400 * minuteMs);
    await reader.poll();
    await erp.put([{ key: "K000006", name: "now" }]);
    await reader.poll();
    expect([reader.names.get("K000005"), reader.names.get("K000006")]).toEqual(["ahead", "now"]);
  },

  "loses no row while pages move": async (erp) => {
    await erp.put(rows(60, "old"), Date.now() - minuteMs);
    const stream = erp.stream({ pageSize });
    const reader = new Reader(stream);
    let batch = 0;
    for await (const read of stream.changes(null, never)) {
      reader.take(read);
      // Until all have moved.
      if (batch === 30) continue;
      // A row that was read moves behind the reader, one that was not moves before it, one is born.
      await erp.put([
        { key: `K${String(batch).padStart(6, "0")}`, name: "moved" },
        { key: `K${String(59 - batch).padStart(6, "0")}`, name: "moved" },
        { key: `B${batch}`, name: "born" },
      ]);
      batch++;
    }
    await reader.poll();
    expectAll(reader, batch, "born");
    expectAll(reader, Math.min(60, batch * 2), "moved");
    expect(reader.names.size).toBe(60 + batch);
  },

  "survives the hour that a clock is put back": async (erp) => {
    // Berlin, 26 October 2025: 02:50 summer time, then again 02:00 to 03:00 winter time.
    let now = Date.parse("2025-10-26T00:50:00Z");
    await erp.put(rows(9, "old"), now - 60 * minuteMs);
    const reader = new Reader(erp.stream({ pageSize, clockMs: () => now }));
    await reader.poll();
    await erp.put([{ key: "K000001", name: "summer" }], now);
    await reader.poll();
    for (const [minutes, key] of [
      [20, "K000002"],
      [55, "K000003"],
      [75, "K000004"],
      [140, "K000005"],
    ] as const) {
      now = Date.parse("2025-10-26T00:50:00Z") + minutes * minuteMs;
      await erp.put([{ key, name: "winter" }], now);
      await reader.poll();
      expect([minutes, reader.names.get(key)]).toEqual([minutes, "winter"]);
    }
    expect(reader.names.get("K000001")).toBe("summer");
  },

  "stops when the ERP ignores the filter": async (erp) => {
    await erp.put(rows(20, "old"), Date.now() - 400 * minuteMs);
    await erp.put([{ key: "Z", name: "young" }]);
    const honest = new Reader(erp.stream({ pageSize }));
    await honest.poll();
    const deaf = new Reader(erp.deafStream!({ pageSize }));
    deaf.cursor = honest.cursor;
    await expect(deaf.poll()).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED", family: "park" });
    expect(deaf.names.size).toBe(0);
  },

  "stops with a clear error when the schema changed": async (erp) => {
    const reader = await loaded(erp, 10);
    await erp.breakSchema!();
    await expect(reader.poll()).rejects.toBeInstanceOf(ParkError);
  },

  "continues after a connection died between pages": async (erp) => {
    await erp.put(rows(50, "old"), Date.now() - minuteMs);
    const stream = erp.stream({ pageSize });
    const reader = new Reader(stream);
    const interrupted = async () => {
      let batch = 0;
      for await (const read of stream.changes(reader.cursor, never)) {
        reader.take(read);
        if (++batch === 2) await erp.cut!();
      }
    };
    await interrupted().catch((error: unknown) => expect(error).toBeInstanceOf(RetryError));
    await reader.poll();
    expectAll(reader, 50, "old");
  },

  "asks for a later try when the ERP does not answer": async (erp) => {
    const reader = new Reader(erp.unreachable!());
    await expect(reader.poll()).rejects.toMatchObject({ code: "E_SOURCE_UNREACHABLE", family: "retry" });
  },

  "resumes at every batch": async (erp) => {
    await erp.put(rows(40, "old"), Date.now() - minuteMs);
    const stream = erp.stream({ pageSize });
    for (let batches = 1; batches <= 7; batches++) {
      const reader = new Reader(stream);
      await reader.poll(batches);
      const resumed = new Reader(erp.stream({ pageSize }));
      resumed.cursor = reader.cursor;
      await resumed.poll();
      expect(new Set([...reader.names.keys(), ...resumed.names.keys()]).size).toBe(40);
    }
  },

  "yields the same again for the same cursor": async (erp) => {
    const reader = await loaded(erp, 10);
    const { cursor } = reader;
    await erp.put(rows(5, "new"));
    const first = await reader.poll();
    reader.cursor = cursor;
    expect(await reader.poll()).toEqual(first);
  },

  "throws the reason of an abort": async (erp) => {
    await erp.put(rows(30, "old"));
    const stream = erp.stream({ pageSize });
    const abort = new AbortController();
    const reason = new Error("enough");
    const read = async () => {
      for await (const batch of stream.changes(null, abort.signal)) if (batch.changes.length > 0) abort.abort(reason);
    };
    await expect(read()).rejects.toBe(reason);
    await expect(stream.readOne("K000001", abort.signal)).rejects.toBe(reason);
  },

  "reads one record, or reports that it does not exist": async (erp) => {
    await erp.put(rows(10, "old"));
    const stream = erp.stream({ pageSize });
    expect((await stream.readOne("K000003", never))?.["name"]).toBe("old");
    expect(await stream.readOne("NOBODY", never)).toBeUndefined();
  },

  "lists every key once": async (erp) => {
    await erp.put(rows(50, "old"));
    const keys = await allKeys(erp.stream({ pageSize }));
    expect(keys.toSorted()).toEqual(rows(50, "").map(({ key }) => key));
  },

  "shows deletions as its capabilities say": async (erp) => {
    const reader = await loaded(erp, 10);
    const stream = erp.stream({ pageSize });
    const cursor = await deletedKeys(erp, null).then((read) => read.cursor);
    await erp.delete(["K000002", "K000007"]);
    const keys = await allKeys(stream);
    expect(keys).toHaveLength(8);
    if (stream.capabilities.deletions !== "feed") return;
    expect((await deletedKeys(erp, cursor)).keys).toEqual(expect.arrayContaining(["K000002", "K000007"]));
    await erp.put([{ key: "K000002", name: "again" }]);
    expect((await deletedKeys(erp, cursor)).keys).not.toContain("K000002");
    await reader.poll();
    expect(reader.names.get("K000002")).toBe("again");
  },

  "finds nothing to complain about in a healthy stream": async (erp) => {
    await erp.put(rows(10, "old"));
    const findings = await erp.stream({ pageSize }).check(never);
    expect(findings.length).toBeGreaterThan(0);
    expect(findings.filter(({ verdict }) => verdict === "problem")).toEqual([]);
  },
};

async function deletedKeys(erp: SourceHarness, from: Reader["cursor"]) {
  let cursor = from;
  const keys: string[] = [];
  const feed = erp.stream({ pageSize }).deletions?.(from, never) ?? [];
  for await (const batch of feed) {
    keys.push(...batch.changes.filter(({ kind }) => kind === "delete").map(({ key }) => key));
    ({ cursor } = batch);
  }
  return { keys, cursor };
}
