import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import Database from "better-sqlite3";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { runCommand } from "#cli";
import { DEFAULT_TOKEN } from "#sandbox";
import { Calls } from "../../src/cli/mcp/call.ts";
import { mcpServer } from "../../src/cli/mcp/serve.ts";
import { tools } from "../../src/cli/mcp/tools.ts";
import { safeIo } from "../../src/cli/output/io.ts";
import { importsOf, readSources } from "../architecture/source-files.ts";
import { builtProgram } from "../setup/built-program.ts";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
  await scene.run("sync");
  scene.erp.insertCustomer({ customer_no: "10003", name1: DEFAULT_TOKEN });
  scene.erp.renameCustomer("10002", "Übersee neu");
  // What was read since then waits.
  await scene.run("pause", "customers", "--for", "2h");
  await scene.run("sync");
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A client of the server, in this process. */
async function connected({ envFile = scene.envFile, signal = new AbortController().signal } = {}) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const [stdout, stderr] = [new PassThrough(), new PassThrough().resume()];
  const calls = new Calls({ envFile }, safeIo({ stdout, stderr, isTerminal: false, signal }));
  const server = mcpServer(calls);
  await server.connect(far);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  return {
    client,
    /** What reached standard output, which belongs to the protocol. */
    printed: () => stdout.read(),
    async call(name: string, given: Record<string, unknown> = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
      const [first] = content;
      return { facts: structuredContent, text: first?.type === "text" ? first.text : "", isError };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

/** Without figures that change with the clock. */
function still(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/its clock is [\d.]+ s/g, "its clock is right");
  return JSON.parse(text, (name, member: unknown) => (name.endsWith("Ms") ? 0 : member));
}

const printedBy = async (...argv: string[]) =>
  (await scene.run(...argv, "--json")).stdout
    .trim()
    .split("\n")
    .map((line) => still(JSON.parse(line)));

/** Every row of the store and the bytes of its file and of the ERP's. */
function everything(): { rows: unknown; bytes: unknown } {
  const path = join(scene.folder, "data", "svcsync.db");
  const db = new Database(path, { readonly: true });
  const names = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
  const rows = names.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]);
  db.close();
  return { rows, bytes: [path, `${path}-wal`, scene.erp.path].map(digestOf) };
}

function digestOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

const checked = z.object({
  findings: z.array(z.looseObject({ subject: z.string() })),
  notChecked: z.array(z.string()),
});

function findingsOnOthers<Finding extends { subject: string }>(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ subject }) => subject !== "store" && subject !== "queue");
}

/** One call of each tool and of each of its ways. */
const eachCall: readonly (readonly [name: string, given: Record<string, unknown>])[] = [
  ["status", {}],
  ["explain", { what: "customers/10001" }],
  ["explain", { what: "e_mapping" }],
  ["records", { state: ["applied", "due"], limit: 2 }],
  ["plan", {}],
  ["plan", { record: "customers/10002" }],
  ["check", {}],
  ["check", { offline: true }],
  ["sync_file_help", { path: "streams.customers.match" }],
];

