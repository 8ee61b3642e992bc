import { describe, expect, it } from "vitest";
import { ParkError, RetryError, type Key, type RecordId, type Row } from "#model";
import { Poller, PollPauses, Sweeper } from "#pipeline";
import type { SourceStream } from "#sources";
import { contact, customer, deletion, OOPS, Scene } from "../conformance/store-scene.ts";
import { memoryLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";

const order = (key: string): RecordId => ({ stream: "orders", key });

/** A stream that no poll shows anything of: only its keys and its single rows are looked at. */
function streamOf(keys: () => Key[], one: (key: Key) => Row | Error | undefined): SourceStream {
  return {
    capabilities: { deletions: "sweep" },
    async *changes() {},
    async readOne(key) {
      const found = one(key);
      if (found instanceof Error) throw found;
      return found;
    },
    async *keys() {
      yield keys();
    },
    check: async () => [],
  };
}

/** Customers, and orders that the ERP hands from one to another without moving their stamps. */
async function setScene() {
  const scene = await Scene.open(memoryPlace);
  const log = memoryLogger();
  const erp = {
    customers: ["1", "2"],
    orders: new Map<Key, Row | Error>(),
    /** What its list of deletions says next. */
    deletions: [] as Key[],
  };
  const customers: SourceStream = {
    ...streamOf(
      () => erp.customers,
      (key) => (erp.customers.includes(key) ? { name: `Name of ${key}` } : undefined),
    ),
    async *deletions() {
      yield { changes: erp.deletions.splice(0).map(deletion), cursor: scene.clock.now() };
    },
  };
  const orders = streamOf(
    () => [...erp.orders.keys()],
    (key) => erp.orders.get(key),
  );
  const common = { store: scene.store, clock: scene.clock, logger: log };
  const sources = new Map([
    ["customers", customers],
    ["orders", orders],
  ]);
  const failures: string[] = [];
  const poller = new Poller({
    ...common,
    sources,
    sweeper: new Sweeper({ ...common, streams: new Map(), sources, intervalMs: 60_000 }),
    pauses: new PollPauses({ sourceOf: () => "erp", elapsed: () => scene.clock.now() }),
    rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
    observer: {
      staged: () => {},
      polled: () => {},
      pollFailed: (_stream, { code }) => void failures.push(code),
      delivered: () => {},
    },
    nudge: () => {},
  });
  const sweep = async () => {
    scene.clock.advance(600_000);
    await poller.poll("customers", never);
  };
  await scene.bound(customer("1"), 11);
  await scene.bound(customer("2"), 12);
  await scene.bound(order("7"), 21, [customer("1")]);
  erp.orders.set("7", { name: "Name of 7", customer: 2 });
  await sweep();
  return {
    store: scene.store,
    scene,
    erp,
    log,
    failures,
    sweep,
    /** The ERP merges customer 1 into 2: it deletes the one and hands its orders to the other. */
    async merge() {
      erp.customers = ["2"];
      await sweep();
      await sweep();
    },
    row: async (id: RecordId) => (await scene.store.record(id))!.row,
    isDeleted: async (id: RecordId) => (await scene.store.record(id))!.deleted,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

describe("the children of a record that the ERP deleted", () => {
  it("are read again, because a merge hands them to another record without a new stamp", async () => {
    await using it = await setScene();
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7" });
    await it.merge();
    expect(await it.isDeleted(customer("1"))).toBe(true);
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7", customer: 2 });
  });

  it("are read again too when a list of deletions names their parent", async () => {
    await using it = await setScene();
    it.erp.deletions = ["1"];
    await it.sweep();
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7", customer: 2 });
  });

  it("are read again while they wait for it, as for one that is parked", async () => {
    await using it = await setScene();
    it.erp.customers = ["1", "2", "3"];
    await it.sweep();
    const claim = await it.scene.claimed(order("8"));
    await it.store.end(claim, { kind: "wait", error: OOPS, parents: [customer("3")] });
    it.erp.orders.set("8", { name: "Name of 8", customer: 2 });
    await it.merge();
    expect(await it.row(order("8"))).toEqual({ name: "Name of 8", customer: 2 });
  });

  it("are read once, although the deletion is shown again", async () => {
    await using it = await setScene();
    it.erp.customers = ["2"];
    it.erp.deletions = ["1"];
    await it.sweep();
    it.erp.orders.set("7", { name: "Name of 7", customer: 3 });
    it.erp.deletions = ["1"];
    await it.sweep();
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7", customer: 2 });
  });

  it("stay as they are, and a warning says so, when the ERP does not show them", async () => {
    await using it = await setScene();
    it.erp.orders.set("7", new ParkError("E_SOURCE_FORBIDDEN", "403"));
    await it.merge();
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7" });
    expect(await it.isDeleted(customer("1"))).toBe(true);
    expect(it.log.lines).toContainEqual({
      level: "warn",
      message: "children of deleted records were not read again",
      fields: expect.objectContaining({ stream: "orders", count: 1, key: "7" }),
    });
  });

  it("are read before the deletion counts: an ERP that does not answer puts it off", async () => {
    await using it = await setScene();
    it.erp.orders.set("7", new RetryError("E_SOURCE_FAILED", "503"));
    await it.merge();
    expect(await it.isDeleted(customer("1"))).toBe(false);
    expect(it.failures).toContain("E_SOURCE_FAILED");
    it.erp.orders.set("7", { name: "Name of 7", customer: 2 });
    await it.sweep();
    expect(await it.isDeleted(customer("1"))).toBe(true);
    expect(await it.row(order("7"))).toEqual({ name: "Name of 7", customer: 2 });
  });

  it("are left to their own sweep when the ERP deleted them as well", async () => {
    await using it = await setScene();
    await it.scene.bound(contact("5"), 31, [customer("1")]);
    it.erp.orders.delete("7");
    await it.merge();
    expect(await it.isDeleted(order("7"))).toBe(false);
    expect(await it.isDeleted(contact("5"))).toBe(false);
  });
});
