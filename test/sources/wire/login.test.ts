import { afterEach, describe, expect, it } from "vitest";
import type { Json } from "#model";
import { WebClient } from "../../../src/sources/wire/client/web-client.ts";
import { webSettings } from "../../../src/sources/wire/client/web-settings.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { z } from "zod";

const MINUTE_MS = 60_000;
const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const schema = z.object(webSettings);
let server: WebServer;
let client: WebClient;
/** Tokens that the API takes; the endpoint hands out `t1`, `t2`, … */
let good: Set<string>;
let handedOut: number;

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function open(token: (asked: Asked) => Told | Promise<Told> = handOut, secret = "s3cr3t"): Promise<void> {
  good = new Set();
  handedOut = 0;
  server = await startWebServer((asked) => {
    if (asked.path === "/token") return token(asked);
    const [, sent = ""] = (asked.headers.authorization ?? "").split(" ");
    return good.has(sent) ? { body: { rows: [] } } : { status: 401, body: { error: "invalid_token" } };
  });
  const auth = {
    kind: "oauth",
    tokenUrl: `${server.url}/token`,
    clientId: "svc",
    clientSecret: secret,
    scope: "api",
  };
  client = new WebClient(schema.parse({ url: `${server.url}/api`, auth }), { clock });
}

function handOut({ body }: Asked, lifeSeconds = 3600): Told {
  if (new URLSearchParams(body).get("client_secret") !== "s3cr3t")
    return { status: 401, body: { error: "invalid_client", error_description: "bad secret hunter2" } };
  const token = `t${++handedOut}`;
  good.add(token);
  return { body: { token_type: "Bearer", expires_in: lifeSeconds, access_token: token } };
}

function ask(): Promise<Json | undefined> {
  return client.json({ url: "rows" }, never);
}

const logins = () => server.asked.filter(({ path }) => path === "/token");

describe("a login by OAuth client credentials", () => {
  it("exchanges them for a token, once however many ask, and sends it with every request", async () => {
    await open();
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    expect(logins()).toHaveLength(1);
    expect(logins()[0]!.headers["content-type"]).toContain("application/x-www-form-urlencoded");
    expect(Object.fromEntries(new URLSearchParams(logins()[0]!.body))).toEqual({
      grant_type: "client_credentials",
      client_id: "svc",
      client_secret: "s3cr3t",
      scope: "api",
    });
    const asked = server.asked.filter(({ path }) => path === "/api/rows");
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(Array.from({ length: 4 }, () => "Bearer t1"));
  });

  it("renews the token a minute before it ends, once however many ask", async () => {
    await open();
    await ask();
    clock.at += 58 * MINUTE_MS;
    await ask();
    expect(logins()).toHaveLength(1);
    clock.at += MINUTE_MS;
    await Promise.all([ask(), ask(), ask(), ask()]);
    expect(logins()).toHaveLength(2);
    expect(server.asked.at(-1)!.headers.authorization).toBe("Bearer t2");
  });

  it("uses a token that lives for a minute for half of it", async () => {
    await open((asked) => handOut(asked, 60));
    for (const [seconds, count] of [
      [0, 1],
      [29, 1],
      [2, 2],
    ] as const) {
      clock.at += seconds * 1000;
      await ask();
      expect(logins()).toHaveLength(count);
    }
  });

  it("takes a new one when the service refuses the old, once however many were refused", async () => {
    await open();
    await ask();
    good.clear();
    await Promise.all([ask(), ask(), ask()]);
    expect(logins()).toHaveLength(2);
  });

  it("is begun again by one who waited, when the one who began it was called away", async () => {
    const stop = new AbortController();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let first = true;
    await open(async (question) => {
      if (!first) return handOut(question);
      first = false;
      asked();
      await held;
      return { status: 500 };
    });
    const begun = client.json({ url: "rows" }, stop.signal);
    await isAsked;
    const waiting = ask();
    stop.abort(new Error("called away"));
    await expect(begun).rejects.toThrow("called away");
    expect(await waiting).toEqual({ rows: [] });
    release();
  });

  it("says that the credentials are wrong, without saying them", async () => {
    await open(handOut, "hunter2");
    const refused = ask();
    await expect(refused).rejects.toMatchObject({ code: "E_SOURCE_LOGIN", family: "park" });
    await expect(refused).rejects.toMatchObject({ message: expect.not.stringContaining("hunter2") });
  });

  it("comes back later where a page stands in place of the token", async () => {
    await open(() => ({ body: "<html>The proxy wants a password</html>" }));
    await expect(ask()).rejects.toMatchObject({ code: "E_SOURCE_ANSWER", family: "retry" });
  });
});

