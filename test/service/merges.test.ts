import { describe, expect, it } from "vitest";
import type { Patch } from "#service";
import { open, standIn, type Reply, type Seen } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const edit: Patch = { fields: { description: "A" }, arrays: {} };
const asksForMerges = ({ query }: Seen) => (query.get("fields") ?? "").split(",").includes("mergedToTicket");
const refused: Reply = { status: 400, json: { status: 400, errorMessage: "no" } };
const shown = (more = {}): Reply => ({ json: { id: 7, description: "A", ...more } });

describe("a ticket that was merged into another one", () => {
  it.each<[string, unknown, number | undefined]>([
    ["an id", 9, 9],
    ["a record", { id: 9 }, 9],
    ["null", null, undefined],
  ])("is told by the answer of its edit, which asks for it: %s", async (_, mergedToTicket, expected) => {
    await using server = await standIn(() => shown({ mergedToTicket }));
    await using opened = open(server.url);
    const written = await opened.service.update("ticket", 7, edit, never);
    expect(written.mergedTo).toBe(expected);
    expect(server.seen.map((request) => [request.method, asksForMerges(request)])).toEqual([["PUT", true]]);
  });

  it("is told by a read where the edit answers nothing", async () => {
    await using server = await standIn(({ method }) =>
      method === "PUT" ? { status: 204 } : shown({ mergedToTicket: 9 }),
    );
    await using opened = open(server.url);
    expect(await opened.service.update("ticket", 7, edit, never)).toMatchObject({ mergedTo: 9, dropped: [] });
  });

  it("is not asked for where nothing is ever merged", async () => {
    await using server = await standIn(() => shown());
    await using opened = open(server.url);
    await opened.service.update("customer", 7, edit, never);
    expect(server.seen.map(asksForMerges)).toEqual([false]);
  });
});

describe("a service that refuses the name of the field", () => {
  it("gets every edit without it, and is asked no longer after two refusals", async () => {
    await using server = await standIn((request) => (asksForMerges(request) ? refused : shown()));
    await using opened = open(server.url);
    for (let count = 0; count < 3; count++)
      expect(await opened.service.update("ticket", 7, edit, never)).toMatchObject({ status: 200, dropped: [] });
    expect(server.seen.map(asksForMerges)).toEqual([true, false, true, false, false]);
  });

  it("is asked again where a gateway refused once", async () => {
    let gateway = true;
    await using server = await standIn((request) => {
      if (asksForMerges(request) && gateway) return refused;
      return shown({ mergedToTicket: 9 });
    });
    await using opened = open(server.url);
    expect(await opened.service.update("ticket", 7, edit, never)).toMatchObject({ mergedTo: 9 });
    gateway = false;
    expect(await opened.service.update("ticket", 7, edit, never)).toMatchObject({ mergedTo: 9 });
    expect(server.seen.map(asksForMerges)).toEqual([true, false, true]);
  });

  it("says why it refuses an edit, whatever is asked for", async () => {
    await using server = await standIn((request) => (request.method === "PUT" ? refused : { json: { id: 7 } }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("ticket", 7, edit, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_REFUSED", details: { said: "no" } });
  });
});
