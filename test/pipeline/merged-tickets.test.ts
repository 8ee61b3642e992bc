import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { bind } from "#operator";
import { AmbiguousRecords, Reconciler } from "#pipeline";
import { DEFAULT_TOKEN, startSandbox } from "#sandbox";
import { forgetMerges, withMerges } from "../../src/pipeline/counterpart/merges.ts";
import { mergesNote } from "../../src/pipeline/notes.ts";
import { upsert, deletion } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { approveAll, DeliveryRig, streamsOf } from "./delivery-rig.ts";

const text = `
sources:
  erp: { adapter: sql, url: "sqlite:erp.db" }
streams:
  customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: [customerId]
    deleted: { when: "gone = 1", delete: true }
    fields:
      customerId: number
      name: number
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
  tickets:
    source: erp
    read: { table: tickets, key: number }
    resource: ticket
    match: [erpReferenceNumber]
    deleted: { when: "gone = 1", set: { internalDescription: { const: gone } } }
    fields:
      erpReferenceNumber: number
      description: text
      customer: { ref: customers, key: customer, optional: true }
      internalDescription: { const: "" }
      priority: { lookup: priority, by: name, value: { const: Normal } }
      ticketStatus: { lookup: ticketStatus, by: name, value: { const: Open } }
      tags: { tags: tags, separator: "," }
  orders:
    source: erp
    read: { table: orders, key: number }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: { from: number, own: create }
      ticket: { ref: tickets, key: ticket }
      customer: { lookup: customer, by: name, value: { const: One } }
`;
const streams = streamsOf(text);
const SET = `deleted: { when: "gone = 1", set: { internalDescription: { const: gone } } }`;
const deleting = streamsOf(text.replace(SET, "deleted: { delete: true }"));
const recreating = streamsOf(text.replace("resource: ticket\n", "resource: ticket\n    gone: recreate\n"));
const anna = { name: "anna", via: "cli" } as const;
const five = { stream: "tickets", key: "5" };
const nine = { stream: "tickets", key: "9" };
const order = { stream: "orders", key: "o" };

