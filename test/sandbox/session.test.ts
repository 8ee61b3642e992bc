import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, openTenant, textOf, type Reply, type Tenant } from "./tenant.ts";

const MINUTE_MS = 60_000;

const tokenOf = (reply: Reply): string => textOf(member(reply, "access_token"));

describe("authentication (sections 2, 3 and 5)", () => {
  const time = { at: Date.parse("2026-03-01T10:00:00.000Z") };
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant({
      clock: { now: () => time.at },
      accounts: [
        { username: "sync", password: "right" },
        { username: "safe", password: "right", code: 123_456 },
      ],
    });
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  const login = (body: Record<string, string | number | boolean>): Promise<Reply> =>
    tenant.write("POST", "login", { username: "sync", password: "right", ...body }, { token: null });
  const works = async (token: string): Promise<boolean> => (await tenant.read("v1/tag", { token })).status === 200;

  it("a client obtains a token by POST to login with username and password", async () => {
    const reply = await login({});
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      access_token: expect.any(String),
      username: "sync",
      token_type: "Bearer",
      token_name: "default",
      id: tenant.sandbox.records("user").find((user) => user["username"] === "sync")?.id,
      expire_date: "2026-03-01T10:15:00.000Z",
    });
    expect(await works(tokenOf(reply))).toBe(true);
  });

  it("the login path has no version segment", async () => {
    const reply = await tenant.write("POST", "v1/login", { username: "sync", password: "right" });
    expect(reply.status).toBe(404);
  });

  it("wrong credentials are answered with 401 and an empty body", async () => {
    for (const body of [{ password: "wrong" }, { username: "nobody" }]) {
      const reply = await login(body);
      expect([reply.status, reply.text]).toEqual([401, ""]);
    }
  });

  it("a token is valid until expire_date, and lifeTime says how many minutes that is", async () => {
    const reply = await login({ lifeTime: 2, name: "short" });
    expect(member(reply, "expire_date")).toBe(new Date(time.at + 2 * MINUTE_MS).toISOString());
    time.at += 2 * MINUTE_MS - 1;
    expect(await works(tokenOf(reply))).toBe(true);
    time.at += 1;
    expect(await works(tokenOf(reply))).toBe(false);
  });

  it("with lifeTimeRefresh every request extends the validity again by lifeTime", async () => {
    const token = tokenOf(await login({ lifeTime: 2, lifeTimeRefresh: true, name: "refreshed" }));
    for (let turn = 0; turn < 4; turn++) {
      time.at += 1.5 * MINUTE_MS;
      expect(await works(token)).toBe(true);
    }
    time.at += 2 * MINUTE_MS;
    expect(await works(token)).toBe(false);
  });

  it("without lifeTimeRefresh a request extends nothing", async () => {
    const token = tokenOf(await login({ lifeTime: 2, name: "fixed" }));
    time.at += 1.5 * MINUTE_MS;
    expect(await works(token)).toBe(true);
    time.at += MINUTE_MS;
    expect(await works(token)).toBe(false);
  });

  it("a negative lifeTime never expires", async () => {
    const token = tokenOf(await login({ lifeTime: -1, name: "eternal" }));
    time.at += 400 * 24 * 60 * MINUTE_MS;
    expect(await works(token)).toBe(true);
  });

  it("a second login under the same name replaces the first token, under another name it does not", async () => {
    const first = tokenOf(await login({ name: "one" }));
    const other = tokenOf(await login({ name: "two" }));
    const second = tokenOf(await login({ name: "one" }));
    expect([await works(first), await works(other), await works(second)]).toEqual([false, true, true]);
  });

  it("login data that is missing or out of bounds is answered with 400", async () => {
    const bad = [{ lifeTime: 44_641 }, { lifeTime: 0 }, { lifeTime: 1.5 }, { lifeTime: "15" }, { lifeTimeRefresh: 1 }];
    for (const body of [...bad, { username: "" }, { password: "" }]) {
      const reply = await login(body);
      expect([body, reply.status, member(reply, "status")]).toEqual([body, 400, 400]);
    }
    expect((await tenant.write("POST", "login", undefined, { raw: "{", token: null })).status).toBe(400);
  });

  it("an account with a second factor needs its code", async () => {
    expect((await login({ username: "safe" })).status).toBe(400);
    expect((await login({ username: "safe", code: 1 })).status).toBe(401);
    expect((await login({ username: "safe", code: 123_456 })).status).toBe(200);
  });

  it("every other call needs `Authorization: Bearer`, exactly spelled", async () => {
    const token = tokenOf(await login({ name: "spelled" }));
    for (const authorization of [
      "",
      token,
      `bearer ${token}`,
      `Bearer ${token} `.replace("Bearer ", "Bearer  "),
      "Basic eDp5",
    ]) {
      const reply = await tenant.read("v1/tag", { token: null, headers: { authorization } });
      expect([reply.status, reply.text]).toEqual([401, ""]);
    }
    expect((await tenant.read("v1/tag", { token: null })).status).toBe(401);
  });

  it("logout ends the token", async () => {
    const token = tokenOf(await login({ name: "leaving" }));
    expect((await tenant.write("POST", "logout", undefined, { token })).status).toBe(200);
    expect(await works(token)).toBe(false);
  });

  it.each([
    { logout: "effective", tokenName: "unique", left: [false, false, true] },
    { logout: "ignored", tokenName: "unique", left: [true, false, true] },
    { logout: "ignored", tokenName: "shared", left: [true, true, true] },
  ] as const)("logout $logout, names $tokenName: tokens live on as switched", async ({ left, ...switches }) => {
    await using other = await openTenant(switches);
    const account = { username: "sync", password: "sandbox" };
    const tokenNamed = async (name: string) =>
      tokenOf(await other.write("POST", "login", { ...account, name }, { token: null }));
    const tokens = [await tokenNamed("out"), await tokenNamed("twice"), await tokenNamed("twice")];
    expect((await other.write("POST", "logout", undefined, { token: tokens[0] ?? "" })).status).toBe(200);
    const alive = await Promise.all(
      tokens.map(async (token) => (await other.read("v1/tag", { token })).status === 200),
    );
    expect(alive).toEqual(left);
  });

  it("a token made in the web interface makes the login call unnecessary", async () => {
    expect((await tenant.read("v1/tag")).status).toBe(200);
  });

  it("revoking ends login tokens at once, and static ones only if asked", async () => {
    const token = tokenOf(await login({ name: "revoked" }));
    tenant.sandbox.tokens.revoke();
    expect(await works(token)).toBe(false);
    expect((await tenant.read("v1/tag")).status).toBe(200);
    tenant.sandbox.tokens.revoke({ staticTokens: true });
    expect((await tenant.read("v1/tag")).status).toBe(401);
  });
});

describe("permissions of the API equal those of the token's user", () => {
  it("answers 403 to a method that the user may not use, and hides records that the user may not see", async () => {
    await using tenant = await openTenant({
      accounts: [
        { username: "admin", password: "x" },
        {
          username: "reader",
          password: "x",
          permissions: { "*": ["GET"], tag: ["GET", "POST"] },
          sees: { tag: { name: "VIP" } },
        },
      ],
      tokens: [{ token: "reading", username: "reader" }],
    });
    const options = { token: "reading" };
    const denied = await tenant.write("POST", "v1/customer", { name: "x" }, options);
    expect([denied.status, member(denied, "status")]).toEqual([403, 403]);
    expect((await tenant.write("POST", "v1/tag", { name: "new" }, options)).status).toBe(200);
    expect((await tenant.read("v1/customer", options)).status).toBe(200);
    expect(member(await tenant.read("v1/tag", options), "totalCount")).toBe(1);
    expect((await tenant.read(`v1/tag/${tenant.named("tag", "Wartung")}`, options)).status).toBe(404);
    expect((await tenant.read(`v1/tag/${tenant.named("tag", "VIP")}`, options)).status).toBe(200);
  });
});
