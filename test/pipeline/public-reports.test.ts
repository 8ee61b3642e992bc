import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change, Cursor } from "#model";
import { heldDeletions, Sweeper } from "#pipeline";
import { DEFAULT_TOKEN } from "#sandbox";
import { upsert } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { DropFolder } from "../sources/files/drop-folder.ts";
import { poll } from "../sources/reading.ts";
import { openSql } from "../sources/sql/opened.ts";
import { openRigScene, streamsOf } from "./delivery-rig.ts";

const SECOND = 1_000;
const erp = `sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }\n`;

const customers = `customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: [customerId]
    deleted: { delete: true }
    fields:
      customerId: number
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }`;

const contact = (key: string, name: string, customer: string) => upsert(key, { number: key, name, customer });

/** Faults that people reported in public about other connectors, each replayed here. The comments say what happened there. */
describe("a public report about another connector", () => {
  // Camel took a file that was copied with the stamp of its original before it was whole: it compared the stamp with its clock,
  // and looked for no change where a copy took longer than the smallest age.
  it("apache/camel#10131: a file keeps an old stamp while it is copied, and is read when it is whole", async () => {
    const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
    await using folder = await DropFolder.make(clock);
    const stream = await folder.stream({ ready: "stable", stableFor: "30s" });
    let text = "no;name\n";
    let cursor: Cursor | null = null;
    const look = async () => {
      const read = await poll(stream, cursor);
      ({ cursor } = read);
      return read.keys;
    };
    for (let no = 1; no <= 4; no++) {
      text += `C${no};Customer ${no}\n`;
      await folder.drop("customers.csv", text);
      await utimes(join(folder.path, "customers.csv"), new Date("2020-01-01"), new Date("2020-01-01"));
      expect(await look()).toEqual([]);
      clock.at += 31 * SECOND;
    }
    expect(await look()).toEqual(["C1", "C2", "C3", "C4"]);
    expect(await look()).toEqual([]);
  });

  // Account B was deleted on the server while a phone had new contacts of A and B. The one of B was refused (entity is deleted),
  // and the one of A was there twice after that.
  it("forcedotcom/SalesforceMobileSDK-ReactNative#381: a contact that is refused doubles no other, and moves once", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    const streams = streamsOf(`${erp}
streams:
  ${customers}
  contacts:
    source: erp
    read: { table: contacts, key: number }
    resource: customerContact
    match: [customer, name]
    fields:
      name: name
      customer: { ref: customers, key: customer }
`);
    const ann = contact("1", "Ann", "A");
    const record = (key: string) => rig.store.record({ stream: "contacts", key });
    const erpShows = async (...changes: Change[]) => {
      await rig.stage("contacts", changes);
      await rig.run(streams);
    };
    await rig.stage("customers", [upsert("A", { number: "A", name: "A" }), upsert("B", { number: "B", name: "B" })]);
    await rig.run(streams);
    const named = (name: string) => sandbox.records("customer").find((each) => each["name"] === name)!.id;
    const left = named("A");
    sandbox.vanish("customer", named("B"));

    await erpShows(ann, contact("2", "Bob", "B"));
    expect(await record("2")).toMatchObject({ state: "parked", error: { code: "E_SERVICE_REFUSED" } });
    await erpShows(ann, contact("2", "Robert", "B"));
    const inService = () => sandbox.records("customerContact").map(({ name, customer }) => [name, customer]);
    expect(inService()).toEqual([["Ann", left]]);

    // The worst moment: the answer to the create is lost.
    sandbox.faults.add({ kind: "cut", when: "after", method: "POST", count: 1 });
    await erpShows(contact("2", "Bob", "A"));
    expect(await record("2")).toMatchObject({ state: "applied" });
    expect(inService()).toEqual([
      ["Ann", left],
      ["Bob", left],
    ]);
  });

  // After a merge the mapping pointed to a contact that was gone, and the next update failed (ENTITY_IS_DELETED). The mend there
  // forgets the mapping and matches by e-mail. Here nothing at the ticket that is left would match.
  it("JacksonRiver/springboard_modules#1416: a merged record is followed to the one that is left, not created again", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    const streams = streamsOf(`${erp}
streams:
  tickets:
    source: erp
    read: { table: tickets, key: number }
    resource: ticket
    gone: recreate
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: { from: number, own: create }
      description: text
      priority: { lookup: priority, by: name, value: { const: Normal } }
      ticketStatus: { lookup: ticketStatus, by: name, value: { const: Open } }
`);
    const erpShows = async (text: string) => {
      await rig.stage("tickets", [upsert("5", { number: "5", text })]);
      await rig.run(streams);
    };
    await erpShows("A");
    const merged = sandbox.records("ticket")[0]!;
    const priority = merged["priority"]!;
    const ticketStatus = merged["ticketStatus"]!;
    const left = sandbox.seed("ticket", [{ description: "by hand", priority, ticketStatus, tags: [] }])[0]!;
    const headers = { authorization: `Bearer ${DEFAULT_TOKEN}` };
    const url = `${sandbox.url}/restApi/v1/ticket/${left.id}/merge/${merged.id}`;
    expect((await fetch(url, { method: "PUT", headers })).ok).toBe(true);
    sandbox.ledger.clear();

    await erpShows("B");
    expect(sandbox.ledger.requests({ method: "POST" })).toEqual([]);
    expect(sandbox.record("ticket", left.id)).toMatchObject({ description: "B" });
    expect(await rig.store.record({ stream: "tickets", key: "5" })).toMatchObject({
      state: "applied",
      binding: { serviceId: left.id },
    });
  });

  // The server's index had lost its entries, so that its list was empty without any error, while the mailbox still had the
  // contacts. The sync took the empty list for deletions and deleted contacts on the other side.
  it("the-djmaze/snappymail#2060: an empty list deletes nothing, and leaves no trace when the rows are back", async () => {
    await using scene = await openRigScene();
    await using database = await openSql("sqlite");
    const { rig, sandbox } = scene;
    const { writer } = database.place;
    const streams = streamsOf(`${erp}
streams:
  ${customers}
`);
    await writer.run("create table customers (number varchar(10) primary key, name varchar(20))");
    const fill = async () => {
      for (let no = 1; no <= 17; no++) await writer.run(`insert into customers values ('${no}', 'Customer ${no}')`);
    };
    const source = database.stream({ table: "customers", key: "number" });
    const { store, clock } = rig;
    const sweeper = new Sweeper({
      store,
      streams: new Map(streams.map((each) => [each.name, each] as const)),
      sources: new Map(),
      clock,
      logger: silentLogger,
      intervalMs: 60 * SECOND,
    });
    const sweep = async () => {
      clock.advance(120 * SECOND);
      try {
        await sweeper.sweepIfDue("customers", source, never);
      } finally {
        await rig.run(streams);
      }
    };
    await fill();
    await sweep();
    const before = sandbox.records("customer");
    expect(before).toHaveLength(17);
    sandbox.ledger.clear();

    await writer.run("delete from customers");
    for (let sweeps = 0; sweeps < 3; sweeps++)
      await expect(sweep()).rejects.toMatchObject({
        code: "E_SWEEP_EMPTY",
        message: expect.stringMatching(/17 records/),
      });
    expect(await heldDeletions(store, "customers")).toMatchObject({ count: 17 });
    await fill();
    await sweep();
    expect(await heldDeletions(store, "customers")).toBeUndefined();
    expect(sandbox.records("customer")).toEqual(before);
    expect(sandbox.ledger.requests().filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
