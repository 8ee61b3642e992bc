import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { openReader } from "../../../src/returns/read/open-reader.ts";
import { SetClock } from "../../kit/clock.ts";
import { customer, Scene, written } from "../../conformance/store-scene.ts";
import { sqlitePlace } from "../../store/sqlite-place.ts";
import { customerOf, knowing, reportStream, returnTenant } from "../tenant.ts";

const signal = AbortSignal.timeout(60_000);

/** Tickets of the service, of which `bound` ones belong to records whose last write was `applied`. */
async function scene() {
  const clock = new SetClock();
  const tenant = await returnTenant({ clock });
  const place = await Scene.open(sqlitePlace);
  const { sandbox, service } = tenant;
  const owner = customerOf(sandbox);
  const known: string[] = [];
  const stream = reportStream({
    name: "ticket-status",
    kind: "status",
    resource: "ticket",
    reads: ["id", "ticketStatus"],
    finalBy: undefined,
    lines: [],
    isWanted: () => Promise.resolve(true),
  });
  const { store } = place;
  const deps = {
    boundTo: store.boundTo.bind(store),
    record: store.record.bind(store),
    standings: store.standings,
    returns: knowing(known),
  };
  const reader = openReader({ service, store: deps }, stream);
  const status = (name: string) => sandbox.records("ticketStatus").find((one) => one["name"] === name)!.id;
  let cursor: JsonObject | null = null;
  const beginAt = clock.at;
  return {
    tenant,
    clock,
    known,
    reader,
    status,
    /** A ticket with this status; `applied` is what svcsync wrote, undefined for a ticket that the ERP does not know. */
    async ticket(key: string, applied: JsonObject | undefined) {
      const [{ id } = { id: 0 }] = sandbox.seed("ticket", [{ customer: owner, ticketStatus: status("Open") }]);
      if (applied === undefined) return id;
      const claim = await place.claimed({ ...customer(key), stream: "tickets" });
      await store.begin(claim, { resource: "ticket", projection: { ...applied } });
      await store.end(claim, {
        kind: "bind",
        binding: { resource: "ticket", serviceId: id },
        applied: written(applied, [], { outcome: "created" }),
      });
      return id;
    },
    async look() {
      clock.advance(60_000);
      await service.ping(signal);
      const found: number[] = [];
      for await (const batch of reader.changed(cursor, beginAt, signal)) {
        found.push(...batch.listed.map(({ subject }) => Number(subject)));
        cursor = batch.cursor;
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await tenant[Symbol.asyncDispose]();
    },
  };
}

describe("the status of tickets", () => {
  it("is news when people set it, of tickets that the ERP knows, and not when svcsync wrote it", async () => {
    await using tickets = await scene();
    const open = tickets.status("Open");
    await tickets.ticket("strange", undefined);
    const echo = await tickets.ticket("echo", { ticketStatus: open });
    const free = await tickets.ticket("free", { description: "x" });
    expect(await tickets.look()).toEqual([free]);
    tickets.tenant.sandbox.people.setStatus(echo, "Closed");
    expect([await tickets.look(), await tickets.look()]).toEqual([[echo], []]);
    expect(await tickets.reader.whole(String(echo), signal)).toMatchObject({
      subject: String(echo),
      serviceId: echo,
      record: { ticketStatus: tickets.status("Closed") },
    });
  });

  it("is news when svcsync set back what the ERP was told", async () => {
    await using tickets = await scene();
    const id = await tickets.ticket("echo", { ticketStatus: tickets.status("Open") });
    expect(await tickets.look()).toEqual([]);
    tickets.tenant.sandbox.people.setStatus(id, "Closed");
    expect(await tickets.look()).toEqual([id]);
    tickets.known.push(String(id));
    tickets.tenant.sandbox.people.setStatus(id, "Open");
    expect(await tickets.look()).toEqual([id]);
  });
});
