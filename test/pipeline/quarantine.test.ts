import { describe, expect, it } from "vitest";
import type { Change, ChangeBatch, Json, UnreadableRow } from "#model";
import { Poller, PollPauses, Sweeper } from "#pipeline";
import type { KeylessRows, SourceStream } from "#sources";
import { openStore } from "#store";
import { customer, upsert } from "../conformance/store-scene.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";

const stream = "customers";

/** A poller over a real store, and an ERP that shows what the test puts into it. */
async function polling() {
  const place = await sqlitePlace();
  let now = Date.parse("2026-03-02T10:00:00Z");
  const clock = { now: () => now };
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
  const erp = {
    batches: [] as Omit<ChangeBatch, "cursor">[],
    /** Undefined: those of the batches. */
    keys: undefined as string[] | undefined,
    keyless: [] as KeylessRows[],
  };
  const source: SourceStream = {
    capabilities: { deletions: "sweep" },
    async *changes() {
      let at = 0;
      for (const batch of erp.batches) yield { ...batch, cursor: ++at };
    },
    readOne: async () => undefined,
    async *keys() {
      const rows = erp.batches.flatMap(({ changes, unreadable = [] }) => [...changes, ...unreadable]);
      yield erp.keys ?? rows.map(({ key }) => key);
    },
    keyless: async () => erp.keyless,
    check: async () => [],
  };
  const log = memoryLogger();
  const failures: string[] = [];
  const sweeper = new Sweeper({
    store,
    streams: new Map(),
    sources: new Map(),
    clock,
    logger: log,
    intervalMs: 60_000,
  });
  const poller = new Poller({
    store,
    sources: new Map([[stream, source]]),
    sweeper,
    pauses: new PollPauses({ sourceOf: () => "erp" }),
    rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
    clock,
    logger: log,
    observer: {
      staged: () => {},
      polled: () => {},
      pollFailed: (_stream, { code, message }) => void failures.push(`${code}: ${message}`),
      delivered: () => {},
    },
    nudge: () => {},
  });
  return {
    store,
    erp,
    log,
    failures,
    poll: async () => {
      now += 120_000;
      await poller.poll(stream, never);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function many(count: number): Change[] {
  return Array.from({ length: count }, (_, at) => upsert(`K${at}`));
}

/** `{"a":{"a": … }}` */
function nested(levels: number): Json {
  let value: Json = "the end";
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

const badStamp = { key: "7", place: "customers.updated_at", reason: '"soon" is no date-time' };

function manyBad(count: number): UnreadableRow[] {
  return Array.from({ length: count }, (_, at) => ({ ...badStamp, key: `bad ${at}` }));
}

describe("an unreadable row", () => {
  it("is kept with its key, place and reason, while all others are staged", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: [upsert("1"), upsert("2")], unreadable: [badStamp] }];
    await scene.poll();
    expect(scene.failures).toEqual([]);
    expect((await scene.store.counts()).get(stream)).toEqual({ due: 3 });
    expect(await scene.store.record(customer("7"))).toMatchObject({
      unreadable: {
        code: "E_ROW_UNREADABLE",
        message: `the ERP's row cannot be read: customers.updated_at: "soon" is no date-time`,
        details: { place: "customers.updated_at", reason: '"soon" is no date-time' },
      },
    });
  });

  it("is said once in the log, however often it is read", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: [], unreadable: [badStamp] }];
    await scene.poll();
    await scene.poll();
    const lines = scene.log.lines.filter(({ message }) => message === "row was unreadable");
    expect(lines.map(({ level, fields }) => [level, fields["key"]])).toEqual([["warn", "7"]]);
  });

  it("ends when the row can be read again, even if it is what it was before", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: [upsert("7")] }];
    await scene.poll();
    scene.erp.batches = [{ changes: [], unreadable: [badStamp] }];
    await scene.poll();
    expect((await scene.store.claim(customer("7")))?.unreadable?.code).toBe("E_ROW_UNREADABLE");
    scene.erp.batches = [{ changes: [upsert("7")] }];
    await scene.poll();
    expect(await scene.store.record(customer("7"))).toMatchObject({
      unreadable: undefined,
      row: { name: "Name of 7" },
    });
  });

  it("is what nests too deep, is too large, or has a key that is no text, whatever the adapter", async () => {
    await using scene = await polling();
    const changes = [
      upsert("deep", { json: nested(100_000) }),
      upsert("large", { text: "x".repeat(16_000_001) }),
      upsert("half \ud800"),
      upsert("good", { json: nested(60) }),
    ];
    scene.erp.batches = [{ changes }];
    await scene.poll();
    expect(scene.failures).toEqual([]);
    const reasons = await Promise.all(
      ["deep", "large", "half \ufffd", "good"].map(
        async (key) => (await scene.store.record(customer(key)))?.unreadable?.details["reason"],
      ),
    );
    expect(reasons).toEqual([
      "it nests deeper than 64 levels",
      "it holds 16000001 characters, more than 16000000; leave out large columns",
      "its key is not valid Unicode text (half of a surrogate pair)",
      undefined,
    ]);
  });

  it("stops the stream when it is not one of a few, and nothing of the batch is staged", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: many(180), unreadable: manyBad(20) }];
    await scene.poll();
    expect(scene.failures).toEqual([]);
    scene.erp.batches = [{ changes: [upsert("new")], unreadable: manyBad(21) }];
    await scene.poll();
    expect(scene.failures).toEqual([
      "E_SOURCE_UNREADABLE: 21 of 22 rows of customers cannot be read, so none of them was used; " +
        `the first is bad 0: the ERP's row cannot be read: customers.updated_at: "soon" is no date-time`,
    ]);
    expect(await scene.store.record(customer("new"))).toBeUndefined();
  });

  it("is never taken for deleted by a sweep that sees its key", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: [upsert("1")], unreadable: [badStamp] }];
    scene.erp.keys = ["1", "7"];
    for (let poll = 0; poll < 4; poll++) await scene.poll();
    expect(await scene.store.record(customer("7"))).toMatchObject({ deleted: false });
    scene.erp.batches = [];
    scene.erp.keys = ["1"];
    for (let poll = 0; poll < 4; poll++) await scene.poll();
    expect(await scene.store.record(customer("7"))).toMatchObject({ deleted: true, unreadable: undefined });
  });
});

describe("a row without a key", () => {
  const keyless = { place: "table customers", reason: "2 rows have no customer_no" };

  it("holds deletions back for as long as it is there, because it may be a known record", async () => {
    await using scene = await polling();
    scene.erp.batches = [{ changes: [upsert("1"), upsert("2")] }];
    scene.erp.keys = ["1", "2"];
    await scene.poll();
    Object.assign(scene.erp, { batches: [], keys: ["1"], keyless: [keyless] });
    for (let poll = 0; poll < 4; poll++) await scene.poll();
    expect(await scene.store.record(customer("2"))).toMatchObject({ deleted: false });
    scene.erp.keyless = [];
    for (let poll = 0; poll < 2; poll++) await scene.poll();
    expect(await scene.store.record(customer("2"))).toMatchObject({ deleted: true });
  });

  it("is said once in the log", async () => {
    await using scene = await polling();
    scene.erp.keyless = [keyless];
    await scene.poll();
    await scene.poll();
    const lines = scene.log.lines.filter(({ message }) => message === "rows without a key were left out");
    expect(lines.map(({ fields }) => fields)).toEqual([{ stream, ...keyless }]);
  });
});