async function scene() {
  const sandbox = await startSandbox();
  const rig = await DeliveryRig.open(sandbox);
  sandbox.seed("customer", [{ name: "One", customerId: "1" }]);
  const named = (resource: string, name: string) => sandbox.records(resource).find((each) => each["name"] === name)!.id;
  const stage = (stream: string, key: string, row: JsonObject) =>
    rig.stage(stream, [upsert(key, { number: key, ...row })]);
  const ticket = (key: string, text = "A", tags = "") => stage("tickets", key, { text, tags, gone: 0, customer: null });
  const idOf = async (id: { stream: string; key: string }) => (await rig.store.record(id))!.binding!.serviceId;
  return {
    sandbox,
    rig,
    named,
    ticket,
    stage,
    idOf,
    run: () => rig.run(streams),
    /** A ticket that a person made in the service. */
    foreign: (more: JsonObject = {}) =>
      sandbox.seed("ticket", [
        {
          description: "by hand",
          priority: named("priority", "Normal"),
          ticketStatus: named("ticketStatus", "Open"),
          tags: [],
          ...more,
        },
      ])[0]!.id,
    async merge(from: number, into: number) {
      const headers = { authorization: `Bearer ${DEFAULT_TOKEN}` };
      const answer = await fetch(`${sandbox.url}/restApi/v1/ticket/${into}/merge/${from}`, { method: "PUT", headers });
      if (!answer.ok) throw new Error(await answer.text());
      sandbox.ledger.clear();
    },
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const puts = (on: Awaited<ReturnType<typeof scene>>, id: number) =>
  on.sandbox.ledger.requests({ method: "PUT" }).filter(({ url }) => url.includes(`/ticket/${id}?`)).length;

describe("a ticket that a person merged into another one", () => {
  it("is the one that is left from its next update on, and so are its orders", async () => {
    await using on = await scene();
    await on.ticket("5", "A", "Wartung");
    await on.run();
    const old = await on.idOf(five);
    const left = on.foreign({ tags: [on.named("tag", "Notdienst")] });
    await on.stage("orders", "o", { ticket: "5" });
    await on.run();
    await on.merge(old, left);

    await on.ticket("5", "B");
    await on.stage("orders", "p", { ticket: "5" });
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "applied", binding: { serviceId: left } });
    expect(puts(on, old)).toBe(1);
    // The tag that svcsync had put on the merged ticket is removed, the other one stays.
    expect(on.sandbox.record("ticket", left)).toMatchObject({ description: "B", tags: [on.named("tag", "Notdienst")] });
    expect(on.sandbox.records("svcDocument").map((each) => each["ticket"])).toEqual([left, left]);
    expect(await on.rig.writes(five)).toContainEqual(
      expect.objectContaining({
        action: "merge",
        serviceId: left,
        before: { ticket: old },
        after: { mergedToTicket: left },
      }),
    );
    const reconciler = new Reconciler(on.rig.store, on.rig.service, new Map());
    expect((await reconciler.reconcile(streams[1]!, undefined, never)).drifts).toEqual([]);

    await on.ticket("5", "C");
    await on.run();
    expect([puts(on, old), on.sandbox.record("ticket", left)!["description"]]).toEqual([1, "C"]);
  });

  it("is no duplicate of the one that is left, where the store does not know the merge any more", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.run();
    const old = await on.idOf(five);
    // As after a restored store: its number was written to the ticket that is left, and the binding is the old one.
    const left = on.foreign({ erpReferenceNumber: "5" });
    await on.merge(old, left);
    const reconciler = new Reconciler(on.rig.store, on.rig.service, new Map());
    const by = { name: "anna", via: "cli" } as const;
    expect(await reconciler.reconcile(streams[1]!, by, never)).toMatchObject({
      drifts: [{ kind: "merged", id: five, serviceId: old, to: left }],
      repaired: 1,
    });
    await on.run();
    expect(await on.idOf(five)).toBe(left);
    expect((await reconciler.reconcile(streams[1]!, undefined, never)).drifts).toEqual([]);
  });

  it("is the last one of a chain of merges", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.run();
    const [middle, left] = [on.foreign(), on.foreign()];
    await on.merge(await on.idOf(five), middle);
    await on.merge(middle, left);
    await on.ticket("5", "B");
    await on.run();
    expect(await on.idOf(five)).toBe(left);
  });

  it("is parked where the merges form a circle", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.run();
    const old = await on.idOf(five);
    const other = on.foreign();
    await on.merge(old, other);
    await on.merge(other, old);
    await on.ticket("5", "B");
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "parked", error: { code: "E_TICKET_MERGED" } });
  });

  it("is parked where the one that is left is another record of the ERP, which gets its orders, and is written no more", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.ticket("9");
    await on.stage("orders", "o", { ticket: "5" });
    await on.run();
    const [old, left] = [await on.idOf(five), await on.idOf(nine)];
    await on.merge(old, left);
    await on.ticket("5", "B");
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({
      state: "parked",
      error: { code: "E_TICKET_MERGED", message: expect.stringContaining("which is tickets/9") },
      binding: { serviceId: old },
    });
    expect((await on.rig.writes(five)).at(-1)).toMatchObject({ action: "merge", outcome: "parked" });
    expect((await on.rig.store.record(order))!.applied).toMatchObject({ ticket: left });

    await on.stage("orders", "p", { ticket: "5" });
    await on.ticket("5", "C");
    const planned = await (await on.rig.planner(streams)).planOne(five, never);
    expect(planned).toMatchObject({ verdict: "park", error: { code: "E_TICKET_MERGED" } });
    await on.run();
    expect(puts(on, old)).toBe(1);
    expect(on.sandbox.records("svcDocument").map((each) => each["ticket"])).toEqual([left, left]);
    expect(on.sandbox.record("ticket", left)).toMatchObject({ description: "A" });
  });

  it("has its order corrected whose create was under way", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.ticket("9");
    await on.run();
    const [old, left] = [await on.idOf(five), await on.idOf(nine)];
    await on.stage("orders", "o", { ticket: "5" });
    const { service, store } = on.rig;
    const create = service.create.bind(service);
    const noticed = { [old]: { to: left, stream: five.stream, key: five.key } };
    Object.assign(service, {
      create: async (...of: Parameters<typeof create>) => {
        const written = await create(...of);
        // Another delivery sees the merge before this one has bound the order.
        await store.saveNote(mergesNote("ticket"), noticed);
        return written;
      },
    });
    await on.run();
    expect((await on.rig.store.record(order))!.applied).toMatchObject({ ticket: left });
  });

  it("does not keep its customer from being deleted, which the ERP has deleted", async () => {
    await using on = await scene();
    await on.stage("customers", "7", { gone: 0 });
    await on.stage("tickets", "5", { text: "A", tags: "", gone: 0, customer: "7" });
    await on.ticket("9");
    await on.run();
    await on.merge(await on.idOf(five), await on.idOf(nine));
    await on.ticket("5", "B");
    await on.run();
    expect((await on.rig.store.record(five))!.state).toBe("parked");
    await on.rig.stage("customers", [deletion("7")]);
    const seven = { stream: "customers", key: "7" };
    expect(await (await on.rig.planner(streams)).planOne(seven, never)).toMatchObject({ verdict: "delete" });
    await on.run();
    expect((await on.rig.store.record(seven))!.state).toBe("deleted");
    expect(on.sandbox.records("customer").map((each) => each["customerId"])).toEqual(["1"]);
  });

  it("leaves the other record of the ERP alone when the ERP deletes it", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.ticket("9");
    await on.run();
    await on.merge(await on.idOf(five), await on.idOf(nine));
    await on.rig.stage("tickets", [deletion("5")]);
    await on.run();
    expect((await on.rig.store.record(five))!.state).toBe("deleted");
    expect(on.sandbox.record("ticket", await on.idOf(nine))!["internalDescription"]).not.toBe("gone");
  });
});

