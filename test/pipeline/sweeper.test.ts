import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Stream } from "#mapping";
import { ParkError, RetryError, type Key, type Row, type StreamName } from "#model";
import { confirmDeletions, heldDeletions, Sweeper } from "#pipeline";
import type { KeylessRows, SourceStream } from "#sources";
import { openStore } from "#store";
import { guardNote } from "../../src/pipeline/notes.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { streamsOf } from "./delivery-rig.ts";

const stream = "customers";

/** An ERP whose list of keys and whose single reads are set apart from each other. */
async function setScene() {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-sweeper-"));
  const clock = new SetClock();
  const store = await openStore(folder, { as: "daemon", clock, logger: silentLogger });
  const erp = {
    keys: [] as Key[],
    rows: new Map<Key, Row | Error>(),
    reads: [] as Key[],
    keyless: [] as KeylessRows[],
  };
  const source: SourceStream = {
    capabilities: { deletions: "sweep" },
    // A poll that never shows anything: only sweeps are looked at here.
    async *changes() {},
    async readOne(key) {
      erp.reads.push(key);
      const found = erp.rows.get(key);
      if (found instanceof Error) throw found;
      return found;
    },
    async *keys() {
      if (erp.keys.length > 0) yield erp.keys;
    },
    keyless: async () => erp.keyless,
    check: async () => [],
  };
  const streams = new Map<StreamName, Stream>();
  const sweeper = new Sweeper({ store, streams, sources: new Map(), clock, logger: silentLogger, intervalMs: 60_000 });
  return {
    erp,
    store,
    streams,
    held: () => heldDeletions(store, stream),
    confirm: async () => confirmDeletions(store, stream, (await heldDeletions(store, stream))!, clock.now()),
    sweep: () => {
      clock.advance(120_000);
      return sweeper.sweepIfDue(stream, source, never);
    },
    view: (key: Key) => store.record({ stream, key }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe("a sweep", () => {
  it("reads a key by itself that the ERP shows and no record has, and stages it", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1", "2"];
    scene.erp.rows = new Map([["1", { name: "one" }]]);
    expect(await scene.sweep()).toBe(1);
    expect(await scene.view("1")).toMatchObject({ row: { name: "one" }, state: "due" });
    expect(await scene.view("2")).toBeUndefined();
    scene.erp.reads = [];
    await scene.sweep();
    expect(scene.erp.reads).toEqual(["2"]);
  });

  it("deletes a missing record only when it cannot be read by its key either", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1", "2", "3"];
    for (const key of scene.erp.keys) scene.erp.rows.set(key, { name: key });
    await scene.sweep();
    scene.erp.keys = ["1"];
    scene.erp.rows.delete("2");
    scene.erp.rows.set("3", { name: "still there" });
    await scene.sweep();
    await scene.sweep();
    expect(await scene.view("2")).toMatchObject({ deleted: true });
    expect(await scene.view("3")).toMatchObject({ deleted: false, row: { name: "still there" } });
  });

  it("does not delete a missing record that the ERP refuses to show", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1", "2"];
    for (const key of scene.erp.keys) scene.erp.rows.set(key, { name: key });
    await scene.sweep();
    scene.erp.keys = ["1"];
    scene.erp.rows.set("2", new ParkError("E_SOURCE_FORBIDDEN", "403"));
    for (let sweep = 0; sweep < 3; sweep++) await scene.sweep();
    expect(await scene.view("2")).toMatchObject({ deleted: false });
  });

  it("deletes nothing while the ERP has rows without a key, although no poll of this process saw them", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1", "2"];
    for (const key of scene.erp.keys) scene.erp.rows.set(key, { name: key });
    await scene.sweep();
    scene.erp.keys = ["1"];
    scene.erp.rows.delete("2");
    scene.erp.keyless = [{ place: "customers", reason: "1 row has NULL in the key" }];
    for (let sweep = 0; sweep < 3; sweep++) await scene.sweep();
    expect(await scene.view("2")).toMatchObject({ deleted: false });
    scene.erp.keyless = [];
    await scene.sweep();
    expect(await scene.view("2")).toMatchObject({ deleted: true });
  });

  it("asks again for a person's word when the ERP shows no record once more", async () => {
    await using scene = await setScene();
    const fill = async () => {
      scene.erp.keys = ["1", "2"];
      for (const key of scene.erp.keys) scene.erp.rows.set(key, { name: key });
      await scene.sweep();
    };
    const empty = () => {
      scene.erp.keys = [];
      scene.erp.rows.clear();
    };
    await fill();
    empty();
    await expect(scene.sweep()).rejects.toMatchObject({ code: "E_SWEEP_EMPTY" });
    await scene.confirm();
    await scene.sweep();
    await scene.sweep();
    expect(await scene.view("2")).toMatchObject({ deleted: true });
    await fill();
    expect(await scene.view("2")).toMatchObject({ deleted: false });
    empty();
    await expect(scene.sweep()).rejects.toMatchObject({ code: "E_SWEEP_EMPTY" });
  });

  it("leaves a word alone that a person gives while it ends", async () => {
    await using scene = await setScene();
    const { store } = scene;
    await store.saveNote(guardNote(stream), { confirmedAt: 1, further: 5 });
    const newer = { confirmedAt: 2, further: 0 };
    const note = store.note.bind(store);
    vi.spyOn(store, "note").mockImplementation(async (of) => {
      const found = await note(of);
      if (of.name === guardNote(stream).name) await store.saveNote(guardNote(stream), newer);
      return found;
    });
    scene.erp.keys = ["1"];
    await scene.sweep();
    expect(await note(guardNote(stream))).toEqual(newer);
  });

  it("holds no deletions any more once the stream ignores them", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1"];
    scene.erp.rows.set("1", { name: "one" });
    await scene.sweep();
    scene.erp.keys = [];
    await expect(scene.sweep()).rejects.toMatchObject({ code: "E_SWEEP_EMPTY" });
    expect(await scene.held()).toMatchObject({ isEmptied: true });
    scene.streams.set(
      stream,
      streamsOf(`
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: no }
    resource: customer
    match: [customerId]
    fields: { customerId: no }
    deleted: { ignore: true }
`)[0]!,
    );
    await scene.sweep();
    expect(await scene.held()).toBeUndefined();
  });

  it("counts for nothing when a single read fails", async () => {
    await using scene = await setScene();
    scene.erp.keys = ["1"];
    scene.erp.rows.set("1", new RetryError("E_SOURCE_UNREACHABLE", "away"));
    await expect(scene.sweep()).rejects.toMatchObject({ code: "E_SOURCE_UNREACHABLE" });
    expect(await scene.view("1")).toBeUndefined();
  });
});
