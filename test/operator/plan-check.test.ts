import { describe, expect, it } from "vitest";
import type { Change, Json } from "#model";
import { PlanCheck, type Checked, type PlanRecord } from "#operator";
import { Presence } from "#pipeline";
import { Redaction } from "#telemetry";
import { planRecord } from "../../src/operator/plan/file/plan-file.ts";
import { never } from "../kit/outcome.ts";
import { openRigScene, type DeliveryRig, streamsOf } from "../pipeline/delivery-rig.ts";

const read = { table: "t", key: "k" };
const { redact } = new Redaction();

/** Departments by code, and teams that belong to them. */
function streams(fields: Record<string, Json> = {}) {
  const departments = {
    source: "erp",
    read,
    resource: "department",
    match: ["code"],
    fields: { code: "code", name: "name", ...fields },
  };
  const teams = {
    source: "erp",
    read,
    resource: "department",
    fields: { name: "name", department: { ref: "departments", key: "department" } },
  };
  return streamsOf(
    JSON.stringify({ sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } }, streams: { departments, teams } }),
  );
}

const row = (key: string, name: string): Change => ({ kind: "upsert", key, row: { name, code: key } });
const team = (key: string, department: string): Change => ({ kind: "upsert", key, row: { name: key, department } });
const id = { stream: "departments", key: "1" };

async function planned(rig: DeliveryRig, of = streams()): Promise<PlanRecord[]> {
  const planner = await rig.planner(of);
  const found: PlanRecord[] = [];
  for (const { name } of of) for await (const each of planner.plan(name, never)) found.push(planRecord(each, redact));
  return found;
}

/** Decides all records again, and compares them with the service. */
async function checked(rig: DeliveryRig, plan: readonly PlanRecord[], of = streams()): Promise<Checked[]> {
  const { store, service } = rig;
  const check = new PlanCheck({
    store,
    planner: await rig.planner(of),
    presence: new Presence(store, service),
    redact,
  });
  const found: Checked[] = [];
  for (const record of plan) {
    const each = await check.check(record, never);
    found.push(each.kind === "open" ? await check.compare(each, never) : each);
  }
  return found;
}

const kinds = (found: readonly Checked[]) => found.map(({ kind }) => kind);
const whyOf = ([first]: readonly Checked[]) => (first?.kind === "differs" ? first.why : first?.kind);