async function both() {
  const on = await scene();
  await on.ticket("5");
  await on.ticket("9");
  await on.run();
  const left = on.foreign();
  await on.merge(await on.idOf(five), await on.idOf(nine));
  await on.merge(await on.idOf(nine), left);
  return { ...on, left };
}

describe("a ticket that is left of two records, one of which the ERP deletes", () => {
  it("belongs to the one that the ERP still has, where that one comes first", async () => {
    await using on = await both();
    await on.ticket("5", "B");
    await on.run();
    await on.rig.stage("tickets", [deletion("9")]);
    await on.run();
    expect(await on.idOf(five)).toBe(on.left);
    expect(on.sandbox.record("ticket", on.left)).toMatchObject({ description: "B", erpReferenceNumber: "5" });
    expect(on.sandbox.record("ticket", on.left)!["internalDescription"]).not.toBe("gone");
  });

  it("parks the other one, and says that the ERP deleted its owner, until a person ends that binding", async () => {
    await using on = await both();
    await on.rig.stage("tickets", [deletion("9")]);
    await on.run();
    expect(await on.idOf(nine)).toBe(on.left);
    await on.ticket("5", "B");
    await on.run();
    const message = expect.stringContaining(`ticket ${on.left}, which belongs to tickets/9, deleted in the ERP`);
    const error = { code: "E_TICKET_MERGED", message };
    expect(await on.rig.store.record(five)).toMatchObject({ state: "parked", error });
    await on.rig.store.resolve(nine, { kind: "unbind" }, anna);
    await on.rig.store.retryNow({ ...five, states: ["parked"] });
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "applied", binding: { serviceId: on.left } });
    expect(on.sandbox.record("ticket", on.left)).toMatchObject({ description: "B", erpReferenceNumber: "5" });
  });
});

async function merged(more: JsonObject = {}) {
  const on = await scene();
  await on.ticket("5");
  await on.run();
  const old = await on.idOf(five);
  const left = on.foreign(more);
  await on.merge(old, left);
  await on.rig.stage("tickets", [deletion("5")]);
  return { ...on, old, left };
}

const gone = (on: Awaited<ReturnType<typeof merged>>) =>
  [on.old, on.left].map((id) => on.sandbox.record("ticket", id)?.["internalDescription"]);
const writesTo = (on: Awaited<ReturnType<typeof merged>>, method: string, id: number) =>
  on.sandbox.ledger.requests({ method }).filter(({ url }) => url.includes(`/ticket/${id}`)).length;

