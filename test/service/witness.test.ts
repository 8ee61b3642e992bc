import { describe, expect, it } from "vitest";
import { open, standIn, type Reply, type Seen } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const refused: Reply = { status: 404, text: "<html><title>Not found</title>" };

/** A tenant that shows these ids of `customer` one by one and in its list, and lists nothing else unless `others` does. */
const tenant =
  (ids: readonly number[], { listed = ids, others = refused }: { listed?: readonly number[]; others?: Reply } = {}) =>
  ({ path }: Seen): Reply => {
    if (path.endsWith("/customer"))
      return { json: { totalCount: listed.length, customer: listed.map((id) => ({ id })) } };
    const id = Number(/\/customer\/(\d+)$/.exec(path)?.[1]);
    if (Number.isNaN(id)) return others;
    return ids.includes(id) ? { json: { id } } : refused;
  };

describe("vouching for refusals", () => {
  it("asks for one record that is known to be there", async () => {
    await using server = await standIn(tenant([7, 8]));
    await using opened = open(server.url);
    await opened.service.vouch("customer", [7, 8], never);
    expect(server.seen.map(({ path }) => path)).toEqual(["/restApi/v1/customer/7"]);
  });

  it("asks for the next one when people have deleted the first, then for one of the list", async () => {
    await using server = await standIn(tenant([8], { listed: [8] }));
    await using opened = open(server.url);
    await opened.service.vouch("customer", [7, 8], never);
    await opened.service.vouch("customer", [7], never);
    expect(server.seen.map(({ path }) => path.replace("/restApi/v1/", ""))).toEqual([
      "customer/7",
      "customer/8",
      "customer/7",
      "customer",
      "customer/8",
    ]);
  });

  it("takes an empty list for an answer, since it needs proof of its own", async () => {
    await using server = await standIn(tenant([]));
    await using opened = open(server.url);
    await opened.service.vouch("customer", [7], never);
    expect(server.seen).toHaveLength(2);
  });

  it("does not vouch by a list of records without an id", async () => {
    await using server = await standIn(() => ({ json: { totalCount: 1, customer: [{ id: 0 }] } }));
    await using opened = open(server.url);
    expect(await thrownBy(opened.service.vouch("customer", [7], never))).toMatchObject({ code: "E_SERVICE_DOUBTED" });
  });

  it.each([400, 403, 404])("does not vouch while everything is answered %i", async (status) => {
    await using server = await standIn(() => ({ status }));
    await using opened = open(server.url);
    for (const known of [[7], []])
      expect(await thrownBy(opened.service.vouch("customer", known, never))).toMatchObject({
        family: "wait",
        code: "E_SERVICE_DOUBTED",
      });
  });

  it("does not vouch when single records are refused that the list shows", async () => {
    await using server = await standIn(tenant([], { listed: [7] }));
    await using opened = open(server.url);
    expect(await thrownBy(opened.service.vouch("customer", [], never))).toMatchObject({ code: "E_SERVICE_DOUBTED" });
  });

  it("vouches by other lists for a resource that the tenant does not have, unless records of it are known", async () => {
    await using server = await standIn(tenant([7]));
    await using opened = open(server.url);
    expect(await opened.service.vouch("svcDocument", [], never)).toBe(false);
    expect(await opened.service.vouch("customer", [], never)).toBe(true);
    expect(await thrownBy(opened.service.vouch("svcDocument", [5], never))).toMatchObject({
      code: "E_SERVICE_DOUBTED",
    });
  });

  it("asks once more for a list that was refused before others were shown: what refused it may have passed", async () => {
    let refusals = 1;
    const all = tenant([7], { listed: [7], others: { json: { totalCount: 0, svcDocument: [] } } });
    await using server = await standIn((request) => (refusals-- > 0 ? refused : all(request)));
    await using opened = open(server.url);
    expect(await opened.service.vouch("svcDocument", [], never)).toBe(true);
    expect(server.seen.map(({ path }) => path.replace("/restApi/v1/", ""))).toEqual([
      "svcDocument",
      "customer",
      "svcDocument",
    ]);
  });

  it("opens the breaker when known records are refused again and again", async () => {
    await using server = await standIn(() => ({ status: 403 }));
    await using opened = open(server.url, {}, { breaker: { failures: 3, pauseMs: 60_000, pauseMaxMs: 60_000 } });
    for (let at = 0; at < 3; at++) await thrownBy(opened.service.vouch("customer", [7], never));
    expect(opened.service.state().state).toBe("open");
    expect(await thrownBy(opened.service.read("customer", 7, ["id"], never))).toMatchObject({ code: "E_SERVICE_DOWN" });
  });
});