/** An API with tokens that answers 403 where `isForbidden` says so. */
async function openForbidding(isForbidden: (token: string, path: string) => boolean): Promise<void> {
  handedOut = 0;
  good = new Set();
  server = await startWebServer((asked) => {
    if (asked.path === "/token") return handOut(asked);
    const [, sent = ""] = (asked.headers.authorization ?? "").split(" ");
    return isForbidden(sent, asked.path) ? { status: 403, body: { error: "forbidden" } } : { body: { rows: [] } };
  });
  const auth = { kind: "oauth", tokenUrl: `${server.url}/token`, clientId: "svc", clientSecret: "s3cr3t" };
  client = new WebClient(schema.parse({ url: `${server.url}/api`, auth }), { clock });
}

describe("a 403 with a token", () => {
  it("is answered with one new token before it counts, also right after a login", async () => {
    await openForbidding((token) => token === "t1");
    expect(await ask()).toEqual({ rows: [] });
    expect(logins()).toHaveLength(2);
  });

  it("counts if the new token is refused, too, and costs no token for each request", async () => {
    await openForbidding((_token, path) => path === "/api/rows");
    for (let asks = 0; asks < 4; asks++) await expect(ask()).rejects.toMatchObject({ code: "E_SOURCE_FORBIDDEN" });
    expect(logins()).toHaveLength(2);
    expect(await client.json({ url: "others" }, never)).toEqual({ rows: [] });
    clock.at += 10 * MINUTE_MS;
    await expect(ask()).rejects.toMatchObject({ code: "E_SOURCE_FORBIDDEN" });
    expect(logins()).toHaveLength(3);
  });
});

describe("a login whose session is a cookie", () => {
  const page = "<!DOCTYPE html><title>Sign in</title>";

  it.each<[string, (asked: Asked) => Told]>([
    ["403", () => ({ status: 403, body: { message: "session expired" } })],
    ["its login page", () => ({ body: page })],
    [
      "a redirect to its login page",
      ({ path }) => (path === "/api/rows" ? { status: 302, headers: { location: "/signin" } } : { body: page }),
    ],
  ])("is begun again when the API answers %s, but not right after a login", async (_what, refuse) => {
    let session = 0;
    let isOpen = true;
    server = await startWebServer((asked) => {
      if (asked.path === "/api/login") return { headers: { "set-cookie": `sid=${++session}` }, body: {} };
      return isOpen && asked.headers.cookie === `sid=${session}` ? { body: { rows: [] } } : refuse(asked);
    });
    const auth = { kind: "login", url: "login", body: { user: "u", password: "s3cr3t" } };
    client = new WebClient(schema.parse({ url: `${server.url}/api`, auth }), { clock });
    await ask();
    session++;
    clock.at += 31 * MINUTE_MS;
    expect(await ask()).toEqual({ rows: [] });
    expect(session).toBe(3);
    isOpen = false;
    await expect(ask()).rejects.toMatchObject({ code: expect.stringMatching(/E_SOURCE_(FORBIDDEN|ANSWER)/) });
    expect(session).toBe(3);
  });
});
