import { describe, expect, it } from "vitest";
import { Reconciler } from "#pipeline";
import type { Service } from "#service";
import type { SourceStream } from "#sources";
import { openTenant } from "../conformance/service-tenant.ts";
import { customer, deletion, upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { memoryPlace } from "../store/memory-place.ts";
import { customersFile } from "./customer-stream.ts";

const stream = customersFile({
  match: "[[customerId], { fields: [name], shared: true }]",
  fields: "{ customerId: number, name: name }",
}).streams[0]!;

async function setScene(keysOf: () => Iterable<string[]>, list?: Service["list"]) {
  const tenant = await openTenant();
  const place = await memoryPlace();
  const store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger });
  const source: Pick<SourceStream, "keys" | "readMany" | "readOne"> = {
    async *keys() {
      yield* keysOf();
    },
    readOne: () => Promise.resolve(undefined),
  };
  const service = { ...tenant.service, ...(list ? { list } : {}) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing else of it is used
  const reconciler = new Reconciler(store, service, new Map([[stream.name, source as SourceStream]]));
  return {
    tenant,
    store,
    reconcile: () => reconciler.reconcile(stream, undefined, never),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
      await tenant[Symbol.asyncDispose]();
    },
  };
}

/** How many members of lists a task goes through, copies by `...` included. */
async function countMembers<Result>(task: () => Promise<Result>): Promise<{ result: Result; members: number }> {
  const values = Array.prototype[Symbol.iterator];
  let members = 0;
  const define = (value: typeof values) =>
    // oxlint-disable-next-line no-extend-native -- for as long as the task runs
    Object.defineProperty(Array.prototype, Symbol.iterator, { value, writable: true, configurable: true });
  define(function (this: unknown[]) {
    members += this.length;
    return values.call(this);
  });
  try {
    return { result: await task(), members };
  } finally {
    define(values);
  }
}

describe("a comparison", () => {
  it("names as many differences as there are", async () => {
    const pages = Array.from({ length: 200 }, (_, page) => Array.from({ length: 1_000 }, (_, at) => `${page}-${at}`));
    await using scene = await setScene(() => pages);
    await scene.store.stage(stream.name, { changes: [], cursor: null, backfill: false, complete: true });
    const { drifts } = await scene.reconcile();
    expect(drifts).toHaveLength(200_000);
    expect(drifts.at(-1)).toEqual({ kind: "unread", id: customer("199-999") });
  });

  it("takes a record for a double by a key that no two may share, not by a shared one", async () => {
    await using scene = await setScene(() => []);
    const { store, tenant } = scene;
    const row = { number: "1", name: "Müller" };
    const fields = { customerId: "1", name: "Müller" };
    const [ours, , double] = tenant.sandbox.seed("customer", [fields, { ...fields, customerId: "2" }, fields]);
    await store.stage(stream.name, { changes: [upsert("1", row)], cursor: null, backfill: false, complete: true });
    const claim = (await store.claim(customer("1")))!;
    const binding = { resource: "customer", serviceId: ours!.id };
    await store.end(claim, {
      kind: "bind",
      binding,
      applied: { projection: fields, outcome: "adopted", parents: [], again: false },
    });
    expect((await scene.reconcile()).drifts).toEqual([
      { kind: "doubled", id: customer("1"), ...binding, doubles: [double!.id] },
    ]);
    tenant.sandbox.vanish("customer", double!.id);
    expect((await scene.reconcile()).drifts).toEqual([]);
  });

  it("misses no record that is left alone: no repair would end that", async () => {
    await using scene = await setScene(() => []);
    const { store } = scene;
    const keys = ["applied", "deleted", "skipped"] as const;
    const all = keys.map((key) => upsert(key));
    await store.stage(stream.name, { changes: all, cursor: null, backfill: false, complete: true });
    for (const [at, key] of keys.entries()) {
      const claim = (await store.claim(customer(key)))!;
      const binding = { resource: "customer", serviceId: 7_001 + at };
      await store.end(claim, { kind: "bind", binding, applied: { projection: {}, outcome: "created", parents: [] } });
    }
    const later = [deletion("deleted"), upsert("skipped", { number: "2" })];
    await store.stage(stream.name, { changes: later, cursor: null, backfill: false, complete: true });
    await store.end((await store.claim(customer("deleted")))!, { kind: "remove", unbind: false });
    await store.end((await store.claim(customer("skipped")))!, { kind: "skip", reason: "left out by when" });
    expect((await scene.reconcile()).drifts).toEqual([{ kind: "missing", id: customer("applied"), serviceId: 7_001 }]);
  });

  it("names each of many doubles of one record, in work that grows with their number alone", async () => {
    const serviceIds = Array.from({ length: 2_000 }, (_, at) => at + 1);
    await using scene = await setScene(
      () => [],
      async function* () {
        yield serviceIds.map((id) => ({ id, customerId: "1" }));
      },
    );
    const { store } = scene;
    const row = { number: "1", name: "Müller" };
    await store.stage(stream.name, { changes: [upsert("1", row)], cursor: null, backfill: false, complete: true });
    const [serviceId, ...doubles] = serviceIds;
    const binding = { resource: "customer", serviceId: serviceId! };
    const claim = (await store.claim(customer("1")))!;
    await store.end(claim, {
      kind: "bind",
      binding,
      applied: { projection: {}, outcome: "adopted", parents: [], again: false },
    });
    const { result, members } = await countMembers(scene.reconcile);
    expect(result.drifts).toEqual([{ kind: "doubled", id: customer("1"), ...binding, doubles }]);
    expect(members).toBeLessThan(50 * serviceIds.length);
  });
});
