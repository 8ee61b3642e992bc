import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { openStore } from "#store";
import { silentLogger } from "../kit/logger.ts";
import { openScene, runCaptured, type Scene } from "./scene.ts";

/** One story: each command is told beside what the ones before it left. */
describe("svcsync rename-stream", () => {
  let scene: Scene;
  const renamed = () =>
    scene.edit((text) => text.replace(/^ {2}customers:$/m, "  clients:").replaceAll("ref: customers", "ref: clients"));
  const writes = () => scene.sandbox.ledger.writes().filter(({ action }) => action !== "seed").length;

  beforeAll(async () => {
    scene = await openScene();
    await scene.run("sync");
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it("is refused while the sync file still has the old name, or does not have the new one", async () => {
    const early = await scene.run("rename-stream", "customers", "clients", "--yes");
    expect([early.code, early.stderr]).toEqual([64, expect.stringContaining("still has the stream customers")]);
    await renamed();
    const other = await scene.run("rename-stream", "customers", "cleints", "--yes");
    expect([other.code, other.stderr]).toEqual([64, expect.stringContaining("has no stream cleints: it has clients")]);
  });

  it("is what check and status advise, with both names", async () => {
    const advice = 'run "svcsync rename-stream customers clients" before the next poll';
    const checked = await scene.run("check");
    expect(checked.stdout).toContain(
      "warning  stream customers: the store has records of the stream customers, which is not in the sync file: was it renamed?",
    );
    expect(checked.stdout).toContain(advice);
    expect((await scene.run("status")).stdout).toContain(advice);
    const { unlisted } = JSON.parse((await scene.run("status", "--json")).stdout);
    expect(unlisted).toEqual([expect.objectContaining({ name: "customers" })]);
  });

  it("is refused while a daemon runs", async () => {
    const place = `${scene.folder}/data`;
    await using _daemon = await openStore(place, { as: "daemon", clock: systemClock, logger: silentLogger });
    const { code, stderr } = await scene.run("rename-stream", "customers", "clients", "--yes");
    expect([code, stderr]).toEqual([
      70,
      expect.stringContaining("Stop svcsync (all processes), then rename the stream"),
    ]);
  });

  it("is refused if the new stream writes another resource", async () => {
    await scene.edit((text) =>
      text
        .replace(/^ {2}contacts:$/m, "  people:")
        .replaceAll("ref: contacts", "ref: people")
        .replace(/^ {2}customers:$/m, "  clients:")
        .replaceAll("ref: customers", "ref: clients"),
    );
    const { code, stderr } = await scene.run("rename-stream", "customers", "people", "--yes");
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("are bound to customer, and people writes customerContact"),
    ]);
    await renamed();
  });

  it("asks, and changes nothing on a no", async () => {
    const silent = await scene.run("rename-stream", "customers", "clients");
    expect([silent.code, silent.stderr]).toEqual([64, expect.stringContaining("add --yes")]);
    const { code, stdout, stderr } = await asked("no");
    expect(stdout).toContain("The store has 2 records (2 bound) of customers.");
    expect([code, stderr]).toEqual([1, "Nothing was renamed.\n"]);
  });

  it("moves records and bindings, so that the next round creates and changes nothing", async () => {
    const before = writes();
    const { code, stdout } = await asked("yes");
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("2 records (2 bound) of customers now belong to clients"),
    ]);
    const synced = await scene.run("sync");
    expect(synced.code).toBe(0);
    expect(writes()).toBe(before);
    expect((await scene.run("check")).stdout).not.toContain("was it renamed?");
    const explained = await scene.run("explain", "clients/10001");
    expect(explained.stdout).toMatch(/create customer/);
    expect((await scene.run("history", "--acts")).stdout).toContain("customers to clients, 2 records");
    // A change in the ERP reaches the same record.
    scene.erp.renameCustomer("10001", "Neu");
    await scene.run("sync");
    expect(scene.sandbox.records("customer").map(({ name }) => name)).toContain("Neu AG");
    expect(scene.sandbox.records("customer")).toHaveLength(2);
  });

  it("has nothing to do a second time", async () => {
    const { code, stderr } = await scene.run("rename-stream", "customers", "clients", "--yes");
    expect([code, stderr]).toEqual([1, expect.stringContaining("E_RENAME_REFUSED")]);
  });

  /** Runs the command at a terminal that gives this answer. */
  function asked(answer: string) {
    const stdin = new PassThrough();
    stdin.end(`${answer}\n`);
    const argv = ["rename-stream", "customers", "clients", "--env-file", scene.envFile];
    return runCaptured(argv, { stdin, isTerminal: true });
  }
});
