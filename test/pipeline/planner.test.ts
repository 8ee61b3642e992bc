import { describe, expect, it } from "vitest";
import type { Change, Json } from "#model";
import { Tally, type PlannedDelivery, type Planner } from "#pipeline";
import { never } from "../kit/outcome.ts";
import { openRigScene, streamsOf } from "./delivery-rig.ts";

const read = { table: "t", key: "k" };

/** Departments by code, and tickets that belong to them. */
function streams(fields: Record<string, Json> = { name: "name" }, words: Record<string, Json> = {}) {
  const departments = {
    source: "erp",
    read,
    resource: "department",
    match: ["code"],
    fields: { code: "code", ...fields },
    ...words,
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

const row = (key: string, name: string, code = key): Change => ({
  kind: "upsert",
  key,
  row: { name, code, gone: false },
});
const team = (key: string, department: string | null): Change => ({
  kind: "upsert",
  key,
  row: { name: key, department },
});

async function setRig() {
  const scene = await openRigScene();
  await scene.rig.service.create("department", { name: "of others", code: "other" }, never);
  return scene;
}

async function all(planner: Planner, ...names: string[]): Promise<PlannedDelivery[]> {
  const planned: PlannedDelivery[] = [];
  for (const name of names) for await (const each of planner.plan(name, never)) planned.push(each);
  return planned;
}

const brief = (planned: readonly PlannedDelivery[]) =>
  planned.map(({ id, verdict, error }) => `${id.key} ${verdict}${error ? ` ${error.code}` : ""}`);

describe("a plan from the store alone", () => {
  it("shows after an edit of the sync file what was last written beside what would be, and asks nobody", async () => {
    await using scene = await setRig();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales"), row("2", "BUYING")]);
    await rig.run(streams());
    const requests = sandbox.ledger.count();
    const planner = await rig.planner(streams({ name: { expr: "$uppercase(name)" } }));
    expect(await all(planner, "departments")).toMatchObject([
      { id: { key: "1" }, verdict: "update", fields: [{ field: "name", before: "Sales", after: "SALES" }] },
      { id: { key: "2" }, verdict: "unchanged", fields: [] },
    ]);
    expect(sandbox.ledger.count()).toBe(requests);
  });

  it("names the new id of a parent that is not in the service yet, and the parent that keeps a record waiting", async () => {
    await using scene = await setRig();
    const { rig } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    await rig.stage("teams", [team("a", "1"), team("b", "9")]);
    const planned = await all(await rig.planner(streams()), "departments", "teams");
    expect(brief(planned)).toEqual(["1 create", "a create", "b wait E_PARENT_MISSING"]);
    expect(planned[1]!.fields).toContainEqual({ field: "department", after: { newIdOf: "departments/1" } });
    expect(planned[2]!.reason).toBe("departments/9 has not been returned by a poll");
  });

  it("tells of one natural key that two new records have, and of a record that the service has already", async () => {
    await using scene = await setRig();
    const { rig } = scene;
    await rig.stage("departments", [row("1", "Others", "other")]);
    await rig.run(streams());
    await rig.service.create("department", { name: "known", code: "K" }, never);
    await rig.stage("departments", [row("2", "Two", "same"), row("3", "Three", "same"), row("4", "Four", "other")]);
    expect(brief(await all(await rig.planner(streams()), "departments"))).toEqual([
      "2 create",
      "3 park E_MATCH_TAKEN",
      "4 park E_MATCH_TAKEN",
    ]);
  });

  it("lets a parent's deletion wait for children that stay, and not for those that go too", async () => {
    await using scene = await setRig();
    const { rig } = scene;
    const deleting = streams(undefined, { deleted: { when: "gone", delete: true } });
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    await rig.stage("teams", [team("a", "1"), team("b", "2")]);
    await rig.run(deleting);
    await rig.stage(
      "departments",
      ["1", "2"].map((key) => ({ kind: "delete", key })),
    );
    expect(brief(await all(await rig.planner(deleting), "departments"))).toEqual([
      "1 wait E_CHILDREN_FIRST",
      "2 wait E_CHILDREN_FIRST",
    ]);
  });

  it("says when the guard would hold the deletions, and tells the guard of none", async () => {
    await using scene = await setRig();
    const { rig } = scene;
    const deleting = streams(undefined, { deleted: { when: "gone", delete: true } });
    const keys = ["1", "2", "3", "4", "5"];
    await rig.stage(
      "departments",
      keys.map((key) => row(key, key)),
    );
    await rig.run(deleting);
    await rig.stage(
      "departments",
      keys.map((key) => ({ kind: "delete", key })),
    );
    const planner = await rig.planner(deleting, { percent: 5, count: 50, floor: 2 });
    expect(await planner.wouldHold("departments", 5)).toBe(true);
    expect(await planner.wouldHold("departments", 2)).toBe(false);
    expect(await rig.store.openDeletions("departments", 9)).toEqual({ count: 0, examples: [] });
  });
});

function idOf(fingerprint: string, after: Json, key = "1"): string {
  const tally = new Tally("customers", fingerprint);
  const fields = [{ field: "name", before: "Old", after }];
  tally.add({ id: { stream: "customers", key }, verdict: "update", fields, isDelivered: true });
  return tally.id;
}

describe("the id of a plan", () => {
  it("stands for one mapping and exactly what it would change", () => {
    expect(idOf("a", "New")).toBe(idOf("a", "New"));
    expect(new Set([idOf("a", "New"), idOf("b", "New"), idOf("a", "Newer"), idOf("a", "New", "2")]).size).toBe(4);
  });
});
