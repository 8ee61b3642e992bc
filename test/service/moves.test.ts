import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { isOneRequest, type Patch } from "#service";
import { openTenant } from "../conformance/service-tenant.ts";
import { never, thrownBy } from "../kit/outcome.ts";
import { bodyOf, open, standIn, type Reply, type Seen } from "./stand-in.ts";

const edit = (fields: JsonObject): Patch => ({ fields, arrays: {} });

/** What the sandbox was asked to write, as `METHOD path` and body. */
function written(seen: readonly Seen[]) {
  return seen.filter(({ method }) => method !== "GET").map(({ method, path, body }) => [`${method} ${path}`, body]);
}

/** A contact 7 of customer 1. `moves` answers a move, after which it belongs to what `after` says. */
async function contact(moves: Reply, after: JsonObject = {}) {
  const record: Record<string, JsonObject[string]> = { id: 7, name: "A", customer: 1, customerLocation: 5 };
  return standIn((request: Seen): Reply => {
    if (request.method === "GET") return { json: record };
    if (request.path.endsWith("/move")) {
      if (moves.status === undefined) Object.assign(record, after);
      return moves;
    }
    const { customer: _owner, customerLocation: _site, ...kept } = bodyOf(request);
    Object.assign(record, kept);
    return { json: record };
  });
}

const CONTACT = "/restApi/v1/customerContact/7";

describe("a contact that gets another customer", () => {
  it("is moved, and then edited for what else changed", async () => {
    await using server = await contact({ json: { id: 7 } }, { customer: 2, customerLocation: 6 });
    await using opened = open(server.url);
    const patch = edit({ customer: 2, customerLocation: 6, name: "B" });
    const { dropped, serviceId } = await opened.service.update("customerContact", 7, patch, never);
    expect({ dropped, serviceId }).toEqual({ dropped: [], serviceId: 7 });
    expect(written(server.seen)).toEqual([
      [`PUT ${CONTACT}/move`, { customer: 2, customerLocation: 6 }],
      [`PUT ${CONTACT}`, { name: "B" }],
    ]);
  });

  it("is not moved again where a move without an answer has moved it", async () => {
    await using server = await contact({ json: { id: 7 } });
    await using opened = open(server.url);
    expect(await opened.service.update("customerContact", 7, edit({ customer: 1 }), never)).toMatchObject({
      dropped: [],
    });
    expect(written(server.seen)).toEqual([]);
  });

  it("names its customer where only its site changes", async () => {
    await using server = await contact({ json: { id: 7 } }, { customerLocation: 6 });
    await using opened = open(server.url);
    const { dropped } = await opened.service.update("customerContact", 7, edit({ customerLocation: 6 }), never);
    expect(dropped).toEqual([]);
    expect(written(server.seen)).toEqual([[`PUT ${CONTACT}/move`, { customer: 1, customerLocation: 6 }]]);
  });

  it("is reported as dropped where the service answers 200 and a read shows the old one", async () => {
    await using server = await contact({ json: { id: 7, customer: 2 } });
    await using opened = open(server.url);
    const { dropped } = await opened.service.update("customerContact", 7, edit({ customer: 2 }), never);
    expect(dropped).toEqual([{ field: "customer", sent: 2, found: 1 }]);
  });

  it.each([404, 405, 501])("is refused with the reason where the service has no such action (%i)", async (status) => {
    await using server = await contact({ status, json: { status, errorMessage: "no handler" } });
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customerContact", 7, edit({ customer: 2, name: "B" }), never));
    expect(thrown).toMatchObject({
      family: "park",
      code: "E_MOVE_UNSUPPORTED",
      message: expect.stringMatching(/customerContact 7 belongs to customer 2 now; .*no handler/),
    });
    expect(written(server.seen).map(([request]) => request)).toEqual([`PUT ${CONTACT}/move`]);
  });

  it("is gone where the service no longer has it", async () => {
    await using server = await standIn(() => ({ status: 404 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customerContact", 7, edit({ customer: 2 }), never));
    expect(thrown).toMatchObject({ code: "E_RECORD_GONE" });
    expect(written(server.seen)).toEqual([]);
  });

  it("may have been moved where it cannot be read afterwards", async () => {
    await using server = await standIn(({ method }) => {
      if (method === "PUT") return { json: { id: 7 } };
      return server.seen.some((asked) => asked.method === "PUT") ? { status: 503 } : { json: { id: 7, customer: 1 } };
    });
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.update("customerContact", 7, edit({ customer: 2 }), never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_ANSWER", outcomeUnknown: true });
  });
});

it.each(["customerContact", "customerObject"])(
  "the sandbox moves a %s, and drops its customer in an edit",
  async (resource) => {
    await using tenant = await openTenant();
    const { sandbox, service } = tenant;
    const [one, two] = sandbox.seed("customer", [tenant.customer(1), tenant.customer(2)]);
    const [record] = sandbox.seed(resource, [{ name: "A", extendedName: "A", customer: one!.id }]);
    const { dropped } = await service.update(resource, record!.id, edit({ customer: two!.id }), never);
    expect(dropped).toEqual([]);
    expect(sandbox.record(resource, record!.id)).toMatchObject({ customer: two!.id });
  },
);

it.each<[string, Patch, boolean]>([
  ["a move alone", edit({ customer: 2, customerLocation: 6 }), true],
  ["a move and an edit", edit({ customer: 2, name: "B" }), false],
  ["an edit alone", edit({ name: "B", customer: null }), true],
  ["tags", { fields: {}, arrays: { tags: { add: [1], remove: [] } } }, false],
])("%s takes one request: %s", (_, patch, expected) => {
  expect(isOneRequest("customerContact", patch)).toBe(expected);
});
