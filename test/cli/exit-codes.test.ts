import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitCodes } from "../../src/cli/output/io.ts";
import { freePort } from "../setup/free-port.ts";
import { openScene, runCaptured, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

describe("the table of exit codes", () => {
  it("is the same in the documentation, in --help and in the program", async () => {
    const documented = [...(await readFile("docs/commands.md", "utf8")).matchAll(/^\| (\d+) \| (.+) \|$/gm)];
    const { stdout } = await runCaptured(["--help"]);

    expect(documented.map(([, code, meaning]) => [Number(code), meaning])).toEqual(exitCodes);
    for (const [code, meaning] of exitCodes) expect(stdout).toMatch(new RegExp(`^  ${code} +${meaning}$`, "m"));
  });
});

/** The exit codes of `status` and `sync`. */
async function status(): Promise<number[]> {
  return [(await scene.run("status")).code, (await scene.run("sync")).code];
}

/** One story: each situation is left behind by the one before. */
describe("exit codes", () => {
  it("are 0 once all is in sync", async () => {
    await scene.run("sync");
    expect(await status()).toEqual([0, 0]);
  });

  it("are 0 where no channel is set up, and 78 for a test message that none can take", async () => {
    expect(await scene.run("notify")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^No channel is set up\./),
    });
    expect(await scene.run("notify", "--json")).toEqual({ code: 0, stdout: '{"channels":[]}\n', stderr: "" });
    expect(await scene.run("notify", "--test")).toMatchObject({
      code: 78,
      stdout: "",
      stderr: expect.stringMatching(/^No channel is set up\./),
    });
  });

  it("are 75 while the ERP does not answer", async () => {
    await scene.set({ ERP_URL: `sqlite:${join(scene.folder, "gone.sqlite")}` });
    await scene.run("sync");
    expect(await status()).toEqual([75, 75]);
  });

  it("are 1 while the ERP cannot be read until somebody acts", async () => {
    await scene.set({ ERP_URL: `sqlite:${scene.erp.path}` });
    await scene.edit((text) =>
      text.replace("table: orders", "table: no_orders").replace("service_orders", "no_orders"),
    );
    await scene.run("sync");
    expect(await status()).toEqual([1, 1]);
    await scene.edit((text) => text);
    await scene.run("sync");
  });

  it("are 0 while a record waits for a parent that will not come, and 1 where the settings say so", async () => {
    scene.erp.insertContact({ customer_no: "77777", contact_no: 1, first_name: "A", last_name: "B" });
    await scene.run("sync");
    const { stdout } = await scene.run("status");
    expect(stdout).toMatch(/^contacts: 1 record is blocked: contacts\/77777\|1 waits for customers\/77777/m);
    expect(await status()).toEqual([0, 0]);
    await scene.set({ BLOCKED_RECORDS: "problem" });
    expect(await status()).toEqual([1, 1]);
    await scene.set({ BLOCKED_RECORDS: undefined });
  });

  it("are 0 again once a group was left out, with its records counted", async () => {
    const { id } = JSON.parse((await scene.run("groups", "--json")).stdout).groups[0];
    expect(await scene.run("skip", "--group", id)).toEqual({
      code: 64,
      stdout: "",
      stderr: "No terminal to ask on: add --yes to leave the records out without confirmation.\n",
    });
    const { stdout, code } = await scene.run("skip", "--group", id, "--yes");
    expect([code, stdout]).toEqual([0, "1 record left out until the ERP changes it.\n"]);
    expect((await scene.run("records", "contacts", "--state", "skipped")).stdout).toContain("1 contacts skipped");
    expect((await scene.run("skip", "contacts", "--code", "E_PARENT_MISSING")).code).toBe(64);
    expect((await scene.run("skip", "contacts", "--code", "E_PARENT_MISSING", "--yes")).code).toBe(1);
    expect((await scene.run("skip", "contacts")).code).toBe(64);
  });

  it("of adopt are 1 for a plan with ambiguous records, and 0 once it is confirmed", async () => {
    scene.sandbox.seed("customer", [
      { customerId: "20001", name: "One" },
      { customerId: "20001", name: "Two" },
    ]);
    scene.erp.insertCustomer({ customer_no: "20001", name1: "One" });
    await scene.set({ DATA_DIR: join(scene.folder, "fresh") });
    await scene.run("sync");
    const plan = await scene.run("adopt", "customers");
    expect(plan.stdout).toContain("ambiguous: customers/20001");
    expect(plan.code).toBe(1);
    expect((await scene.run("adopt", "customers", "--confirm")).code).toBe(0);
    await scene.set({ DATA_DIR: join(scene.folder, "data") });
  });

  it("are 70 where the service refuses the token, and 78 where the settings are wrong", async () => {
    await scene.set({ SERVICE_TOKEN: "wrong", DATA_DIR: join(scene.folder, "other") });
    expect((await scene.run("sync")).code).toBe(70);
    await scene.set({ SERVICE_TOKEN: undefined });
    expect((await scene.run("sync")).code).toBe(78);
  });

  it("is 75 for a round that gets nowhere, which ends instead of blocking the next one", async () => {
    const port = await freePort();
    const dead = { SERVICE_URL: `http://127.0.0.1:${port}`, SERVICE_TOKEN: "sandbox-token" };
    await scene.set({ ...dead, DATA_DIR: join(scene.folder, "dead") });
    const { code, stderr } = await scene.run("sync", "--timeout", "2");
    expect(stderr).toContain("Nothing progressed for 2 s, so this round ends");
    expect(code).toBe(75);
    await scene.set({ SERVICE_URL: scene.sandbox.url });
  });

  it("of a retry by cause concern that cause alone", async () => {
    await scene.set({ SERVICE_TOKEN: "sandbox-token", DATA_DIR: join(scene.folder, "data") });
    scene.erp.breakOne("10002");
    expect((await scene.run("sync")).code).toBe(1);
    expect((await scene.run("retry", "customers", "--code", "E_MAPPING")).stdout).toBe("0 records are due again.\n");
    expect((await scene.run("retry", "customers", "--code", "E_SERVICE_REFUSED", "--json")).stdout).toBe('{"due":1}\n');
  });
});