describe("svcsync mcp", () => {
  it("offers tools that each say that they only read", async () => {
    await using server = await connected();
    const { tools: listed } = await server.client.listTools();
    expect(listed.map(({ name }) => name)).toEqual(["status", "explain", "records", "plan", "check", "sync_file_help"]);
    for (const { annotations, description = "", inputSchema } of listed) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      expect(description.length).toBeGreaterThan(80);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
    expect(server.client.getInstructions()).toContain("nothing here can write");
  });

  it.each([
    ["status", {}, ["status"]],
    ["explain", { what: "customers/10001" }, ["explain", "customers/10001"]],
    ["explain", { what: "E_MAPPING" }, ["explain", "E_MAPPING"]],
    ["plan", { streams: ["customers"] }, ["plan", "customers"]],
    ["plan", { record: "customers/10002" }, ["plan", "--record", "customers/10002"]],
    ["check", { offline: true }, ["check", "--offline"]],
  ])("%s answers %j with what the command prints", async (name, given, argv) => {
    await using server = await connected();
    const { facts, text } = await server.call(name, given);
    expect([still(facts)]).toEqual(await printedBy(...argv));
    expect(JSON.parse(text)).toEqual(facts);
    expect(server.printed()).toBeNull();
  });

  it("records answers with what the command prints, a page at a time", async () => {
    await using server = await connected();
    const states = ["applied", "due"];
    const given = { stream: "customers", state: states, limit: 2 };
    const [first, second] = await printedBy("records", "customers", "--state", ...states, "--limit", "2");
    const page = await server.call("records", given);
    expect(still(page.facts)).toEqual({ records: [first, second], next: "customers/10002" });
    const last = await server.call("records", { ...given, after: "customers/10002" });
    expect(still(last.facts)).toEqual({
      records: await printedBy("records", "customers", "--state", ...states, "--after", "customers/10002"),
    });
  });

  it("check answers with the findings of the command, except on what would have to be written", async () => {
    await using server = await connected();
    const { facts } = await server.call("check");
    const printed = checked.parse((await printedBy("check"))[0]);
    const { findings, notChecked } = checked.parse(still(facts));
    expect(findingsOnOthers(findings)).toEqual(findingsOnOthers(printed.findings));
    expect(findings).toContainEqual({
      subject: "store",
      verdict: "ok",
      message: expect.stringMatching(/ can be read$/),
    });
    expect(notChecked).toEqual([expect.stringContaining("the queue"), ...printed.notChecked]);
  });

  it("sync_file_help explains a place by schema and documentation", async () => {
    await using server = await connected();
    const { facts } = await server.call("sync_file_help", { path: "streams.customers.fields.customFields.12" });
    expect(facts).toMatchObject({
      words: expect.arrayContaining([{ word: "expr", description: expect.stringContaining("JSONata") }]),
      documentation: expect.stringContaining("## Fields"),
    });
    const read = await server.call("sync_file_help", { path: "streams.customers.read", adapter: "odoo" });
    expect(read.text).toContain('"word":"model"');
    expect(read.text).not.toContain('"word":"table"');
  });

  it.each([
    ["explain", { what: "customers" }, /^found "customers", expected stream\/key or an error code such as E_MAPPING$/],
    ["explain", { what: "custmers/1" }, /^custmers: no such stream; the sync file has customers, /],
    [
      "explain",
      { what: "customers/9" },
      /^customers\/9 is not in the store: no poll of customers has returned this key\.\ncustomers: delivery is paused by /,
    ],
    ["records", { state: ["broken"] }, /state.*"parked"/s],
    ["records", { limt: 3 }, /limt/],
    ["plan", { record: "customers/9" }, /^customers\/9 is not in the store.*\(E_RECORD_UNKNOWN\)$/],
    ["plan", { streams: ["customers"], record: "customers/9" }, /^Give streams or record, not both\.$/],
    [
      "sync_file_help",
      { path: "streams.x.feilds" },
      /^streams\.x: found "feilds", did you mean fields\? expected source, /,
    ],
    ["sync_file_help", { path: "streams.x.read" }, /^streams\.x\.read depends on the adapter .* one of sql, rest, /],
    ["sync_file_help", { path: "", adapter: "sqll" }, /^"sqll" is no adapter: give adapter as one of sql, rest, /],
  ])("%s refuses %j in one message", async (name, given, message) => {
    await using server = await connected();
    expect(await server.call(name, given)).toEqual({
      facts: undefined,
      isError: true,
      text: expect.stringMatching(message),
    });
  });

  it("names settings that are wrong, and answers as soon as they are right", async () => {
    await using server = await connected();
    await scene.set({ POLL_INTERVAL_SECONDS: "often" });
    const { isError, text } = await server.call("status");
    await scene.set({ POLL_INTERVAL_SECONDS: undefined });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/POLL_INTERVAL_SECONDS: found "often".*run "svcsync check"/s),
    ]);
    expect((await server.call("status")).isError).toBeUndefined();
  });

  it("shows no secret, even as a value of a record", async () => {
    await using server = await connected();
    const { text } = await server.call("explain", { what: "customers/10003" });
    expect(text).toContain('"name1":"[redacted]"');
    for (const [name, given] of eachCall) expect((await server.call(name, given)).text).not.toContain(DEFAULT_TOKEN);
  });

  it("writes to no system: the service gets GETs alone, and store and ERP keep each row and byte", async () => {
    await using server = await connected();
    expect(eachCall.map(([name]) => name)).toEqual(expect.arrayContaining(tools.map(({ name }) => name)));
    const before = everything();
    const files = readdirSync(join(scene.folder, "data"));
    const first = scene.sandbox.ledger.requests().length;
    for (const [name, given] of eachCall)
      expect([name, (await server.call(name, given)).isError]).toEqual([name, undefined]);
    const sent = scene.sandbox.ledger.requests().slice(first);
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(everything()).toEqual(before);
    expect(readdirSync(join(scene.folder, "data"))).toEqual(files);
  });

  it("makes no store where there is none", async () => {
    await using server = await connected();
    await scene.set({ DATA_DIR: join(scene.folder, "elsewhere") });
    const { isError, text } = await server.call("status");
    await scene.set({ DATA_DIR: join(scene.folder, "data") });
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/no store in .*run "svcsync status" once \(E_STORE_UNPREPARED\)/),
    ]);
    expect(readdirSync(scene.folder)).not.toContain("elsewhere");
  });

  it("runs calls one after another, and none that was cancelled while it waited", async () => {
    const io = safeIo({
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      isTerminal: false,
      signal: new AbortController().signal,
    });
    const calls = new Calls({}, io);
    const { signal } = new AbortController();
    const cancelled = new AbortController();
    const steps: string[] = [];
    const { promise: end, resolve: finish } = Promise.withResolvers<void>();
    const first = calls.answer(async () => {
      steps.push("begins");
      await end;
      steps.push("ends");
      return {};
    }, signal);
    const second = calls.answer(() => Promise.resolve({ at: steps.push("never") }), cancelled.signal);
    const third = calls.answer(() => Promise.resolve({ at: steps.push("next") }), signal);
    cancelled.abort();
    finish();
    await Promise.all([first, third]);
    expect((await second).isError).toBe(true);
    expect(steps).toEqual(["begins", "ends", "next"]);
  });

  it("ends with exit code 0 when it is told to stop, or when its input ends", async () => {
    for (const way of ["told", "input ends"]) {
      const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough().resume()];
      const stop = new AbortController();
      const running = runCommand(["mcp"], { stdin, stdout, stderr, isTerminal: false, signal: stop.signal });
      if (way === "told") stop.abort();
      else stdin.end();
      expect(await running).toBe(0);
      expect(stdout.read()).toBeNull();
    }
  });

  it("loads the protocol's library for this command alone", () => {
    const sources = readSources();
    const users = sources.filter((file) =>
      importsOf(file).some(({ from }) => from.startsWith("@modelcontextprotocol/")),
    );
    expect(users.map(({ path }) => path)).toEqual(["src/cli/mcp/serve.ts"]);
    const importers = sources.filter((file) => importsOf(file).some(({ path }) => path === "src/cli/mcp/serve.ts"));
    expect(importers.map(({ path }) => path)).toEqual(["src/cli/commands/running/mcp.ts"]);
    expect(importers[0]!.code).toContain('await import("../../mcp/serve.ts")');
  });

  it("serves a client over standard input and output, beside a running daemon, and ends with its input", async () => {
    await scene.run("resume", "customers");
    const stop = new AbortController();
    const daemon = runCommand(["run", "--env-file", scene.envFile], {
      stdout: new PassThrough().resume(),
      stderr: new PassThrough().resume(),
      isTerminal: false,
      signal: stop.signal,
    });
    const transport = new StdioClientTransport({
      command: builtProgram,
      args: ["mcp", "--env-file", scene.envFile],
      cwd: scene.folder,
      stderr: "pipe",
    });
    let told = "";
    transport.stderr?.on("data", (chunk: Buffer) => (told += chunk.toString()));
    const client = new Client({ name: "test", version: "1" });
    try {
      await client.connect(transport);
      const status = await client.callTool({ name: "status", arguments: {} });
      expect(status.structuredContent).toMatchObject({ streams: [{ name: "customers" }, {}, {}, {}] });
      const isDelivered = async () => {
        const { structuredContent } = await client.callTool({
          name: "explain",
          arguments: { what: "customers/10003" },
        });
        return z.object({ state: z.string() }).parse(structuredContent).state === "applied";
      };
      // Each call reads what is there now.
      await expect.poll(isDelivered).toBe(true);
      const { pid } = transport;
      await client.close();
      expect(() => process.kill(pid!, 0)).toThrow("ESRCH");
      expect(told).toBe("");
    } finally {
      await client.close();
      stop.abort();
    }
    expect(await daemon).toBe(0);
  });
});
