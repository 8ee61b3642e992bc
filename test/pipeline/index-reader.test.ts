import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { untilAborted } from "#model";
import type { Service } from "#service";
import { openStore } from "#store";
import { Redaction } from "#telemetry";
import { openTenant } from "../conformance/service-tenant.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never, thrownBy } from "../kit/outcome.ts";
// The matcher alone uses it: the module's index does not show it.
import { IndexReader } from "../../src/pipeline/match/index-reader.ts";
import { naturalKey, ruleName } from "../../src/pipeline/match/natural-key.ts";
import { indexNote } from "../../src/pipeline/notes.ts";

const DAY_MS = 24 * 60 * 60_000;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const rule = { fields: ["customerId"], compare: "exact" } as const;

/** An index of the customers of a service, read at the times of a clock that a test moves. */
async function setScene(...secrets: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-index-"));
  const clock = new SetClock();
  const tenant = await openTenant();
  const { redact } = new Redaction(secrets);
  const store = await openStore(folder, { as: "daemon", clock, logger: silentLogger, redact });
  const { service, sandbox } = tenant;
  let hold: (() => void) | undefined;
  const list: Service["list"] = async function* (resource, query, signal) {
    const held = hold;
    hold = undefined;
    held?.();
    if (held) await untilAborted(new Promise(() => {}), signal);
    yield* service.list(resource, query, signal);
  };
  const newReader = () =>
    new IndexReader(
      { store, service: { ...service, list }, clock, logger: silentLogger, settleMs: 0 },
      new Map([["customer", [rule]]]),
    );
  const reader = newReader();
  return {
    store,
    sandbox,
    clock,
    reader,
    /** That of the next process. */
    newReader,
    /** Resolves when the next list is asked for, which does not come. */
    held: () => new Promise<void>((resolve) => (hold = resolve)),
    reads: () => tenant.requests("customer", "GET"),
    customer: (number: number) => tenant.customer(number),
    /** Brings the index up to date, and says which records have this number in it. */
    async found(number: number) {
      await reader.freshen("customer", 0, never);
      return this.indexed(number);
    },
    /** Which records have this number in the index as it is. */
    indexed: (number: number) => store.matches("customer", ruleName(rule), naturalKey(rule, tenant.customer(number))!),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await tenant[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe("the match index", () => {
  it("is read whole once a week: only then it sees what was stamped by hand and what people deleted", async () => {
    await using scene = await setScene();
    const { sandbox, clock } = scene;
    const [kept, deleted] = sandbox.seed("customer", [scene.customer(1), scene.customer(2)]);
    expect(await scene.found(2)).toEqual([deleted!.id]);
    const old = { ...scene.customer(3), modified: "2001-01-01T00:00:00.000Z" };
    const [stamped] = sandbox.seed("customer", [old]);
    sandbox.vanish("customer", deleted!.id);

    clock.advance(6 * DAY_MS);
    expect(await scene.found(3)).toEqual([]);
    expect(await scene.found(2)).toEqual([deleted!.id]);

    clock.advance(DAY_MS + 1);
    expect(await scene.found(3)).toEqual([stamped!.id]);
    expect(await scene.found(2)).toEqual([]);
    expect(await scene.found(1)).toEqual([kept!.id]);
  });

  it("is read whole where its keys are written as an earlier version wrote them", async () => {
    await using scene = await setScene();
    const { store, sandbox } = scene;
    const [old] = sandbox.seed("customer", [
      { ...scene.customer(1), modified: "2001-01-01T00:00:00.000Z" },
      { ...scene.customer(2), modified: minutesAgo(1) },
    ]);
    await scene.found(1);
    const note = indexNote("customer");
    await store.saveNote(note, { ...(await store.note(note))!, rules: ruleName(rule) });
    await store.saveMatches("customer", [{ serviceId: old!.id, keys: { [ruleName(rule)]: "as it was" } }]);

    await scene.newReader().freshen("customer", 0, never);
    expect(await scene.indexed(1)).toEqual([old!.id]);
  });

  it("takes a look ahead as the first of the two that prove a resource empty", async () => {
    await using scene = await setScene();
    scene.reader.lookAhead("customer", never);
    await scene.reader.readWhole("customer", never);
    expect(scene.reads()).toBe(2);
    await scene.reader.readWhole("customer", never);
    expect(scene.reads()).toBe(3);
  });

  it.each([{ kind: "emptyList", shape: "list" }, { kind: "gateway404" }] as const)(
    "is read whole after a look ahead that was wrong (%o)",
    async (fault) => {
      await using scene = await setScene();
      const [record] = scene.sandbox.seed("customer", [scene.customer(1)]);
      scene.sandbox.faults.add({ ...fault, resource: "customer", count: 1 });
      scene.reader.lookAhead("customer", never);
      await scene.reader.readWhole("customer", never);
      expect(scene.sandbox.faults.list()[0]!.hits).toBe(1);
      expect(await scene.indexed(1)).toEqual([record!.id]);
    },
  );

  it("believes no single empty list, also after a look ahead that showed records", async () => {
    await using scene = await setScene();
    const [record] = scene.sandbox.seed("customer", [scene.customer(1)]);
    scene.reader.lookAhead("customer", never);
    await vi.waitFor(() => expect(scene.reads()).toBe(1), 60_000);
    scene.sandbox.faults.add({ kind: "emptyList", shape: "list", resource: "customer", count: 1 });
    await scene.reader.readWhole("customer", never);
    expect(scene.reads()).toBe(3);
    expect(await scene.indexed(1)).toEqual([record!.id]);
  });

  it("is read once for all who ask afresh, and again for who asks after the read began", async () => {
    await using scene = await setScene();
    const { sandbox, reader } = scene;
    sandbox.seed("customer", [scene.customer(1)]);
    const many = Array.from({ length: 20 }, async (_, at) => {
      for (let turn = 0; turn < at; turn++) await new Promise(setImmediate);
      await reader.readAfresh("customer", never);
    });
    await Promise.all(many);
    const once = scene.reads();
    expect(once).toBe(1);
    await reader.readAfresh("customer", never);
    expect(scene.reads()).toBe(once + 1);
  });

  it("is read once, also where a weak password is a part of a match field's name", async () => {
    await using scene = await setScene("customer");
    const { sandbox, reader } = scene;
    sandbox.seed("customer", [scene.customer(1)]);
    await reader.freshen("customer", DAY_MS, never);
    const once = scene.reads();
    await reader.freshen("customer", DAY_MS, never);
    expect(scene.reads()).toBe(once);
    expect(await reader.carried("customer")).toEqual(new Set(["customerId"]));
  });

  it.each(["freshen", "readAfresh", "readNews"] as const)(
    "is read for who still wants it when who began the read is called away (%s)",
    async (way) => {
      await using scene = await setScene();
      const { reader, held } = scene;
      const [early] = scene.sandbox.seed("customer", [scene.customer(1)]);
      if (way === "readNews") await reader.freshen("customer", 0, never);
      const [late] = scene.sandbox.seed("customer", [scene.customer(2)]);
      const read = (signal: AbortSignal) =>
        way === "freshen" ? reader.freshen("customer", 0, signal) : reader[way]("customer", signal);
      const begun = held();
      const leaving = new AbortController();
      const left = thrownBy(read(leaving.signal));
      const waiting = read(never);
      await begun;
      leaving.abort();
      expect(await left).toBe(leaving.signal.reason);
      await waiting;
      expect([await scene.indexed(1), await scene.indexed(2)]).toEqual([[early!.id], [late!.id]]);
    },
  );

  it("is read for news from the newest stamp on: what came to light is found, and the index does not count as younger", async () => {
    await using scene = await setScene();
    const { sandbox, clock, reader } = scene;
    const old = Array.from({ length: 120 }, (_, at) => ({ ...scene.customer(at + 2), modified: minutesAgo(10) }));
    sandbox.seed("customer", [...old, scene.customer(1)]);
    await reader.readAfresh("customer", never);
    const whole = scene.reads();
    const [late] = sandbox.seed("customer", [scene.customer(500)]);
    await Promise.all([reader.readNews("customer", never), reader.readNews("customer", never)]);
    expect(scene.reads()).toBe(whole + 1);
    expect(await scene.indexed(500)).toEqual([late!.id]);

    clock.advance(1);
    await reader.freshen("customer", 0, never);
    expect(scene.reads()).toBeGreaterThan(whole + 1);
  });

  it("is read once by a process that asks for news and by who creates meanwhile", async () => {
    await using scene = await setScene();
    const [early] = scene.sandbox.seed("customer", [scene.customer(1)]);
    await Promise.all([scene.reader.readNews("customer", never), scene.reader.freshen("customer", 1_000, never)]);
    expect(await scene.indexed(1)).toEqual([early!.id]);
    expect(scene.reads()).toBe(1);
  });

  it("is read afresh for news while nothing in it has a stamp", async () => {
    await using scene = await setScene();
    await scene.reader.freshen("customer", 0, never);
    const [late] = scene.sandbox.seed("customer", [scene.customer(1)]);
    await scene.reader.readNews("customer", never);
    expect(await scene.indexed(1)).toEqual([late!.id]);
  });
});