describe("a merged ticket that the ERP deletes before it changes it again", () => {
  it("gets the fields of its deletion at the ticket that is left", async () => {
    await using on = await merged();
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "deleted", binding: { serviceId: on.left } });
    expect(gone(on)[1]).toBe("gone");
    expect(on.sandbox.record("ticket", on.left)).toMatchObject({ description: "by hand" });
    expect(await on.rig.writes(five)).toContainEqual(expect.objectContaining({ action: "merge", serviceId: on.left }));
    expect(writesTo(on, "PUT", on.old)).toBe(1);
  });

  it("gets them there with the first request where the merge is known", async () => {
    await using on = await merged();
    await on.rig.store.saveNote(mergesNote("ticket"), { [on.old]: { to: on.left, stream: "tickets", key: "5" } });
    const planned = await (await on.rig.planner(streams)).planOne(five, never);
    expect(planned).toMatchObject({ verdict: "adopt", serviceId: on.left });
    await on.run();
    expect(gone(on)[1]).toBe("gone");
    expect(writesTo(on, "PUT", on.old)).toBe(0);
  });

  it("leaves a ticket alone that has another key", async () => {
    await using on = await merged({ erpReferenceNumber: "9" });
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "deleted" });
    expect(gone(on)[1]).not.toBe("gone");
  });

  it("does not delete the ticket that is left: a person decides", async () => {
    await using on = await merged();
    await on.rig.run(deleting);
    expect(await on.rig.store.record(five)).toMatchObject({
      state: "parked",
      error: { code: "E_TICKET_MERGED", message: expect.stringContaining(`ticket ${on.left}`) },
    });
    expect((await on.rig.writes(five)).at(-1)).toMatchObject({ action: "merge", outcome: "parked" });
    expect(on.sandbox.ledger.requests({ method: "DELETE" })).toEqual([]);
    await on.rig.store.retryNow({ ...five, states: ["parked"] });
    const planned = await (await on.rig.planner(deleting)).planOne(five, never);
    expect(planned).toMatchObject({ verdict: "park", error: { code: "E_TICKET_MERGED" } });
  });

  it("is not deleted either where an update has led the record to the ticket that is left", async () => {
    await using on = await merged();
    // The ERP has it again for an update, and deletes it only then.
    await on.ticket("5", "B");
    await on.run();
    expect(await on.idOf(five)).toBe(on.left);
    await on.rig.stage("tickets", [deletion("5")]);
    const planned = await (await on.rig.planner(deleting)).planOne(five, never);
    expect(planned).toMatchObject({ verdict: "park", error: { code: "E_TICKET_MERGED" } });
    await on.rig.run(deleting);
    expect(await on.rig.store.record(five)).toMatchObject({ state: "parked", error: { code: "E_TICKET_MERGED" } });
    expect(on.sandbox.ledger.requests({ method: "DELETE" })).toEqual([]);
    // A person who binds it has decided.
    await forgetMerges(on.rig.store, five, "ticket");
    await on.rig.store.retryNow({ ...five, states: ["parked"] });
    await on.rig.run(deleting);
    expect(on.sandbox.record("ticket", on.left)).toBeUndefined();
  });

  it("deletes nothing where the ticket that is left is another record of the ERP", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.ticket("9");
    await on.run();
    const [old, left] = [await on.idOf(five), await on.idOf(nine)];
    await on.merge(old, left);
    await on.rig.stage("tickets", [deletion("5")]);
    await on.rig.run(deleting);
    expect(await on.rig.store.record(five)).toMatchObject({ state: "deleted" });
    expect((await on.rig.writes(five)).at(-1)).toMatchObject({ action: "merge", outcome: "deleted" });
    expect(on.sandbox.ledger.requests({ method: "DELETE" })).toEqual([]);
    expect(on.sandbox.record("ticket", left)).toBeDefined();
  });

  it("is deleted as before where it was not merged", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.run();
    const old = await on.idOf(five);
    await on.rig.stage("tickets", [deletion("5")]);
    await on.rig.run(deleting);
    expect(on.sandbox.record("ticket", old)).toBeUndefined();
  });
});

