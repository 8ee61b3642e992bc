import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScene, runCaptured, type Ran, type Scene } from "./scene.ts";

/** One story: each command is told beside what the ones before it left. */
describe("who is who", () => {
  let scene: Scene;
  const customers = () => scene.sandbox.records("customer");
  const idOf = (customerId: string) => customers().find((record) => record["customerId"] === customerId)!.id;

  beforeAll(async () => {
    scene = await openScene();
    await scene.run("sync");
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  it("unbind ends no binding to another record than the one that is meant", async () => {
    const { code, stderr } = await scene.run("unbind", "customers/10001", "--from", "999999", "--yes");
    expect(stderr).toContain(`is bound to customer ${idOf("10001")} now, not to 999999`);
    expect(code).toBe(1);
  });

  it("unbind without a terminal wants --yes", async () => {
    const { code, stderr } = await scene.run("unbind", "customers/10001");
    expect(stderr).toBe("No terminal to ask on: add --yes to end the binding without confirmation.\n");
    expect(code).toBe(64);
    expect(await explained()).not.toContain("unbound");
  });

  it("unbind shows what is bound, asks, and changes nothing on a no", async () => {
    const { code, stdout, stderr } = await asked("no", "unbind", "customers/10001");
    expect(stdout).toContain(
      `customers/10001 ("Muster AG", customerId 10001) is bound to customer ${idOf("10001")}.\n`,
    );
    expect(stdout).toContain("End this binding? (yes/no)");
    expect([code, stderr]).toEqual([1, "The binding was not ended.\n"]);
    expect(await explained()).not.toContain("unbound");
  });

  it("unbind ends a binding, changes nothing in the service and says what happens next", async () => {
    const { code, stdout } = await scene.run("unbind", "customers/10001", "--from", String(idOf("10001")), "--yes");
    expect(stdout).toContain(`customers/10001 is no longer bound to customer ${idOf("10001")}, which stays`);
    expect(stdout).toContain('"svcsync resolve customers/10001 --bind ID"');
    expect(code).toBe(0);
    expect(await explained()).toContain(`unbind customer ${idOf("10001")}: unbound`);
  });

  it("unbind is refused for a record that is not bound", async () => {
    const { code, stderr } = await scene.run("unbind", "customers/10001", "--yes");
    expect(stderr).toContain("customers/10001 is not bound: there is nothing to end");
    expect(code).toBe(1);
  });

  it("a record that was unbound is parked and held through changes, and never made a second time", async () => {
    for (const name of ["Eins AG", "Zwei AG"]) {
      scene.erp.renameCustomer("10001", name);
      expect((await scene.run("sync")).code).toBe(1);
    }
    expect(customers()).toHaveLength(2);
    expect(customers().map(({ name }) => name)).not.toContain("Zwei AG");
    const { stdout } = await scene.run("records");
    expect(stdout).toContain("E_UNBOUND");
    expect(stdout).toContain('"svcsync resolve customers/10001 --create"');
  });

  it("adopt shows a record that was unbound as one that a person has to answer for, not as found or new", async () => {
    const { stdout, code } = await scene.run("adopt", "customers", "--json");
    const unclear = { id: { key: "10001" }, verdict: "unclear", candidates: [], error: { code: "E_UNBOUND" } };
    expect(JSON.parse(stdout)).toHaveProperty(
      "plans[0].records[0]",
      expect.objectContaining({
        ...unclear,
        id: expect.objectContaining(unclear.id),
        error: expect.objectContaining(unclear.error),
      }),
    );
    expect(code).toBe(1);
  });

  it("adopt shows it as left out once a person has left it out", async () => {
    await using other = await openScene();
    await other.run("sync");
    await other.run("unbind", "customers/10002", "--yes");
    await other.run("sync");
    await other.run("skip", "customers/10002");
    expect((await other.run("adopt", "customers", "--json")).stdout).toMatch(
      /"10002"[^}]*\}\s*,[^{]*"verdict":\s*"left out"/,
    );
  });

  it("resolve --bind refuses an id that the service does not have", async () => {
    const { code, stderr } = await scene.run("resolve", "customers/10001", "--bind", "999999", "--yes");
    expect(stderr).toBe("the service has no customer 999999: nothing was bound (E_NOT_RESOLVABLE)\n");
    expect(code).toBe(1);
    expect(await explained()).toContain("not bound");
  });

  it("resolve --bind believes no 404 of a service that refuses what is known to be there", async () => {
    const gateway = scene.sandbox.faults.add({ kind: "gateway404" });
    const { code, stderr } = await scene.run("resolve", "customers/10001", "--bind", String(idOf("10001")), "--yes");
    scene.sandbox.faults.clear(gateway);
    expect(stderr).toContain("E_SERVICE_DOUBTED");
    expect(code).toBe(75);
  });

  it("resolve --bind without a terminal wants --yes", async () => {
    const { code, stderr } = await scene.run("resolve", "customers/10001", "--bind", String(idOf("10001")));
    expect(stderr).toBe("No terminal to ask on: add --yes to bind without confirmation.\n");
    expect(code).toBe(64);
  });

  it("resolve --bind shows both sides and what would change, and binds nothing on a no", async () => {
    const { code, stdout, stderr } = await asked("no");
    expect(stdout).toContain('In the ERP:     customers/10001 ("Zwei AG AG", customerId 10001)');
    expect(stdout).toContain(`In the service: customer ${idOf("10001")} ("Muster AG", customerId 10001)`);
    expect(stdout).toContain('name: "Muster AG" -> "Zwei AG AG"');
    expect(stderr).toBe("Nothing was bound.\n");
    expect(code).toBe(1);
  });

  it("resolve --bind binds on a yes, and the next round writes what differs", async () => {
    const { code, stdout } = await asked("yes");
    expect(stdout).toContain(`customers/10001 is bound to customer ${idOf("10001")}; what differs is sent next.`);
    expect(code).toBe(0);
    expect((await scene.run("sync")).code).toBe(0);
    expect(customers()).toHaveLength(2);
    expect(customers().map(({ name }) => name)).toContain("Zwei AG AG");
  });

  it("resolve --bind tells that a record is settled, before it asks anything", async () => {
    const { code, stdout, stderr } = await asked("yes");
    expect(stdout).toBe("");
    expect(stderr).toBe(
      `customers/10001 is applied and bound to customer ${idOf("10001")}: "svcsync unbind customers/10001" ends that binding. Nothing was bound (E_NOT_RESOLVABLE)\n`,
    );
    expect(code).toBe(1);
  });

  it("unbind ends the binding on a yes", async () => {
    const { code, stdout } = await asked("yes", "unbind", "customers/10001");
    expect(stdout).toContain(`customers/10001 is no longer bound to customer ${idOf("10001")}`);
    expect(code).toBe(0);
    await scene.run("resolve", "customers/10001", "--bind", String(idOf("10001")), "--yes");
  });

  it("unbind and resolve speak JSON", async () => {
    const id = { stream: "customers", key: "10002" };
    const binding = { resource: "customer", serviceId: idOf("10002") };
    expect(JSON.parse((await scene.run("unbind", "customers/10002", "--yes", "--json")).stdout)).toEqual({
      id,
      unbound: binding,
    });
    const { stdout } = await scene.run(
      "resolve",
      "customers/10002",
      "--bind",
      String(binding.serviceId),
      "--yes",
      "--json",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      answer: "bind",
      binding,
      theirs: { name: "Übersee" },
      overwrites: [],
    });
  });

  it("the deletion of a record that was unbound touches nothing in the service", async () => {
    await scene.run("unbind", "customers/10002", "--yes");
    const before = customers();
    scene.erp.flagDeleted("customers", ["10002"]);
    expect((await scene.run("sync")).code).toBe(0);
    expect(customers()).toEqual(before);
  });

  it.each([
    ["a cause", (id: string) => ["--group", id]],
    ["an error", () => ["customers", "--code", "E_UNBOUND"]],
  ])("skip of %s asks with the number, and changes nothing on a no", async (_, named) => {
    await scene.run("unbind", "customers/10001", "--yes");
    await scene.run("sync");
    const grouped = async () => JSON.parse((await scene.run("groups", "--json")).stdout).groups;
    const { id } = (await grouped()).find(({ error }: { error: { code: string } }) => error.code === "E_UNBOUND");
    expect(await asked("no", "skip", ...named(id))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Leave 1 record out until the ERP changes it? (yes/no)"),
      stderr: "Nothing was left out.\n",
    });
    expect(await grouped()).toContainEqual(expect.objectContaining({ id, count: 1 }));
    const { code, stdout } = await asked("yes", "skip", ...named(id));
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 record left out until the ERP changes it.\n")]);
    expect(await grouped()).not.toContainEqual(expect.objectContaining({ id }));
    await scene.run("resolve", "customers/10001", "--bind", String(idOf("10001")), "--yes");
  });

  async function explained(): Promise<string> {
    return (await scene.run("explain", "customers/10001")).stdout;
  }

  function asked(reply: string, ...command: string[]): Promise<Ran> {
    const stdin = new PassThrough();
    stdin.end(`${reply}\n`);
    const bind = ["resolve", "customers/10001", "--bind", String(idOf("10001"))];
    const argv = [...(command.length === 0 ? bind : command), "--env-file", scene.envFile];
    return runCaptured(argv, { stdin, isTerminal: true });
  }
});
