import { describe, expect, it } from "vitest";
import { open, passwordLogin, secrets, standIn, type Reply, type Seen } from "./stand-in.ts";
import { SetClock } from "../kit/clock.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const MINUTE_MS = 60_000;

const password = { ...passwordLogin, username: "sync", lifeTimeRefresh: false };

interface Tenant {
  logins: Seen[];
  valid: Set<string>;
  /** What the login result has beside the token. */
  result: Record<string, string>;
  login?: () => Reply;
}

/** A tenant that hands out tokens t1, t2, … and answers 401, without a body, to any other. */
function tenant(now: () => number = Date.now) {
  const state: Tenant = { logins: [], valid: new Set(), result: {} };
  const answer = (request: Seen): Reply => {
    if (request.path === "/restApi/login") {
      state.logins.push(request);
      if (state.login !== undefined) return state.login();
      const token = `t${state.logins.length}`;
      state.valid.add(token);
      const expiry = { expire_date: new Date(now() + 60 * MINUTE_MS).toISOString() };
      return {
        json: { access_token: token, token_type: "Bearer", id: 1, username: "sync", ...expiry, ...state.result },
      };
    }
    if (!state.valid.has(request.authorization?.replace("Bearer ", "") ?? "")) return { status: 401 };
    return { json: { id: 7, name: "A" } };
  };
  return { state, answer };
}

const clock = new SetClock(Date.parse("2026-01-01T00:00:00Z"));

