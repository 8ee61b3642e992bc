import { existsSync, statSync } from "node:fs";
import { readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openScene, type Scene } from "./scene.ts";

const json = z.json();
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const syncResult = z.object({
  requests: z.number(),
  streams: z.array(
    z.object({ name: z.string(), state: z.string(), read: z.number(), created: z.number(), updated: z.number() }),
  ),
});
const recordView = z.object({
  id: z.object({ stream: z.string(), key: z.string() }),
  state: z.string(),
  error: z.object({ code: z.string() }).optional(),
});

/** One story: each command is told beside what the ones before it left. */
describe("the commands on a store", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it("status says before the first round that nothing was polled, and that is no error", async () => {
    const { code, stdout } = await scene.run("status");
    expect(stdout).toMatch(/customers +loading +never/);
    expect(code).toBe(0);
  });

  it("peek shows rows as read and as mapped, and writes nothing", async () => {
    const { code, stdout } = await scene.run("peek", "contacts");
    expect(stdout).toContain('last_name: "Ünal"');
    expect(stdout).toContain("customer: the service id of customers/10001");
    expect(stdout).toContain('name: "Anna Ünal"');
    expect(code).toBe(0);
    expect(scene.sandbox.ledger.writes().filter(({ action }) => action !== "seed")).toEqual([]);
  });

  it("sync reads and creates everything, parents first, and exits 0", async () => {
    const { code, stdout } = await scene.run("sync", "--json");
    const { streams } = syncResult.parse(JSON.parse(stdout));
    expect(streams.map(({ name, read, created }) => [name, read, created])).toEqual([
      ["customers", 2, 2],
      ["contacts", 1, 1],
      ["tickets", 1, 1],
      ["orders", 1, 1],
    ]);
    expect(code).toBe(0);
    expect(scene.sandbox.records("svcDocument")).toHaveLength(1);
  });

  it("sync a second time writes nothing, makes no request for records, and says so", async () => {
    const { code, stdout } = await scene.run("sync");
    expect(stdout).toContain("Nothing to write");
    expect(code).toBe(0);
    const { requests } = syncResult.parse(JSON.parse((await scene.run("sync", "--json")).stdout));
    expect(requests).toBe(0);
  });

  it("status exits 0 while everything is in sync, as table and as JSON", async () => {
    expect((await scene.run("status")).code).toBe(0);
    const { code, stdout } = await scene.run("status", "--json");
    const { streams } = z
      .object({ streams: z.array(z.object({ name: z.string(), state: z.string(), attention: z.array(z.string()) })) })
      .parse(JSON.parse(stdout));
    expect(streams.map(({ state, attention }) => [state, attention])).toEqual(streams.map(() => ["following", []]));
    expect(code).toBe(0);
  });

  it("sync exits 1 when a record needs a person, and the others arrive", async () => {
    scene.erp.breakOne("10002");
    scene.erp.renameCustomer("10001", "Neu");
    const { code, stdout } = await scene.run("sync", "--json");
    const customers = syncResult.parse(JSON.parse(stdout)).streams[0];
    expect(customers).toMatchObject({ name: "customers", updated: 1 });
    expect(code).toBe(1);
    expect((await scene.run("sync")).stdout).toContain(
      'customers: "svcsync records customers" lists what needs attention',
    );
  });

  it("records lists what needs a person, with the service's own words", async () => {
    const { code, stdout } = await scene.run("records");
    expect(stdout).toMatch(
      /^1 customers parked \(E_SERVICE_REFUSED\)\n  .*name is required.*\n  customers\/10002\n  -> Correct/,
    );
    expect((await scene.run("records", "--each")).stdout).toMatch(/customers\/10002 +parked .*name is required/);
    expect(code).toBe(0);
    const lines = (await scene.run("records", "customers", "--json")).stdout.trim().split("\n");
    expect(lines.map((line) => recordView.parse(JSON.parse(line)))).toMatchObject([
      { id: { stream: "customers", key: "10002" }, state: "parked", error: { code: "E_SERVICE_REFUSED" } },
    ]);
  });

  it("records says what it found nothing of, so that a misspelt code does not look as if nothing were wrong", async () => {
    expect((await scene.run("records", "--code", "E_SERVICE_REFUSD")).stdout).toBe(
      "No record is parked or uncertain with the error E_SERVICE_REFUSD.\n",
    );
    expect((await scene.run("records", "tickets")).stdout).toBe("No record of tickets is parked or uncertain.\n");
  });

  it("status counts records by cause, as text and as JSON", async () => {
    expect((await scene.run("status")).stdout).toMatch(
      /^customers: 1 parked: .*name is required.* \(E_SERVICE_REFUSED\)$/m,
    );
    expect(JSON.parse((await scene.run("status", "--json")).stdout)).toMatchObject({
      causes: [
        { stream: "customers", state: "parked", code: "E_SERVICE_REFUSED", count: 1, examples: [{ key: "10002" }] },
      ],
    });
  });

  it("plan of a record that no poll has shown says so, and --confirm takes no record", async () => {
    expect(await scene.run("plan", "--record", "customers/nope")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("customers/nope is not in the store"),
    });
    expect(await scene.run("plan", "--confirm", "0123456789ab", "--record", "customers/10001")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("leave --record out"),
    });
  });

  it("explain says what to do about a parked record", async () => {
    const { stdout } = await scene.run("explain", "customers/10002");
    expect(stdout).toMatch(/^customers\/10002 is parked.* It needs attention/m);
    expect(stdout).toMatch(/^What to do: Correct the value that the message names.*"svcsync retry customers\/10002"/m);
    expect(stdout).toMatch(
      /^History, newest first:\n +\S+Z +attempt customer \d+: .*name is required.*\(E_SERVICE_REFUSED\)/m,
    );
  });

  it("status tells where no daemon answers, and nothing of it where the port is any free one", async () => {
    expect((await scene.run("status")).stdout).not.toContain("daemon");
    await scene.set({ HEALTH_PORT: "1" });
    expect((await scene.run("status")).stdout).toContain("no daemon answers at http://127.0.0.1:1: start");
    await scene.set({ HEALTH_PORT: "0" });
  });

  it("retry of a record that is in sync says so and exits 1", async () => {
    const { code, stderr } = await scene.run("retry", "customers/10001");
    expect(stderr).toBe("customers/10001 is applied: there is nothing to try again.\n");
    expect(code).toBe(1);
  });

  it("an answer that a record cannot take is refused with exit code 1", async () => {
    const { code, stderr } = await scene.run("resolve", "customers/10001", "--create");
    expect(stderr).toContain("E_NOT_RESOLVABLE");
    expect(code).toBe(1);
  });

  it.each([
    ["adopt", "--answers", "/nowhere/list.csv"],
    ["adopt", "--csv", "/nowhere/list.csv"],
    ["plan", "--csv", "/nowhere/list.csv"],
    ["backup", "/nowhere/copy.db"],
  ])("%s %s of a file that cannot be there is a wrong usage, told without a stack", async (...argv) => {
    const { code, stderr } = await scene.run(...argv);
    expect(stderr).toMatch(/^[^\n]*\/nowhere\/[^\n]+\.\n$/);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(64);
  });

  it("records names a stream that does not exist, instead of finding nothing in it", async () => {
    const { code, stderr } = await scene.run("records", "custmers");
    expect(stderr).toContain("custmers: no such stream; the sync file has customers, contacts, tickets, orders");
    expect(code).toBe(64);
  });

  it("explain tells state, binding, ERP row, written fields and history of one record", async () => {
    const { code, stdout } = await scene.run("explain", "customers/10001");
    expect(stdout).toMatch(
      /^customers\/10001 is applied and bound to customer \d+\. The last change of the ERP was delivered\.$/m,
    );
    expect(stdout).toContain('name1: "Neu"');
    expect(stdout).toContain('name: "Neu AG"');
    expect(stdout).toMatch(/update customer \d+: updated, HTTP 200/);
    expect(stdout).toMatch(/create customer \d+: created/);
    expect(code).toBe(0);
    const view = recordView
      .extend({ history: z.array(json) })
      .parse(JSON.parse((await scene.run("explain", "customers/10001", "--json")).stdout));
    expect(view.history).toHaveLength(2);
  });

  it("explain says what keeps a record's stream from delivering, and that its polls fail", async () => {
    await scene.run("pause", "customers", "--for", "1h", "--as", "anna", "--why", "ERP upgrade");
    const paused = /^customers: delivery is paused by anna until .*: ERP upgrade; .*"svcsync resume customers"\.$/m;
    expect((await scene.run("explain", "customers/10001")).stdout).toMatch(paused);
    expect((await scene.run("explain", "customers/4711")).stderr).toMatch(paused);
    const { obstacles } = z
      .object({ obstacles: z.array(z.string()) })
      .parse(JSON.parse((await scene.run("explain", "customers/10001", "--json")).stdout));
    expect(obstacles).toEqual([expect.stringContaining("ERP upgrade")]);
    await scene.run("resume", "customers");
    expect((await scene.run("explain", "customers/10001")).stdout).not.toContain("customers: ");

    await scene.set({ ERP_URL: `sqlite:${join(scene.folder, "moved-away.sqlite")}` });
    await scene.run("sync");
    expect((await scene.run("explain", "customers/10001")).stdout).toMatch(
      /^customers: polls fail: .*moved-away.*\(E_SOURCE_UNREACHABLE\)\.$/m,
    );
    await scene.set({ ERP_URL: `sqlite:${scene.erp.path}` });
    await scene.run("sync");
  });

  it("explain says that no poll has shown a record, and exits 1", async () => {
    const { code, stderr } = await scene.run("explain", "customers/4711");
    expect(stderr).toContain("customers/4711 is not in the store");
    expect(code).toBe(1);
  });

  it("explain tells what an error code means, whether it is normal and what to do", async () => {
    const { code, stdout } = await scene.run("explain", "E_MATCH_DROPPED");
    expect(stdout).toMatch(
      /^E_MATCH_DROPPED: The first record .*\n\nNormal\? No\.\n\nWhat to do: Correct the match field/,
    );
    expect(code).toBe(0);
    const entry: unknown = JSON.parse((await scene.run("explain", "E_SYNC_FILE", "--json")).stdout);
    expect(entry).toMatchObject({ code: "E_SYNC_FILE", remedy: expect.stringContaining("svcsync check") });
    expect((await scene.run("explain", "e_sync_file")).stdout).toContain("the sync file (docs/sync-file.md)");
  });

  it("explain names the error code that was meant", async () => {
    const { code, stderr } = await scene.run("explain", "E_SERVICE_REFUSD");
    expect(stderr).toContain("expected stream/key or an error code: did you mean E_SERVICE_REFUSED?");
    expect(code).toBe(64);
  });

  it("refuses a record without its stream", async () => {
    const { code, stderr } = await scene.run("explain", "10001");
    expect(stderr).toContain('found "10001", expected stream/key or an error code');
    expect(code).toBe(64);
  });

  it("retry makes a parked record due, and the next round tries it", async () => {
    scene.erp.change("customers", ["10002"], { name1: "Wieder da" });
    const { code, stdout } = await scene.run("retry", "customers/10002");
    expect(stdout).toBe("1 record is due again.\n");
    expect(code).toBe(0);
    expect((await scene.run("sync")).code).toBe(0);
    expect(scene.sandbox.records("customer").map((record) => record["name"])).toContain("Wieder da");
  });

  it("retry of a stream that does not exist is an error", async () => {
    const { code, stderr } = await scene.run("retry", "custmers");
    expect(stderr).toContain("custmers: no such stream");
    expect(code).toBe(64);
  });

  it("resolve wants exactly one answer", async () => {
    for (const answers of [[], ["--skip", "--create"]]) {
      const { code, stderr } = await scene.run("resolve", "customers/10001", ...answers);
      expect(stderr).toContain("Give exactly one of --bind ID, --create and --skip.");
      expect(code).toBe(64);
    }
  });

  it("resolve binds no record of the service to a second record of the ERP", async () => {
    const first = scene.sandbox.records("customer").find(({ customerId }) => customerId === "10001")!;
    const { code, stderr } = await scene.run("resolve", "customers/10002", "--bind", String(first.id), "--yes");
    expect(stderr).toMatch(/already belongs to customers\/10001/);
    expect(code).toBe(1);
  });

  it("resolve leaves a parked record out when told to", async () => {
    scene.erp.breakOne("10002");
    expect((await scene.run("sync")).code).toBe(1);
    const { code, stdout } = await scene.run("resolve", "customers/10002", "--skip");
    expect(stdout).toContain("customers/10002 is left out until the ERP changes it.");
    expect(code).toBe(0);
    expect((await scene.run("status")).code).toBe(0);
  });

  it("reread reads single records now", async () => {
    scene.erp.renameCustomer("10001", "Gelesen");
    const { code, stdout, stderr } = await scene.run("reread", "customers", "10001", "10002", "4711");
    expect(stdout).toBe("1 changed record will be delivered, 1 unchanged.\n");
    expect(stderr).toBe("The ERP does not have customers/4711.\n");
    expect(code).toBe(1);
    await scene.run("sync");
    expect(scene.sandbox.records("customer").map((record) => record["name"])).toContain("Gelesen AG");
  });

  it("reread of a stream has the next poll read it from its beginning, and writes nothing that is the same", async () => {
    const { code, stdout } = await scene.run("reread", "contacts");
    expect(stdout).toContain("The next poll reads contacts from its beginning");
    expect(code).toBe(0);
    const streams = async () => syncResult.parse(JSON.parse((await scene.run("sync", "--json")).stdout)).streams;
    expect(await streams()).toContainEqual(
      expect.objectContaining({ name: "contacts", read: 1, created: 0, updated: 0 }),
    );
    expect((await scene.run("reread", "nothing")).code).toBe(64);
  });

  it("poll says when the streams are polled, and does nothing where one is not known", async () => {
    const { code, stdout } = await scene.run("poll", "customers", "contacts", "--why", "a call");
    expect(stdout).toContain("polls customers, contacts within a second. If none runs");
    expect(code).toBe(0);
    expect(JSON.parse((await scene.run("poll", "customers", "--json")).stdout)).toEqual({ streams: ["customers"] });
    expect(await scene.run("poll", "contacts", "nothing")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("nothing: no such stream; the sync file has customers"),
    });
    const acts = (await scene.run("history", "--acts", "--json")).stdout.split("\n");
    const polls = acts.filter((act) => act.includes('"action":"poll"'));
    expect(polls.map((act) => act.includes('"why":"a call"'))).toEqual([false, true, true]);
  });

  it("resolve says as JSON what was answered", async () => {
    scene.erp.breakOne("10001");
    await scene.run("sync");
    const { stdout } = await scene.run("resolve", "customers/10001", "--skip", "--json");
    expect(JSON.parse(stdout)).toEqual({ id: { stream: "customers", key: "10001" }, answer: "skip" });
  });

  it("deletions says that none waits", async () => {
    const { code, stdout } = await scene.run("deletions");
    expect(stdout).toBe("No deletion is waiting for confirmation.\n");
    expect(code).toBe(0);
  });

  it("backup copies the store and overwrites nothing", async () => {
    const copy = join(scene.folder, "copy.db");
    expect(await scene.run("backup", copy)).toMatchObject({ code: 0 });
    expect(existsSync(copy)).toBe(true);
    const second = await scene.run("backup", copy);
    expect(second.stderr).toContain(`${copy} already exists. Choose another name.`);
    expect(second.code).toBe(64);
  });

  it("backup says as JSON what was copied, and when", async () => {
    const copy = join(scene.folder, "copy-2.db");
    const { stdout } = await scene.run("backup", copy, "--json");
    const { size } = statSync(copy);
    const recordCount: unknown = expect.any(Number);
    const begunAt: unknown = expect.stringMatching(isoTime);
    expect(JSON.parse(stdout)).toEqual({ file: copy, sizeBytes: size, begunAt, recordCount });
  });

  it("rebuild prints as JSON what was read and what is planned, a line each", async () => {
    await scene.set({ DATA_DIR: join(scene.folder, "rebuilt") });
    const { stdout } = await scene.run("rebuild", "--json");
    const [read, planned, ...more] = stdout
      .trim()
      .split("\n")
      .map((line) => json.parse(JSON.parse(line)));
    expect(read).toMatchObject({ requests: expect.any(Number), streams: expect.any(Array) });
    expect(planned).toMatchObject({ plans: expect.any(Array) });
    expect(more).toEqual([]);
    await scene.set({ DATA_DIR: join(scene.folder, "data") });
  });

  it.each([
    ["adopt", ["customers"]],
    ["plan", []],
  ])("%s writes its list for its owner alone, and neither over a file nor through a link", async (command, names) => {
    const [list, other, link] = ["new.csv", "other.csv", "link.csv"].map((name) =>
      join(scene.folder, `${command}-${name}`),
    );
    await scene.run(command, ...names, "--csv", list!);
    expect((await stat(list!)).mode & 0o777).toBe(0o600);

    await writeFile(other!, "the work of a person");
    await symlink(other!, link!);
    for (const taken of [list!, other!, link!]) {
      const { code, stderr } = await scene.run(command, ...names, "--csv", taken);
      expect(stderr).toContain(`--csv: ${taken} already exists`);
      expect(code).toBe(64);
    }
    expect(await readFile(other!, "utf8")).toBe("the work of a person");
    const nowhere = join(scene.folder, `${command}-nowhere.csv`);
    await symlink(join(scene.folder, `${command}-target.csv`), nowhere);
    expect((await scene.run(command, ...names, "--csv", nowhere)).code).toBe(64);
    await expect(stat(join(scene.folder, `${command}-target.csv`))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("rebuild binds nothing where its list cannot be written", async () => {
    await scene.set({ DATA_DIR: join(scene.folder, "listless") });
    const list = join(scene.folder, "no-such-folder", "list.csv");
    const { code, stdout, stderr } = await scene.run("rebuild", "--confirm", "--csv", list);
    expect(stderr).toContain(`--csv: ${list} cannot be written (ENOENT). Nothing was written.`);
    expect(stdout).not.toContain("Binding");
    expect(code).toBe(64);
    await scene.set({ DATA_DIR: join(scene.folder, "data") });
  });

  it("schema prints the JSON Schema of the sync file", async () => {
    const { code, stdout } = await scene.run("schema");
    expect(z.object({ $schema: z.string(), title: z.string() }).parse(JSON.parse(stdout)).title).toContain("sync file");
    expect(stdout).toBe(await readFile(new URL("../../config/sync.schema.json", import.meta.url), "utf8"));
    expect(stdout).not.toContain("[redacted]");
    expect(code).toBe(0);
  });

  it("sync exits 75 when the ERP cannot be read, and delivers what it has", async () => {
    await scene.set({ ERP_URL: `sqlite:${join(scene.folder, "gone.sqlite")}` });
    const { code, stdout } = await scene.run("sync");
    const said =
      /^customers, contacts, tickets, orders: polls fail: .*E_SOURCE_UNREACHABLE\)\n  -> Check host, port, path/m;
    expect(stdout).toMatch(said);
    expect((await scene.run("status")).stdout).toMatch(said);
    expect(code).toBe(75);
    await scene.set({ ERP_URL: `sqlite:${scene.erp.path}` });
    expect((await scene.run("sync")).code).toBe(0);
  });
});
