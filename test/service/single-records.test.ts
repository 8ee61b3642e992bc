import { describe, expect, it } from "vitest";
import { open, standIn, type Reply, type Seen } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const refused = (status: number): Reply => ({
  status,
  json: { status, errorMessage: "unknown field customFields.value" },
});

/** A ticket 7 that is shown only to those who ask for its id alone; `asked` answers every other request. */
const shyTicket = (asked: Reply) =>
  standIn((request: Seen) =>
    request.method === "GET" && request.query.get("fields") === "id" ? { json: { id: 7 } } : asked,
  );

describe("a record that the service has and does not show with these fields", () => {
  it.each([400, 404, 410])("is not gone after a %i: the service's own message is given", async (status) => {
    await using server = await shyTicket(refused(status));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.read("ticket", 7, ["id", "tags"], never));
    expect(thrown).toMatchObject({
      family: "park",
      code: "E_SERVICE_REFUSED",
      message: expect.stringContaining("unknown field customFields.value"),
      details: { status },
    });
  });

  it.each<[string, Reply]>([
    ["nothing", { status: 200 }],
    ["null", { json: null }],
  ])("is not gone after a 200 with %s", async (_, asked) => {
    await using server = await shyTicket(asked);
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.read("ticket", 7, ["id", "tags"], never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER" });
  });

  it.each([400, 404])("is not gone when its tags cannot be read for an edit (%i)", async (status) => {
    await using server = await shyTicket(refused(status));
    await using opened = open(server.url);
    const patch = { fields: {}, arrays: { tags: { add: [1], remove: [] } } };
    const thrown = await thrownBy(opened.service.update("ticket", 7, patch, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_REFUSED", message: expect.stringContaining("unknown field") });
    expect(server.seen.map(({ method }) => method)).not.toContain("PUT");
  });

  it.each([404, 410])("is neither gone nor deleted when the service refuses the request with %i", async (status) => {
    await using server = await shyTicket(refused(status));
    await using opened = open(server.url);
    const patch = { fields: { description: "A" }, arrays: {} };
    for (const request of [
      () => opened.service.update("ticket", 7, patch, never),
      () => opened.service.remove("ticket", 7, never),
    ])
      expect(await thrownBy(request())).toMatchObject({ code: "E_SERVICE_REFUSED", details: { status } });
  });
});

it.each<[string, Reply]>([
  ["404", { status: 404 }],
  ["410", { status: 410 }],
  ["400", refused(400)],
  ["200 with nothing", { status: 200 }],
])("a record is gone when a read of its id alone is answered %s", async (_, reply) => {
  await using server = await standIn(() => reply);
  await using opened = open(server.url);
  expect(await opened.service.read("ticket", 7, ["id", "tags"], never)).toBeUndefined();
  expect(server.seen.at(-1)?.query.get("fields")).toBe("id");
});