describe("the session with a password", () => {
  it("hides each token that it is given, before it is used", async () => {
    const { answer } = tenant();
    const hidden: string[] = [];
    await using server = await standIn(answer);
    const hide = (...secrets: string[]) => void hidden.push(...secrets);
    await using opened = open(server.url, { login: password }, { hide });
    await opened.service.ping(never);

    expect(hidden).toEqual(["t1"]);
  });

  it("logs in before the first call with user name, password, lifetime, refresh and token name", async () => {
    const { state, answer } = tenant();
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password }, { secrets: { ...secrets, serviceCode: "123456" } });
    await opened.service.read("customer", 7, ["name"], never);
    expect(state.logins.map((login) => login.body)).toEqual([
      {
        username: "sync",
        password: "right-password",
        lifeTime: 60,
        lifeTimeRefresh: false,
        name: "svcsync",
        code: 123456,
      },
    ]);
    expect(server.seen.at(-1)?.authorization).toBe("Bearer t1");
  });

  it("logs in once however many callers wait", async () => {
    const { state, answer } = tenant();
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    await Promise.all(Array.from({ length: 30 }, () => opened.service.read("customer", 7, ["name"], never)));
    expect(state.logins).toHaveLength(1);
  });

  it("answers a 401 with one new login and one replay, whatever the method", async () => {
    const { state, answer } = tenant();
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    await opened.service.read("customer", 7, ["name"], never);
    state.valid.clear();
    const written = await opened.service.create("customer", { name: "A" }, never);
    expect(written.serviceId).toBe(7);
    expect(state.logins).toHaveLength(2);
    expect(server.seen.filter(({ method, path }) => method === "POST" && path.endsWith("customer"))).toHaveLength(2);
  });

  it.each(["expire_date", "expires_date"])("renews ahead of the end that %s states", async (spelling) => {
    const { state, answer } = tenant(() => clock.at);
    const expiry = new Date(clock.at + 10 * MINUTE_MS).toISOString();
    state.result = { expire_date: "", expires_date: "", [spelling]: expiry };
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password }, { clock });
    await opened.service.read("customer", 7, ["name"], never);
    clock.at += 9 * MINUTE_MS + 30_000;
    await opened.service.read("customer", 7, ["name"], never);
    const taken = () => opened.log.filter(({ message }) => message === "logged in to the service").length;
    await expect.poll(taken).toBe(2);
    expect(server.seen.filter(({ authorization }) => authorization === "Bearer t1")).toHaveLength(2);
    await opened.service.read("customer", 7, ["name"], never);
    expect(server.seen.at(-1)?.authorization).toBe("Bearer t2");
  });

  it("counts from the login when the answer states no end", async () => {
    const { state, answer } = tenant(() => clock.at);
    state.result = { expire_date: "" };
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password }, { clock });
    await opened.service.read("customer", 7, ["name"], never);
    clock.at += 61 * MINUTE_MS;
    await opened.service.read("customer", 7, ["name"], never);
    expect(state.logins).toHaveLength(2);
  });

  it("lives on as long as it is used where requests extend the token", async () => {
    const { state, answer } = tenant(() => clock.at);
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: { ...password, lifeTimeRefresh: true } }, { clock });
    for (let hour = 0; hour < 5; hour++) {
      await opened.service.read("customer", 7, ["name"], never);
      clock.at += 50 * MINUTE_MS;
    }
    expect(state.logins).toHaveLength(1);
  });

  it.each([400, 401, 403])("stops after a login answered %d and never sends the password again", async (status) => {
    const { state, answer } = tenant();
    const errorMessage = "no such user, or right-password is wrong";
    state.login = () => ({ status, json: { status, errorMessage } });
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    const calls = Array.from({ length: 5 }, () => thrownBy(opened.service.read("customer", 7, ["name"], never)));
    for (const thrown of [...(await Promise.all(calls)), await thrownBy(opened.service.ping(never))]) {
      expect(thrown).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
      expect(String(thrown)).not.toContain("right-password");
    }
    expect(state.logins).toHaveLength(1);
  });

  it("logs in once more with a password that is another one by now, and with that one alone", async () => {
    const { state, answer } = tenant();
    state.login = () => ({ status: 401 });
    await using server = await standIn(answer);
    const later = [{ ...secrets, servicePassword: "second" }, undefined, { ...secrets, servicePassword: "third" }];
    await using opened = open(server.url, { login: password }, { renew: () => later.shift() });
    expect(await thrownBy(opened.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    expect(await thrownBy(opened.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    expect(state.logins.map(({ body }) => body)).toMatchObject([
      { password: "right-password" },
      { password: "second" },
    ]);
  });

  it("stops after a 401 in anybody's words", async () => {
    const { state, answer } = tenant();
    state.login = () => ({ status: 401 });
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    expect(await thrownBy(opened.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
  });

  it.each([400, 403])(
    "tries again after growing pauses when something in between answers a login with %d",
    async (status) => {
      const { state, answer } = tenant(() => clock.at);
      const page: Reply = { status, text: "<html><title>Maintenance</title>" };
      state.login = () => page;
      await using server = await standIn(answer);
      await using opened = open(server.url, { login: password }, { clock });
      const read = () => opened.service.read("customer", 7, ["name"], never);
      expect(await thrownBy(read())).toMatchObject({ family: "wait", code: "E_SERVICE_DOUBTED", afterMs: 5_000 });
      clock.at += 4_999;
      expect(await thrownBy(read())).toMatchObject({ family: "wait", code: "E_SERVICE_DOUBTED", afterMs: 1 });
      expect(state.logins).toHaveLength(1);
      clock.at += 1;
      expect(await thrownBy(read())).toMatchObject({ afterMs: 25_000 });
      delete state.login;
      clock.at += 25_000;
      expect(await read()).toMatchObject({ id: 7 });
      expect(state.logins).toHaveLength(3);
    },
  );

  it("stops when a login is still refused minutes later, and waits no longer for a clock that was set back", async () => {
    const { state, answer } = tenant(() => clock.at);
    state.login = () => ({ status: 403, text: "<html></html>" });
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password }, { clock });
    for (const passedMs of [0, 5_000, -3_600_000])
      expect(await thrownBy(((clock.at += passedMs), opened.service.ping(never)))).toMatchObject({ family: "wait" });
    clock.at += 120_000;
    expect(await thrownBy(opened.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    expect(state.logins).toHaveLength(4);
  });

  it("tries again later when a login fails for another reason", async () => {
    const { state, answer } = tenant();
    state.login = () => ({ status: 503, text: "maintenance" });
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    const thrown = await thrownBy(opened.service.create("customer", { name: "A" }, never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_FAILED", outcomeUnknown: false });
    delete state.login;
    expect((await opened.service.create("customer", { name: "A" }, never)).serviceId).toBe(7);
  });

  it.each(["", "t0ken\n"])("tries again later when a login brings a token that no header takes: %j", async (token) => {
    const { state, answer } = tenant();
    state.result = { access_token: token };
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    const thrown = await thrownBy(opened.service.create("customer", { name: "A" }, never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER", outcomeUnknown: false });
    state.result = {};
    expect((await opened.service.create("customer", { name: "A" }, never)).serviceId).toBe(7);
  });

  it("stops when every new token is refused at its first use", async () => {
    const { state, answer } = tenant();
    await using server = await standIn((request) => {
      const reply = answer(request);
      state.valid.clear();
      return reply;
    });
    await using opened = open(server.url, { login: password });
    const thrown = await thrownBy(opened.service.read("customer", 7, ["name"], never));
    expect(thrown).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    expect(state.logins).toHaveLength(3);
  });

  it("counts a new token once that several calls at once find revoked", async () => {
    const { state, answer } = tenant();
    const all = Promise.withResolvers<void>();
    let waiting = 5;
    await using server = await standIn(async (request) => {
      if (request.authorization !== "Bearer t1") return answer(request);
      if (--waiting === 0) all.resolve();
      await all.promise;
      return { status: 401 };
    });
    await using opened = open(server.url, { login: password });
    const calls = Array.from({ length: waiting }, () => opened.service.read("customer", 7, ["name"], never));
    expect(await Promise.all(calls)).toHaveLength(5);
    expect(state.logins).toHaveLength(2);
  });

  it("writes neither password nor token into the log", async () => {
    const { answer } = tenant();
    await using server = await standIn(answer);
    await using opened = open(server.url, { login: password });
    await opened.service.read("customer", 7, ["name"], never);
    expect(opened.log.map(({ message }) => message)).toContain("logged in to the service");
    expect(JSON.stringify(opened.log)).not.toMatch(/right-password|Bearer|"t1"/);
  });
});

describe("the session with a token of the web interface", () => {
  it("sends the token and never logs in", async () => {
    await using server = await standIn(() => ({ json: { id: 7 } }));
    await using opened = open(server.url);
    await opened.service.read("customer", 7, ["name"], never);
    expect(server.seen.map(({ path, authorization }) => [path, authorization])).toEqual([
      ["/restApi/v1/customer/7", "Bearer static-token"],
    ]);
  });

  it("says who calls, with its version", async () => {
    await using server = await standIn(() => ({ json: { id: 7 } }));
    await using opened = open(server.url, {}, { version: "1.2.3" });
    await opened.service.read("customer", 7, ["name"], never);
    expect(server.seen[0]?.headers["user-agent"]).toBe("svcsync/1.2.3");
  });

  it("repeats a call after one 401", async () => {
    let calls = 0;
    await using server = await standIn(() => (++calls === 1 ? { status: 401 } : { json: { id: 7 } }));
    await using opened = open(server.url);
    expect(await opened.service.read("customer", 7, [], never)).toEqual({ id: 7 });
    expect(server.seen).toHaveLength(2);
  });

  it("stops after a second 401 in a row", async () => {
    await using server = await standIn(() => ({ status: 401 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.create("customer", { name: "A" }, never));
    expect(thrown).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
    await thrownBy(opened.service.create("customer", { name: "A" }, never));
    expect(server.seen).toHaveLength(2);
  });
});