/** One department in the service, whose new name is planned. */
async function renamed() {
  const scene = await openRigScene();
  await scene.rig.stage("departments", [row("1", "Sales")]);
  await scene.rig.run(streams());
  await scene.rig.stage("departments", [row("1", "Sales and more")]);
  return { ...scene, plan: await planned(scene.rig), [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

describe("a planned record that is decided again", () => {
  it("is open while nothing changed, and done once it was delivered", async () => {
    await using scene = await renamed();
    const { rig, plan } = scene;
    expect(kinds(await checked(rig, plan))).toEqual(["open"]);
    await rig.run(streams());
    expect(kinds(await checked(rig, plan))).toEqual(["done"]);
  });

  it("differs when the ERP changed its row", async () => {
    await using scene = await renamed();
    await scene.rig.stage("departments", [row("1", "Retail")]);
    expect(whyOf(await checked(scene.rig, scene.plan))).toContain("Retail");
  });

  it("differs when the ERP changed its row and another run delivered that", async () => {
    await using scene = await renamed();
    await scene.rig.stage("departments", [row("1", "Retail")]);
    await scene.rig.run(streams());
    expect(whyOf(await checked(scene.rig, scene.plan))).toContain("unchanged");
  });

  it("differs when the sync file maps it otherwise", async () => {
    await using scene = await renamed();
    const other = streams({ name: { expr: "$uppercase(name)" } });
    expect(whyOf(await checked(scene.rig, scene.plan, other))).toContain("SALES AND MORE");
  });

  it("differs when a person changed the value that it would overwrite, but not another one", async () => {
    await using scene = await renamed();
    const { sandbox, rig, plan } = scene;
    const found = sandbox.records("department").find(({ code }) => code === "1")!;
    sandbox.seed("department", [{ ...found, mnemonic: "X" }]);
    expect(kinds(await checked(rig, plan))).toEqual(["open"]);
    sandbox.seed("department", [{ ...found, name: "By hand" }]);
    expect(whyOf(await checked(rig, plan))).toBe('in the service name is "By hand", no longer "Sales"');
  });

  it("differs when the service no longer has it", async () => {
    await using scene = await renamed();
    const { sandbox, rig, plan } = scene;
    sandbox.vanish("department", sandbox.records("department").find(({ code }) => code === "1")!.id);
    expect(whyOf(await checked(rig, plan))).toMatch(/^the service no longer has department \d+$/);
  });

  it("differs when the store's binding ended, or the store lost it", async () => {
    await using scene = await renamed();
    const { rig, plan } = scene;
    const [record] = plan;
    expect(whyOf(await checked(rig, [{ ...record!, serviceId: 4_711 }]))).toContain("4711 in the service");
    expect(whyOf(await checked(rig, [{ ...record!, key: "9" }]))).toBe("the store no longer has it");
  });

  it("is not compared in a field that was never written", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    await rig.run(streams());
    const found = sandbox.records("department").find(({ code }) => code === "1")!;
    sandbox.seed("department", [{ ...found, mnemonic: "by hand" }]);
    const more = streams({ mnemonic: { const: "S" } });
    const plan = await planned(rig, more);
    expect(plan).toMatchObject([{ verdict: "update", fields: [{ field: "mnemonic" }] }]);
    expect(kinds(await checked(rig, plan, more))).toEqual(["open"]);
  });

  it("is still planned after its parent was created: the new id is what the plan named", async () => {
    await using scene = await openRigScene();
    const { rig } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    await rig.stage("teams", [team("a", "1")]);
    const plan = await planned(rig);
    expect(plan[1]!.fields).toContainEqual({ field: "department", after: { newIdOf: "departments/1" } });
    await rig.run([streams()[0]!]);
    expect(kinds(await checked(rig, plan))).toEqual(["done", "open"]);
    const wrong = [
      { ...plan[1]!, fields: plan[1]!.fields.map((each) => ({ ...each, after: { newIdOf: "teams/a" } })) },
    ];
    expect(kinds(await checked(rig, wrong))).toEqual(["differs"]);
  });

  it("is still planned when its create was begun and cut short, unless that sent something else", async () => {
    await using scene = await openRigScene();
    const { rig } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    const plan = await planned(rig);
    const claim = (await rig.store.claim(id))!;
    await rig.store.begin(claim, { resource: "department", projection: { code: "1", name: "Sales" } });
    await rig.store.end(claim, { kind: "release" });
    expect(kinds(await checked(rig, plan))).toEqual(["open"]);
    const other = plan.map((each) => ({ ...each, fields: [{ field: "name", after: "Other" }] }));
    expect(kinds(await checked(rig, other))).toEqual(["differs"]);
  });

  it("differs when it would finish a deletion that was begun since", async () => {
    await using scene = await openRigScene();
    const { rig } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    const plan = await planned(rig);
    await rig.run(streams());
    const { serviceId } = (await rig.store.record(id))!.binding!;
    await rig.stage("departments", [row("1", "Other")]);
    const begun = (await rig.store.claim(id))!;
    await rig.store.markInFlight(begun, { kind: "deletion", fields: {} });
    await rig.store.end(begun, { kind: "release" });
    await rig.stage("departments", [row("1", "Sales")]);
    expect(whyOf(await checked(rig, plan))).toContain(`deletes ${serviceId} first`);
    const next = await planned(rig);
    expect(next).toMatchObject([{ verdict: "create", deletes: serviceId }]);
    expect(kinds(await checked(rig, next))).toEqual(["open"]);
    // The deletion was finished, and the create was cut short.
    const claim = (await rig.store.claim(id))!;
    await rig.store.unbind(claim, { action: "delete", resource: "department", outcome: "deleted" });
    await rig.store.end(claim, { kind: "release" });
    expect(kinds(await checked(rig, next))).toEqual(["open"]);
  });
});

function deleting(deleted: Record<string, Json>): ReturnType<typeof streams> {
  const departments = { source: "erp", read, resource: "department", match: ["code"], deleted };
  const fields = { code: "code", name: "name" };
  return streamsOf(
    JSON.stringify({
      sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
      streams: { departments: { ...departments, fields } },
    }),
  );
}

const gone = (isGone: boolean): Change => ({ kind: "upsert", key: "1", row: { name: "A", code: "1", gone: isGone } });

describe("a deletion that is done", () => {
  const set = { when: "gone", set: { name: { const: "gone" } } };
  const ignore = { when: "gone", ignore: true };

  it.each([
    ["delete", { when: "gone", delete: true }],
    ["delete", set],
    ["unchanged", ignore],
  ])("is as planned where the plan said %s", async (verdict, deleted) => {
    await using scene = await openRigScene();
    const { rig } = scene;
    const of = deleting(deleted);
    await rig.stage("departments", [gone(false)]);
    await rig.run(of);
    await rig.stage("departments", [gone(true)]);
    const plan = await planned(rig, of);
    expect(plan).toMatchObject([{ verdict }]);
    expect(kinds(await checked(rig, plan, of))).toEqual(["open"]);
    await rig.run(of);
    expect(kinds(await checked(rig, plan, of))).toEqual(["done"]);
  });

  it.each([
    ["delete", { when: "gone", delete: true }],
    ["delete", set],
    ["adopt", ignore],
  ])(
    "is as planned where the record was found, the plan said %s, and each step may be cut short",
    async (verdict, deleted) => {
      await using scene = await openRigScene();
      const { rig, sandbox } = scene;
      const of = deleting(deleted);
      sandbox.seed("department", [{ id: 900, code: "1", name: "B" }]);
      await rig.survey(of);
      await rig.stage("departments", [gone(true)]);
      const plan = await planned(rig, of);
      expect(plan).toMatchObject([{ verdict, serviceId: 900 }]);
      expect(kinds(await checked(rig, plan, of))).toEqual(["open"]);
      const claim = (await rig.store.claim(id))!;
      const applied = { projection: { code: "1", name: "B" }, outcome: "adopted", parents: [], again: true } as const;
      await rig.store.end(claim, { kind: "bind", binding: { resource: "department", serviceId: 900 }, applied });
      expect(kinds(await checked(rig, plan, of))).toEqual(["open"]);
      await rig.run(of);
      expect((await rig.store.record(id))!.state).toBe("deleted");
      expect(kinds(await checked(rig, plan, of))).toEqual(["done"]);
    },
  );

  it("is as planned where the service had lost the record whose fields it sets", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    const of = deleting(set);
    await rig.stage("departments", [gone(false)]);
    await rig.run(of);
    const { serviceId } = (await rig.store.record(id))!.binding!;
    await rig.stage("departments", [gone(true)]);
    const plan = await planned(rig, of);
    sandbox.vanish("department", serviceId);
    await rig.run(of);
    expect(kinds(await checked(rig, plan, of))).toEqual(["done"]);
  });

  it("is not what a plan wanted that keeps the record", async () => {
    await using scene = await openRigScene();
    const { rig } = scene;
    const of = deleting({ when: "gone", delete: true });
    await rig.stage("departments", [gone(false)]);
    await rig.run(of);
    await rig.stage("departments", [{ kind: "upsert", key: "1", row: { name: "B", code: "1", gone: false } }]);
    const plan = await planned(rig, of);
    expect(plan).toMatchObject([{ verdict: "update" }]);
    await rig.stage("departments", [gone(true)]);
    expect(kinds(await checked(rig, plan, of))).toEqual(["differs"]);
    await rig.run(of);
    expect(kinds(await checked(rig, plan, of))).toEqual(["differs"]);
  });
});
