import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { runCommand } from "#cli";

interface Run extends AsyncDisposable {
  /** The line that `pattern` finds, once it is printed: its first group. */
  printed(pattern: RegExp): Promise<string>;
}

/** `svcsync sandbox` with these options, until the test ends. */
function running(...options: string[]): Run {
  const stop = new AbortController();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let out = "";
  stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const io = { stdout, stderr, isTerminal: false, signal: stop.signal };
  const ended = runCommand(["sandbox", ...options], io);
  return {
    async printed(pattern) {
      await expect.poll(() => out, { timeout: 120_000 }).toMatch(pattern);
      return pattern.exec(out)?.[1] ?? "";
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      expect(await ended).toBe(0);
    },
  };
}

async function refused(...options: string[]): Promise<{ code: number; said: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const code = await runCommand(["sandbox", ...options], { stdout, stderr, isTerminal: false, signal });
  stdout.end();
  stderr.end();
  return { code, said: (await text(stdout)) + (await text(stderr)) };
}

const SERVICE = /service listens at (\S+)/;
const PAGE = /ledger and faults: (\S+)/;
const get = (url: string, token = "sandbox-token") => fetch(url, { headers: { authorization: `Bearer ${token}` } });
const login = (url: string, body: unknown) =>
  fetch(`${url}/restApi/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("svcsync sandbox", () => {
  it("prints an address, a token and a login that work, and a call to try", async () => {
    await using sandbox = running();
    const url = await sandbox.printed(SERVICE);
    const [, token = ""] = /token\s+(\S+)/.exec(await sandbox.printed(/([\s\S]*Ctrl-C)/)) ?? [];
    const tried = await sandbox.printed(/curl .*'(http\S+)'/);
    const answer = await (await get(tried, token)).json();
    expect(answer).toMatchObject({ totalCount: 3, priority: expect.any(Array) });
    expect((await login(url, { username: "sync", password: "sandbox" })).status).toBe(200);
    expect((await fetch(await sandbox.printed(PAGE))).headers.get("content-type")).toContain("text/html");
  });

  it("speaks the dialect that its switches say", async () => {
    await using sandbox = running(
      "--switch",
      "listWrapper=key:rows",
      "--switch",
      "totalCount=no",
      "--switch",
      "brand=acme",
    );
    const url = await sandbox.printed(SERVICE);
    const answer: unknown = await (await get(`${url}/restApi/v1/acmeDocument`)).json();
    expect(answer).toEqual({ offset: 0, limit: 10, rows: [] });
  });

  it("lets the faults strike that its options order", async () => {
    await using sandbox = running(
      "--fault",
      "tooMany,every=2,retryAfterSeconds=7",
      "--fault",
      '{"kind":"brokenJson","resource":"tag"}',
      "--latency",
      "40",
    );
    const url = await sandbox.printed(SERVICE);
    const startedAt = performance.now();
    const [first, second] = [await get(`${url}/restApi/v1/user`), await get(`${url}/restApi/v1/user`)];
    expect(performance.now() - startedAt).toBeGreaterThan(75);
    expect([first.status, second.status, second.headers.get("retry-after")]).toEqual([200, 429, "7"]);
    await expect((await get(`${url}/restApi/v1/tag`)).json()).rejects.toThrow(SyntaxError);
  });

  it("lets in the accounts and tokens that it is given, with their permissions", async () => {
    const reader = JSON.stringify({ username: "reader", password: "p", permissions: { "*": ["GET"], ticket: [] } });
    await using sandbox = running(
      "--account",
      "anna:secret:123",
      "--account",
      reader,
      "--token",
      "a",
      "--token",
      "r@reader",
    );
    const url = await sandbox.printed(SERVICE);
    const statuses = await Promise.all([
      login(url, { username: "anna", password: "secret" }),
      login(url, { username: "anna", password: "secret", code: 123 }),
      get(`${url}/restApi/v1/ticket`, "a"),
      get(`${url}/restApi/v1/ticket`, "r"),
      get(`${url}/restApi/v1/ticket`, "sandbox-token"),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 200, 200, 403, 401]);
    expect(await sandbox.printed(/([\s\S]*Ctrl-C)/)).not.toContain("secret");
  });

  it("can start without reference data", async () => {
    await using sandbox = running("--no-reference-data");
    const url = await sandbox.printed(SERVICE);
    expect(await (await get(`${url}/restApi/v1/priority`)).json()).toMatchObject({ totalCount: 0 });
  });

  it.each([
    [["--switch", "createAnwser=id"], 64, "did you mean createAnswer?"],
    [["--fault", "latncy,ms=1"], 64, "did you mean latency?"],
    [["--fault", "{"], 64, "JSON"],
    [["--account", "anna"], 64, "expected user:password"],
    [["--token", "t@nobody"], 64, "one of the users sync"],
    [["--switch", "paths=custommer=x"], 64, "did you mean customer?"],
    [["--latency", "soon"], 64, "expected whole milliseconds"],
    [["--port", "99999"], 64, "expected a port"],
  ])("refuses %j with exit code %d and says: %s", async (options, code, words) => {
    expect(await refused(...options)).toEqual({ code, said: expect.stringContaining(words) });
  });

  it("shows in its help every switch, every fault and examples", async () => {
    const { code, said } = await refused("--help");
    expect(code).toBe(0);
    for (const word of ["createAnswer ", "record|id|location|none", "lagMs", "Examples:", "--fault cut,when=after"])
      expect(said).toContain(word);
    expect(said).not.toContain("default: []");
  });
});
