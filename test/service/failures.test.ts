import { describe, expect, it } from "vitest";
import { open, standIn, type Reply } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const create = async (reply: Reply) => {
  await using server = await standIn(() => reply);
  await using opened = open(server.url);
  const thrown = await thrownBy(opened.service.create("customer", { name: "A" }, never));
  return { thrown, requests: server.seen.length };
};

describe("what went wrong with a create", () => {
  it.each([
    [
      { status: 429, headers: { "retry-after": "70" } },
      { family: "wait", code: "E_SERVICE_BUSY", afterMs: 70_000 },
    ],
    [
      { status: 429, headers: { "retry-after": "99999" } },
      { family: "wait", afterMs: 300_000 },
    ],
    [{ status: 500 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [
      { status: 502, text: "<html>" },
      { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true },
    ],
    [{ status: 503 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 408 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [
      { json: { status: 500, errorMessage: "no memory" } },
      { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true, details: { said: "no memory" } },
    ],
    [{ cut: true }, { family: "retry", code: "E_SERVICE_UNREACHABLE", outcomeUnknown: true }],
    [
      { status: 200, text: "<html>login" },
      { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true },
    ],
    [
      { status: 200, text: '{"id":' },
      { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true },
    ],
    [
      { status: 302, headers: { location: "https://else.example/?a" } },
      { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true },
    ],
    [{ status: 300 }, { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true }],
    [{ status: 303 }, { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true }],
    [{ status: 304 }, { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true }],
    [{ status: 308 }, { family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: true }],
    [{ status: 406 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 418 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 499 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 599 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 700 }, { family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: true }],
    [{ status: 400 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [
      { status: 400, text: Buffer.from("ungültig", "latin1") },
      { family: "park", code: "E_SERVICE_REFUSED", isOwnWord: false },
    ],
    [{ status: 403 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [{ status: 405 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [{ status: 409 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [{ status: 422 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [{ status: 501 }, { family: "park", code: "E_SERVICE_REFUSED" }],
    [{ status: 404 }, { family: "park", code: "E_RESOURCE_UNKNOWN" }],
  ] satisfies [Reply, object][])("%j becomes %j, and the POST is sent once", async (reply, expected) => {
    const { thrown, requests } = await create(reply);
    expect(thrown).toMatchObject(expected);
    expect(requests).toBe(1);
  });

  it("was not sent when there is no connection", async () => {
    await using opened = open("http://127.0.0.1:1");
    const thrown = await thrownBy(opened.service.create("customer", { name: "A" }, never));
    expect(thrown).toMatchObject({ code: "E_SERVICE_UNREACHABLE", outcomeUnknown: false });
  });

  it.each([
    [{ json: { status: 400, errorMessage: "name missing" } }, "name missing"],
    [{ json: { message: "name missing" } }, "name missing"],
    [{ json: { error: "name missing" } }, "name missing"],
    [{ json: "name missing" }, "name missing"],
    [{ text: "name\n  missing" }, "name missing"],
    [{ text: "<html><head><title>Bad gateway</title>" }, "Bad gateway"],
  ] satisfies [Reply, string][])("carries the service's own message from %j", async (reply, said) => {
    const { thrown } = await create({ ...reply, status: 400 });
    expect(thrown).toMatchObject({ details: { status: 400, said } });
    expect(String(thrown)).toMatch(new RegExp(`POST http://127.0.0.1:\\d+/restApi/v1/customer answered 400: ${said}`));
  });

  it("keeps a long message short", async () => {
    const { thrown } = await create({ status: 400, text: "x".repeat(5000) });
    expect(String(thrown).length).toBeLessThan(500);
  });
});

const flaky = (replies: Reply[]) => {
  const left = [...replies];
  return standIn(() => left.shift() ?? { json: { id: 7, name: "A", customer: [] } });
};

describe("what is harmless to repeat", () => {
  it("is repeated after a 5xx and a cut connection: a read", async () => {
    await using server = await flaky([{ status: 503 }, { cut: true }]);
    await using opened = open(server.url);
    expect(await opened.service.read("customer", 7, ["name"], never)).toMatchObject({ name: "A" });
    expect(server.seen).toHaveLength(3);
  });

  it.each([302, 307, 418, 500, 200])(
    "is no edit and no deletion that was answered %i: it may still arrive, after a later one",
    async (status) => {
      const failure = { status, json: { status: 500, errorMessage: "no memory" } };
      await using server = await flaky([failure, failure]);
      await using opened = open(server.url);
      const edit = opened.service.update("customer", 7, { fields: { name: "A" }, arrays: {} }, never);
      expect(await thrownBy(edit)).toMatchObject({ family: "retry", outcomeUnknown: true });
      const deletion = opened.service.remove("customer", 7, never);
      expect(await thrownBy(deletion)).toMatchObject({ family: "retry", outcomeUnknown: true });
      expect(server.seen.map(({ method }) => method)).toEqual(["PUT", "DELETE"]);
    },
  );

  it("is repeated after a busy answer whose pause is short, whatever it is: it was not carried out", async () => {
    const busy = { status: 429, headers: { "retry-after": "0" } };
    await using server = await flaky([busy, busy]);
    await using opened = open(server.url);
    expect(await opened.service.create("customer", { name: "A" }, never)).toMatchObject({ serviceId: 7 });
    expect(server.seen.map(({ method }) => method)).toEqual(["POST", "POST", "POST"]);
  });

  it("is left to the caller, with the service's words, when the pause is long", async () => {
    await using server = await flaky([{ status: 429, headers: { "retry-after": "60" }, text: "come back later" }]);
    await using opened = open(server.url);
    const edit = () => opened.service.update("customer", 7, { fields: { name: "A" }, arrays: {} }, never);
    const refused = await thrownBy(edit());
    expect(refused).toMatchObject({ code: "E_SERVICE_BUSY", afterMs: 60_000 });
    expect(String(refused)).toContain("come back later");
    expect(String(await thrownBy(edit()))).toContain("the service asked svcsync to wait: nothing is sent for 60 s");
    expect(opened.service.state().holdMs).toBeGreaterThan(50_000);
    expect(server.seen).toHaveLength(1);
  });

  it("ends at once where it would wait for the end of a pause, once the client drains", async () => {
    await using server = await flaky([{ status: 429, headers: { "retry-after": "9" } }]);
    await using opened = open(server.url);
    const waiting = thrownBy(opened.service.create("customer", { name: "A" }, never));
    await expect.poll(() => opened.service.state().holdMs).toBeGreaterThan(0);
    opened.service.drain();
    expect(await waiting).toMatchObject({ family: "wait", code: "E_SERVICE_BUSY" });
    expect(server.seen).toHaveLength(1);
  });

  it("waits its turn again after a 401", async () => {
    const paused = Promise.withResolvers<Reply>();
    const replies = [paused.promise, Promise.resolve<Reply>({ status: 429, headers: { "retry-after": "60" } })];
    await using server = await standIn(() => replies[server.seen.length - 1] ?? { json: { id: 7, name: "A" } });
    await using opened = open(server.url);
    const create = () => thrownBy(opened.service.create("customer", { name: "A" }, never));
    const first = create();
    await expect.poll(() => server.seen.length).toBe(1);
    expect(await create()).toMatchObject({ code: "E_SERVICE_BUSY" });
    paused.resolve({ status: 401 });
    expect(await first).toMatchObject({ code: "E_SERVICE_BUSY" });
    expect(server.seen).toHaveLength(2);
  });

  it("ends with the abort reason as soon as the caller's signal says so", async () => {
    await using server = await standIn(() => new Promise<Reply>(() => undefined));
    await using opened = open(server.url);
    const stop = new AbortController();
    const reading = thrownBy(opened.service.read("customer", 7, ["name"], stop.signal));
    await expect.poll(() => server.seen.length).toBe(1);
    const reason = new Error("stopping");
    stop.abort(reason);
    expect(await reading).toBe(reason);
  });
});

describe("a refusal of a read", () => {
  const refusal = { status: 403, json: { status: 403, errorMessage: "not allowed" } };

  it("is the service's own word, but not where the read was redirected: then another address answered", async () => {
    for (const isRedirected of [false, true]) {
      const login = { status: 302, headers: { location: "/login" } };
      await using server = await standIn(({ path }) => (isRedirected && !path.endsWith("/login") ? login : refusal));
      await using opened = open(server.url);
      const thrown = await thrownBy(opened.service.read("customer", 7, ["id"], never));
      expect(thrown).toMatchObject({ code: "E_SERVICE_REFUSED", isOwnWord: !isRedirected });
    }
  });
});