describe("a merged ticket that the match index shows", () => {
  const held = { erpReferenceNumber: "5" };

  it("is no candidate: the ERP's ticket is the one that is left", async () => {
    await using on = await scene();
    const [old, left] = [on.foreign(held), on.foreign()];
    await on.merge(old, left);
    await on.ticket("5");
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "applied", binding: { serviceId: left } });
    expect(on.sandbox.records("ticket")).toHaveLength(2);
  });

  it("does not take the ticket of another record of the ERP", async () => {
    await using on = await scene();
    const [old, left] = [on.foreign(held), on.foreign({ erpReferenceNumber: "9" })];
    await on.merge(old, left);
    await on.ticket("5");
    await on.ticket("9");
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "parked", error: { code: "E_TICKET_MERGED" } });
    expect(await on.idOf(nine)).toBe(left);
    expect(on.sandbox.records("ticket")).toHaveLength(2);
  });

  it("gives its orders to the one that is left, although the ERP's ticket is bound to none", async () => {
    await using on = await scene();
    const [old, left] = [on.foreign(held), on.foreign({ erpReferenceNumber: "9" })];
    await on.merge(old, left);
    await on.ticket("9");
    await on.stage("orders", "o", { ticket: "5" });
    await on.run();
    expect((await on.rig.store.record(order))!.state).toBe("waiting");
    await on.ticket("5");
    await on.run();
    await on.stage("orders", "p", { ticket: "5" });
    const planned = await (await on.rig.planner(streams)).planOne({ stream: "orders", key: "p" }, never);
    expect(planned).toMatchObject({
      verdict: "create",
      fields: expect.arrayContaining([{ field: "ticket", after: left }]),
    });
    await on.run();
    expect(on.sandbox.records("svcDocument").map((each) => each["ticket"])).toEqual([left, left]);
    // A person who binds it to another one has decided, also about its orders.
    const other = on.foreign();
    const bound = {
      id: five,
      stream: streams[1]!,
      serviceId: other,
      isMeant: () => Promise.resolve(true),
      signal: never,
    };
    await bind(on.rig, bound, anna);
    await on.run();
    expect(on.sandbox.records("svcDocument").map((each) => each["ticket"])).toEqual([other, other]);
  });

  it.each([
    ["recreated", recreating, "applied"],
    ["parked", streams, "parked"],
  ] as const)(
    "is created once the one that was left is gone and the ERP's ticket of that one is %s, and its orders follow",
    async (_, configured, itsState) => {
      await using on = await scene();
      const [old, left] = [on.foreign(held), on.foreign({ erpReferenceNumber: "9" })];
      await on.merge(old, left);
      await on.ticket("9");
      await on.ticket("5");
      await on.stage("orders", "o", { ticket: "5" });
      const ambiguous = new AmbiguousRecords({ store: on.rig.store, logger: silentLogger }, configured);
      await on.rig.run(configured);
      await ambiguous.look(never);
      await on.rig.run(configured);
      expect(await on.rig.store.record(five)).toMatchObject({ state: "parked", error: { code: "E_TICKET_MERGED" } });

      on.sandbox.vanish("ticket", left);
      await on.stage("orders", "refused", { ticket: "5" });
      await on.ticket("9", "B");
      await on.rig.run(configured);
      expect(await on.rig.store.record(nine)).toMatchObject({ state: itsState });
      expect(await on.rig.store.record({ ...order, key: "refused" })).toMatchObject({ state: "parked" });
      await ambiguous.look(never);
      await on.rig.run(configured);
      const created = await on.idOf(five);
      expect([old, left]).not.toContain(created);
      expect(on.sandbox.records("svcDocument").map((each) => each["ticket"])).toEqual([created, created]);
      expect(await on.rig.store.note(mergesNote("ticket"))).toBeUndefined();
    },
  );

  it("lets its orders wait where a person has ended the binding that a merge led to", async () => {
    await using on = await scene();
    const [old, left] = [on.foreign(held), on.foreign()];
    await on.merge(old, left);
    await on.ticket("5");
    await on.run();
    expect(await on.idOf(five)).toBe(left);
    await on.rig.store.resolve(five, { kind: "unbind" }, anna);
    await on.stage("orders", "o", { ticket: "5" });
    await on.run();
    expect(await on.rig.store.record(order)).toMatchObject({ state: "waiting", error: { code: "E_PARENT_MISSING" } });
  });

  it.each([
    ["refused", true],
    ["impossible, because the service still shows the merged one", false],
  ])(
    "gives its orders to no dead ticket where the one that was left is gone and its new create is %s",
    async (_, isGone) => {
      await using on = await scene();
      await on.ticket("5");
      await on.run();
      const [old, left] = [await on.idOf(five), on.foreign()];
      await on.merge(old, left);
      await on.ticket("5", "B");
      await on.run();
      expect(await on.idOf(five)).toBe(left);
      on.sandbox.vanish("ticket", left);
      if (isGone) on.sandbox.vanish("ticket", old);
      on.sandbox.faults.add({ kind: "gateway404", status: 400, method: "POST", path: "*/ticket?*" });
      await on.ticket("5", "C");
      await on.rig.run(recreating);
      expect((await on.rig.store.record(five))!.binding).toBeUndefined();
      await on.stage("orders", "o", { ticket: "5" });
      await on.rig.run(recreating);
      expect(await on.rig.store.record(order)).toMatchObject({ state: "waiting", error: { code: "E_PARENT_MISSING" } });
      expect(await on.rig.store.note(mergesNote("ticket"))).toBeUndefined();
    },
  );

  it.each([
    ["parked", "E_TICKET_MERGED", true],
    ["parked", "E_SERVICE_REFUSED", false],
    ["uncertain", "E_CREATE_UNSETTLED", false],
    ["skipped", "E_TICKET_MERGED", true],
  ] as const)(
    "has its orders follow it only where the merge leaves it unbound: %s, %s",
    async (state, code, follows) => {
      await using on = await scene();
      const left = on.foreign();
      await on.rig.store.saveNote(mergesNote("ticket"), { 77: { to: left, ...five } });
      await on.ticket("5");
      const claim = (await on.rig.store.claim(five))!;
      const error = { code, message: "M", details: {} };
      if (state === "uncertain") {
        await on.rig.store.begin(claim, { resource: "ticket", projection: {} });
        await on.rig.store.end(claim, { kind: "uncertain", error });
      } else await on.rig.store.end(claim, { kind: "park", error });
      if (state === "skipped") await on.rig.store.resolve(five, { kind: "skip" }, anna);
      const found = await withMerges(on.rig.store, [five], new Map());
      expect([...found.values()]).toEqual(follows ? [{ mergedTo: left }] : []);
    },
  );

  it("leaves no doubt where one with the same key is left", async () => {
    await using on = await scene();
    const [old, left] = [on.foreign(held), on.foreign(held)];
    await on.merge(old, left);
    await on.ticket("5");
    await on.run();
    expect(await on.rig.store.record(five)).toMatchObject({ state: "applied", binding: { serviceId: left } });
  });
});

