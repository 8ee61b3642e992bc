import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { open, standIn } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const MINUTE_MS = 60_000;

/** A tenant whose statuses a test may change, and a clock that it may move. */
async function tenant(resource: string, rows: JsonObject[]) {
  const clock = { at: 1_000_000_000_000, now: () => clock.at };
  const state = { rows };
  const server = await standIn(() => ({ json: { totalCount: state.rows.length, [resource]: state.rows } }));
  return { clock, state, server };
}

const statuses = [
  { id: 1, name: "Open" },
  { id: 2, name: "Closed" },
];

describe("a lookup", () => {
  it("finds the id by name, and asks the service once for all names", async () => {
    const { server, clock } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using opened = open(server.url, {}, { clock });
    const ids = await Promise.all(
      ["Open", "Closed", "Open"].map((name) => opened.service.lookup("ticketStatus", "name", name, never)),
    );
    expect(ids).toEqual([1, 2, 1]);
    expect(server.seen).toHaveLength(1);
  });

  it("asks again when what it knows is older than allowed", async () => {
    const { server, clock, state } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using opened = open(server.url, { referenceMaxAgeMs: 10 * MINUTE_MS }, { clock });
    await opened.service.lookup("ticketStatus", "name", "Open", never);
    state.rows = [{ id: 5, name: "Open" }];
    clock.at += 9 * MINUTE_MS;
    expect(await opened.service.lookup("ticketStatus", "name", "Open", never)).toBe(1);
    clock.at += 2 * MINUTE_MS;
    expect(await opened.service.lookup("ticketStatus", "name", "Open", never)).toBe(5);
  });

  it("is tried again later when the list shows none of the names that it had, also after a restart", async () => {
    const { server, clock, state } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using first = open(server.url, {}, { clock });
    await first.service.lookup("ticketStatus", "name", "Open", never);
    await using second = open(server.url, {}, { clock });
    for (const [resource, saved] of first.cache) second.cache.set(resource, saved);
    clock.at += 60 * MINUTE_MS;
    state.rows = [];
    for (const { service } of [first, second])
      expect(await thrownBy(service.lookup("ticketStatus", "name", "Open", never))).toMatchObject({
        family: "retry",
        code: "E_LIST_INCOMPLETE",
      });
    state.rows = statuses;
    for (const { service } of [first, second])
      expect(await service.lookup("ticketStatus", "name", "Open", never)).toBe(1);
  });

  it("keeps what it read across a restart, with its age", async () => {
    const { server, clock } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using first = open(server.url, {}, { clock });
    await first.service.lookup("ticketStatus", "name", "Open", never);
    await using second = open(server.url, {}, { clock });
    for (const [resource, saved] of first.cache) second.cache.set(resource, saved);
    expect(await second.service.lookup("ticketStatus", "name", "Closed", never)).toBe(2);
    expect(server.seen).toHaveLength(1);
    clock.at += 60 * MINUTE_MS;
    await second.service.lookup("ticketStatus", "name", "Closed", never);
    expect(server.seen).toHaveLength(2);
  });

  it("looks an unknown name up once more before it refuses it, listing the names that exist", async () => {
    const { server, clock, state } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using opened = open(server.url, {}, { clock });
    await opened.service.lookup("ticketStatus", "name", "Open", never);
    clock.at += MINUTE_MS;
    state.rows = [...statuses, { id: 3, name: "Paused" }];
    expect(await opened.service.lookup("ticketStatus", "name", "Paused", never)).toBe(3);
    clock.at += MINUTE_MS;
    const thrown = await thrownBy(opened.service.lookup("ticketStatus", "name", "Opn", never));
    expect(thrown).toMatchObject({
      family: "park",
      code: "E_LOOKUP_UNKNOWN",
      details: { names: ["Closed", "Open", "Paused"] },
    });
    expect(String(thrown)).toContain('no ticketStatus has name "Opn"; there are: Closed, Open, Paused');
  });

  it("does not ask again for each record with the same typo", async () => {
    const { server, clock } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using opened = open(server.url, {}, { clock });
    for (let at = 0; at < 20; at++)
      expect(await thrownBy(opened.service.lookup("ticketStatus", "name", "Opn", never))).toMatchObject({
        code: "E_LOOKUP_UNKNOWN",
      });
    expect(server.seen).toHaveLength(1);
  });

  it("refuses a name that several records have, listing their ids", async () => {
    const { server } = await tenant("ticketStatus", [...statuses, { id: 9, name: "Open" }]);
    await using _ = server;
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.lookup("ticketStatus", "name", "Open", never));
    expect(thrown).toMatchObject({ family: "park", code: "E_LOOKUP_AMBIGUOUS", details: { ids: [1, 9] } });
  });

  it.each([
    [true, false],
    [1, 0],
    ["true", "false"],
  ])("prefers the record that is not deactivated (%j)", async (yes, no) => {
    const rows = [
      { id: 1, name: "Warranty", deactivated: yes },
      { id: 2, name: "Warranty", deactivated: no },
      { id: 3, name: "Old", deactivated: yes },
    ];
    const { server } = await tenant("tag", rows);
    await using _ = server;
    await using opened = open(server.url);
    expect(await opened.service.lookup("tag", "name", "Warranty", never)).toBe(2);
    expect(await opened.service.lookup("tag", "name", "Old", never)).toBe(3);
  });

  it("finds by any field, numbers and text alike", async () => {
    const { server } = await tenant("user", [{ id: 1, externalErpNumber: "7001", name: "J" }]);
    await using _ = server;
    await using opened = open(server.url);
    expect(await opened.service.lookup("user", "externalErpNumber", 7001, never)).toBe(1);
    expect(await opened.service.lookup("user", "name", "J", never)).toBe(1);
    expect(server.seen.map(({ query }) => query.get("fields"))).toEqual([
      "id,externalErpNumber",
      "id,externalErpNumber,name",
    ]);
  });

  it("says so when the tenant does not have the resource at all", async () => {
    await using server = await standIn(() => ({ status: 404 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.lookup("ticketStatus", "name", "Open", never));
    expect(thrown).toMatchObject({ family: "park", code: "E_RESOURCE_UNKNOWN", details: { resource: "ticketStatus" } });
  });

  it("lets one caller leave without disturbing the others that wait for the same read", async () => {
    const { server } = await tenant("ticketStatus", statuses);
    await using _ = server;
    await using opened = open(server.url);
    const stop = new AbortController();
    const leaving = thrownBy(opened.service.lookup("ticketStatus", "name", "Open", stop.signal));
    const staying = opened.service.lookup("ticketStatus", "name", "Open", never);
    stop.abort(new Error("stopping"));
    expect(await leaving).toMatchObject({ message: "stopping" });
    expect(await staying).toBe(1);
  });
});
