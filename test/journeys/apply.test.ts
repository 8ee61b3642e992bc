import { spawn } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../setup/built-program.ts";
import { customersStream } from "../setup/customers-stream.ts";
import { only, setStage, texts, until, writeRequests, type Ended, type Stage } from "./stage.ts";

const CUSTOMERS = 12;
const syncFile = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}`;

/** Customers in sync, and a sync file that writes other names. */
async function renamedStage(): Promise<Stage> {
  const stage = await setStage({ syncFile });
  for (let at = 1; at <= CUSTOMERS; at++)
    stage.erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
  expect((await stage.command("sync")).code).toBe(0);
  await stage.edit((text) => text.replace("name: name1", `name: { expr: "name1 & ' GmbH'" }`));
  return stage;
}

const fileOf = (stage: Stage) => join(stage.folder, "plan.jsonl");

async function planned(stage: Stage): Promise<string> {
  const { code, stdout } = await stage.command("plan", "--out", fileOf(stage));
  expect(code).toBe(2);
  expect(stdout).toContain("svcsync apply");
  return fileOf(stage);
}

const apply = (stage: Stage) => stage.command("apply", fileOf(stage), "--yes", "--json");

/** Applies a plan that must be refused, and expects that no writing request arrives. */
async function refused(stage: Stage): Promise<Ended> {
  const before = writeRequests(stage.sandbox);
  const ended = await apply(stage);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(writeRequests(stage.sandbox)).toBe(before);
  return ended;
}

describe("a plan that is applied", () => {
  it("is delivered exactly; what is not in it waits for the next run, and a second time nothing is written", async () => {
    await using stage = await renamedStage();
    const file = await planned(stage);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).not.toContain(stage.sandbox.url.slice(0, 4));
    stage.erp.insertCustomer({ customer_no: "20000", name1: "Neu" });
    const before = writeRequests(stage.sandbox);
    const { code, stdout } = await apply(stage);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcomes: { created: 0, updated: CUSTOMERS },
      done: 0,
      left: [],
      unfinished: 0,
      others: 1,
    });
    expect(writeRequests(stage.sandbox) - before).toBe(CUSTOMERS);
    const names = Array.from({ length: CUSTOMERS }, (_, at) => `Kunde ${at + 1} GmbH`);
    expect(texts(stage.sandbox, "customer", "name")).toEqual(names.toSorted());
    const again = await apply(stage);
    expect(JSON.parse(again.stdout)).toMatchObject({ outcomes: { updated: 0 }, done: CUSTOMERS, others: 1 });
    expect(writeRequests(stage.sandbox) - before).toBe(CUSTOMERS);
    expect((await stage.command("sync")).code).toBe(0);
    expect(texts(stage.sandbox, "customer", "name")).toContain("Neu GmbH");
  });

  it("is refused when the ERP changed one of its records", async () => {
    await using stage = await renamedStage();
    await planned(stage);
    stage.erp.renameCustomer("10003", "Umbenannt");
    const { stderr } = await refused(stage);
    expect(stderr).toContain("E_PLAN_STALE");
    expect(stderr).toContain('customers/10003: the plan says "update it');
    expect(stderr).toContain("Umbenannt GmbH");
    expect(stderr).not.toContain("customers/10004");
  });

  it("is refused when a person changed a value in the service that it would overwrite", async () => {
    await using stage = await renamedStage();
    await planned(stage);
    const found = only(stage.sandbox, "customer", "name", "Kunde 5");
    stage.sandbox.seed("customer", [{ ...found, name: "Von Hand" }]);
    const { stderr } = await refused(stage);
    expect(stderr).toContain('customers/10005: in the service name is "Von Hand", no longer "Kunde 5"');
    expect(only(stage.sandbox, "customer", "name", "Von Hand").id).toBe(found.id);
  });

  it("is refused with another sync file, or another store", async () => {
    await using stage = await renamedStage();
    await planned(stage);
    await stage.edit((text) => text.replace("GmbH", "AG"));
    expect((await refused(stage)).stderr).toContain("the sync file differs in customers");
    await stage.edit((text) => text.replace("AG", "GmbH"));
    await stage.set({ DATA_DIR: join(stage.folder, "other") });
    expect((await refused(stage)).stderr).toContain("the store belongs to no service yet");
  });

  it("is refused while the change guard holds its stream, and carried out once its plan is confirmed", async () => {
    await using stage = await renamedStage();
    await stage.set({ CHANGE_GUARD_PERCENT: "10", CHANGE_GUARD_COUNT: "2" });
    await planned(stage);
    const { stderr } = await refused(stage);
    expect(stderr).toContain("E_PLAN_HELD");
    const id = /--confirm ([0-9a-f]+)/.exec(stderr)![1]!;
    expect((await stage.command("plan", "--confirm", id)).code).toBe(0);
    expect(await apply(stage)).toMatchObject({ code: 0 });
    expect(texts(stage.sandbox, "customer", "name")).toContain("Kunde 1 GmbH");
  });

  it("is refused while a daemon runs", async () => {
    await using stage = await renamedStage();
    await planned(stage);
    await stage.edit((text) => text.replace(/name: \{.*\}/, "name: name1"));
    await using _running = await stage.start();
    await stage.edit((text) => text.replace("name: name1", `name: { expr: "name1 & ' GmbH'" }`));
    expect(await apply(stage)).toMatchObject({ code: 70, stdout: "" });
  });

  it("is finished by a second apply after kill -9, without duplicates", async () => {
    await using stage = await setStage({ syncFile });
    for (let at = 1; at <= 40; at++)
      stage.erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
    expect((await stage.command("pause", "customers", "--for", "1h")).code).toBe(0);
    await stage.command("sync");
    await planned(stage);
    expect((await stage.command("resume", "customers")).code).toBe(0);
    const posts = () => stage.sandbox.ledger.count({ method: "POST" });
    stage.sandbox.faults.add({ kind: "latency", ms: 50, method: "POST" });
    await killed(stage, () => posts() >= 15);
    stage.sandbox.faults.clear();
    const { code, stdout } = await apply(stage);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, left: [], unfinished: 0, others: 0 });
    expect(JSON.parse(stdout).done).toBeGreaterThan(0);
    const numbers = Array.from({ length: 40 }, (_, at) => String(10_001 + at));
    expect(texts(stage.sandbox, "customer", "customerId")).toEqual(numbers);
  });
});

/** Applies the plan in a process of its own, until `isEnough`; then kill -9. */
async function killed(stage: Stage, isEnough: () => boolean): Promise<void> {
  const argv = [builtProgram, "apply", fileOf(stage), "--yes", "--env-file", stage.envFile];
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"], env: {} });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
  try {
    await until("the plan is carried out in part", () => child.exitCode !== null || isEnough());
  } finally {
    child.kill("SIGKILL");
  }
  expect(await ended).toBe("SIGKILL");
}
