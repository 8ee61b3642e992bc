import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#cli";
import { systemClock } from "#model";
import { openQueue } from "#queue";
import {
  createSampleErp,
  DEFAULT_ACCOUNT,
  DEFAULT_TOKEN,
  startSandbox,
  switchFromText,
  type Sandbox,
  type Switches,
} from "#sandbox";
import { silentLogger } from "../kit/logger.ts";
import { customersStream } from "../setup/customers-stream.ts";
import { linesToSet } from "../../src/cli/check/findings-text.ts";

const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}", timezone: UTC } }
streams:
${customersStream("{ from: status, map: { A: Active, I: Inactive, P: Prospect } }")}  tickets:
    source: erp
    read: { table: tickets, key: ticket_no, changed: updated_at }
    resource: ticket
    fields: { description: { const: "x" }, erpReferenceNumber: ticket_no }
`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "check-service-"));
  createSampleErp(join(folder, "erp.sqlite"), { customers: 5, contacts: 5, tickets: 5, orders: 5 })[Symbol.dispose]();
  await writeFile(join(folder, "sync.yaml"), syncFile);
});
afterAll(() => rm(folder, { recursive: true }));

async function tenantWith(switches: Partial<Switches>): Promise<Sandbox> {
  const sandbox = await startSandbox(switches);
  const id = (resource: string) => sandbox.records(resource)[0]?.id ?? 0;
  const customer = (at: number) => ({ name: `K${at}`, customerId: `K-${at}`, customerStatus: id("customerStatus") });
  sandbox.seed(
    "customer",
    Array.from({ length: 55 }, (_, at) => customer(at)),
  );
  sandbox.seed("ticket", [
    { description: "x", tags: [id("tag")], priority: id("priority"), ticketStatus: id("ticketStatus") },
  ]);
  return sandbox;
}

/** `svcsync check --service` with these lines in the env file: its exit code and what it prints. */
async function check(sandbox: Sandbox, lines: readonly string[] = []): Promise<{ code: number; printed: string }> {
  const envFile = join(folder, "env");
  const settings = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    ERP_URL: `sqlite:${join(folder, "erp.sqlite")}`,
    SYNC_FILE: join(folder, "sync.yaml"),
    DATA_DIR: join(folder, "data"),
  };
  await writeFile(envFile, [...Object.entries(settings).map(([key, value]) => `${key}=${value}`), ...lines].join("\n"));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io = { stdout, stderr, isTerminal: false, signal };
  const code = await runCommand(["--env-file", envFile, "check", "--service"], io);
  stdout.end();
  return { code, printed: await text(stdout) };
}

/** The block at the end that can be copied. */
function copied(printed: string): string[] {
  const [, block = ""] = printed.split("To set in the environment, then check again:\n");
  return block.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

describe("svcsync check --service", () => {
  it("leaves the private Redis of a daemon alone", async () => {
    await using sandbox = await tenantWith({});
    const dataDir = join(folder, "data");
    await mkdir(dataDir, { recursive: true });
    await using _queue = await openQueue({ kind: "own", dataDir }, { clock: systemClock, logger: silentLogger });
    const client = new Redis(join(dataDir, "queue.sock"));
    const connections = async () => /total_connections_received:\d+/.exec(await client.info("stats"))?.[0];
    const before = await connections();
    const { printed } = await check(sandbox);
    expect(printed).toMatch(/^ok +queue: its own Redis can be started$/m);
    expect(await connections()).toBe(before);
    expect((await readdir(dataDir)).filter((name) => name.startsWith("check-"))).toEqual([]);
    client.disconnect();
  });

  it("finds nothing to set on a tenant as the facts know it, and writes nothing", async () => {
    await using sandbox = await tenantWith({});
    const before = sandbox.ledger.writes().length;
    const { code, printed } = await check(sandbox);
    expect([code, copied(printed)]).toEqual([0, []]);
    expect(printed).toContain("found offset:offset, as configured");
    expect(sandbox.ledger.writes()).toHaveLength(before);
    expect(printed).not.toContain(DEFAULT_TOKEN);
  });

  it.each([
    [["brand=acme"]],
    [["listWrapper=array"]],
    [["listWrapper=key:rows", "totalCount=no"]],
    [["listKeys=customer=kunden,priority=prios"]],
    [["paging=page:p:1"]],
    [["paging=offset:start", "recordPath={resource}/id/{id}"]],
    [["paging=none", "totalCount=no", "sorting=false"]],
  ])("prints the lines for a tenant with %j; once they are set, nothing is left to set", async (switches) => {
    await using sandbox = await tenantWith(Object.assign({}, ...switches.map(switchFromText)));
    const first = await check(sandbox);
    expect(first.code).toBe(1);
    const lines = copied(first.printed);
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(line).toMatch(/^DIALECT_[A-Z_]+=\S/);
    const second = await check(sandbox, lines);
    expect([second.code, copied(second.printed)]).toEqual([0, []]);
  });
});

describe("the fence of the tenant", () => {
  const { username, password } = DEFAULT_ACCOUNT;
  const login = ["SERVICE_TOKEN=", `SERVICE_USERNAME=${username}`, `SERVICE_PASSWORD=${password}`];
  it.each([
    [[], {}, "none (static SERVICE_TOKEN)", 0],
    [login, {}, "logout", 2],
    [login, { logout: "ignored" }, "token name", 3],
    [login, { logout: "ignored", tokenName: "shared" }, "expiry 5 min", 3],
  ] as const)("is printed, with %j and %j", async (lines, switches, fence, logins) => {
    await using sandbox = await tenantWith(switches);
    const { printed } = await check(sandbox, lines);
    expect(printed).toMatch(new RegExp(`fence: ${fence.replaceAll(/[()]/g, "\\$&")}$`, "m"));
    expect(sandbox.ledger.count({ resource: "login" })).toBe(logins);
  });
});

describe("the lines to set", () => {
  it("name each setting once, and all pairs of those that hold pairs", () => {
    const remedies = [
      "DIALECT_BRAND=acme",
      "DIALECT_BRAND=acme",
      "DIALECT_PATHS=a=b,contignent=contingent",
      "it may be nested: DIALECT_PATHS=a=b,ticketMessage=ticket/{parent}/message",
      "give the user of the token the permission to read it",
      "DIALECT_SORT=sortings=id asc",
    ];
    const findings = remedies.map((remedy) => ({ subject: "x", verdict: "problem", message: "y", remedy }) as const);
    expect(linesToSet(findings)).toEqual([
      "DIALECT_BRAND=acme",
      "DIALECT_PATHS=a=b,contignent=contingent,ticketMessage=ticket/{parent}/message",
      "DIALECT_SORT=sortings=id asc",
    ]);
  });
});