/** Carries out an approved plan: what the record is bound to then, and what was left. */
async function refused(on: Awaited<ReturnType<typeof scene>>, { approved }: Awaited<ReturnType<typeof approveAll>>) {
  await on.rig.run(streams, approved);
  const bound = (await on.rig.store.record(five))!.binding?.serviceId;
  return { bound, left: approved.left.map(({ why }) => why) };
}

describe("a plan that a person approved before a ticket was merged", () => {
  it("binds no update's record to the ticket that is left; the next plan does", async () => {
    await using on = await scene();
    await on.ticket("5");
    await on.run();
    const old = await on.idOf(five);
    const left = on.foreign();
    await on.ticket("5", "B");
    const plan = await approveAll(on.rig, streams);
    await on.merge(old, left);
    expect(await refused(on, plan)).toEqual({
      bound: old,
      left: ["the plan says update, and the delivery would adopt"],
    });
    const next = await approveAll(on.rig, streams);
    expect(next.planned).toMatchObject([{ id: five, verdict: "adopt", serviceId: left }]);
    expect(await refused(on, next)).toEqual({ bound: left, left: [] });
    expect(on.sandbox.record("ticket", left)).toMatchObject({ description: "B" });
  });

  it.each([false, true])("binds no record that was found to the ticket that is left (deleted: %s)", async (isGone) => {
    await using on = await scene();
    const [old, left] = [on.foreign({ erpReferenceNumber: "5" }), on.foreign()];
    await on.stage("tickets", "5", { text: "B", tags: "", gone: isGone ? 1 : 0, customer: null });
    await on.rig.survey(streams);
    const plan = await approveAll(on.rig, streams);
    expect(plan.planned).toMatchObject([{ id: five, serviceId: old }]);
    await on.merge(old, left);
    const verdict = isGone ? "delete" : "adopt";
    expect(await refused(on, plan)).toEqual({
      bound: undefined,
      left: [`the plan says ${verdict} ${old}, and the delivery would adopt ${left}`],
    });
    const next = await approveAll(on.rig, streams);
    expect(next.planned).toMatchObject([{ id: five, verdict, serviceId: left }]);
    expect(await refused(on, next)).toEqual({ bound: left, left: [] });
    expect(on.sandbox.record("ticket", left)).toMatchObject(
      isGone ? { internalDescription: "gone" } : { description: "B" },
    );
  });

  it("shows the fields that a deletion sets at the ticket that is left, and writes no others", async () => {
    await using on = await merged();
    await on.rig.store.saveNote(mergesNote("ticket"), { [on.old]: { to: on.left, stream: "tickets", key: "5" } });
    const plan = await approveAll(on.rig, streams);
    expect(plan.planned).toMatchObject([
      { verdict: "adopt", serviceId: on.left, fields: [{ field: "internalDescription", after: "gone" }] },
    ]);
    expect(await refused(on, plan)).toEqual({ bound: on.left, left: [] });
    expect(gone(on)[1]).toBe("gone");
    expect(await on.rig.store.record(five)).toMatchObject({ state: "deleted" });
  });
});
