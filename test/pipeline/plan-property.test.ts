import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Stream } from "#mapping";
import { isJsonObject, type Change, type Json, type JsonObject } from "#model";
import type { PlannedDelivery } from "#pipeline";
import { startSandbox } from "#sandbox";
import type { AuditRecord, RecordView } from "#store";
import { never } from "../kit/outcome.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";

const RUNS = 25;

/** How a file may map departments, which refer to each other, and tickets, which refer to departments. */
const mappings = fc.record({
  name: fc.constantFrom<Json>("name", { expr: "$uppercase(name)" }, { from: "name", default: "nobody" }),
  boss: fc.constantFrom<Json>({ ref: "departments", key: "boss" }, { ref: "departments", key: "boss", optional: true }),
  level: fc.constantFrom<Record<string, Json>>(
    { from: "level" },
    { from: "level", map: { a: "A", b: "B" } },
    { const: "C" },
  ),
  own: fc.constantFrom("create", "always", "empty"),
  create: fc.constantFrom("always", "always", "never"),
  when: fc.option(fc.constant("level != 'b'"), { nil: undefined }),
  deleted: fc.constantFrom<Json>(
    { when: "gone", delete: true },
    { when: "gone", set: { name: "gone" } },
    { when: "gone", ignore: true },
  ),
  text: fc.constantFrom<Json>("text", { expr: "text & '!'" }),
  optional: fc.boolean(),
  priority: fc.constantFrom<Json>(
    { lookup: "priority", by: "name", value: { const: "High" } },
    { lookup: "priority", by: "name", value: { from: "rank", map: { x: "Low", y: "Normal" }, default: "Unheard of" } },
  ),
  tags: fc.constantFrom<Json>(
    { tags: "tags", resource: "tag", by: "name", separator: "," },
    { tags: { const: ["VIP"] }, resource: "tag", by: "name" },
  ),
});

type Mapping = typeof mappings extends fc.Arbitrary<infer T> ? T : never;

function fileOf({ name, boss, level, own, create, when, deleted, text, optional, priority, tags }: Mapping): string {
  const read = { table: "t", key: "k" };
  const departments = {
    source: "erp",
    read,
    resource: "department",
    match: ["code"],
    create,
    fields: { code: "code", name, boss, level: { ...level, own } },
    ...(when === undefined ? {} : { when }),
    deleted,
  };
  const tickets = {
    source: "erp",
    read,
    resource: "ticket",
    fields: {
      description: text,
      ticketStatus: { lookup: "ticketStatus", by: "name", value: { const: "Open" } },
      priority,
      tags,
      department: { ref: "departments", key: "department", ...(optional ? { optional: true } : {}) },
    },
    deleted: { when: "gone", delete: true },
  };
  return JSON.stringify({
    sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
    streams: { departments, tickets },
  });
}

const keys = ["1", "2", "3", "4", "5"];
const key = fc.constantFrom(...keys);
const department = fc.record({
  name: fc.constantFrom("Ann", "Bob", ""),
  level: fc.constantFrom("a", "b", "c"),
  boss: fc.option(key),
  gone: fc.boolean(),
});
const ticket = fc.record({
  text: fc.constantFrom("leaks", "rattles"),
  rank: fc.constantFrom("x", "y", "z"),
  tags: fc.constantFrom("VIP", "VIP,Montage", "", "Unheard of"),
  department: fc.option(key),
  gone: fc.boolean(),
});

const rows = <T>(row: fc.Arbitrary<T>) => fc.dictionary(key, fc.option(row), { noNullPrototype: true });

const stories = fc.record({
  before: mappings,
  after: mappings,
  isEdited: fc.boolean(),
  first: fc.record({ departments: rows(department), tickets: rows(ticket) }),
  later: fc.record({ departments: rows(department), tickets: rows(ticket) }),
  known: fc.subarray(keys),
});

type Tables = { readonly departments: Table; readonly tickets: Table };
type Table = Readonly<Record<string, JsonObject | null>>;

/**
 * Without references to departments that the ERP deletes: whether such a reference is written before or after the deletion is a
 * race, and so is what becomes of both.
 */
function withoutRaces(tables: Tables, gone: ReadonlySet<Json>): Tables {
  const without = (table: Table, field: string): Table =>
    Object.fromEntries(
      Object.entries(table).map(([at, row]) => [
        at,
        row && { ...row, [field]: gone.has(row[field] ?? null) ? null : row[field]! },
      ]),
    );
  return { departments: without(tables.departments, "boss"), tickets: without(tables.tickets, "department") };
}

function goneIn(...stories: readonly Tables[]): Set<Json> {
  const gone = stories.flatMap(({ departments }) =>
    Object.entries(departments).filter(([, row]) => row === null || row["gone"] === true),
  );
  return new Set(gone.map(([at]) => at));
}

/** Null: the ERP deleted it. The code is the key, so that no two records have one. */
function changesOf(table: Table): Change[] {
  return Object.entries(table).map(([at, row]) =>
    row === null ? { kind: "delete", key: at } : { kind: "upsert", key: at, row: { ...row, code: `D-${at}` } },
  );
}

describe("a plan", () => {
  it("foretells what the run then writes, record by record, over random mappings and rows", async () => {
    const property = fc.asyncProperty(stories, async ({ before, after, isEdited, first, later, known }) => {
      await using sandbox = await startSandbox();
      await using rig = await DeliveryRig.open(sandbox);
      // Some departments are in the service already, under codes that the ERP has.
      await rig.service.create("department", { name: "of others", code: "other" }, never);
      const gone = goneIn(first, later);
      for (const at of known.filter((each) => !gone.has(each)))
        await rig.service.create("department", { name: "was here", code: `D-${at}` }, never);
      await rig.service.lookup("priority", "name", "High", never);
      await rig.service.lookup("ticketStatus", "name", "Open", never);
      await rig.service.lookup("tag", "name", "VIP", never);
      const old = streamsOf(fileOf(before));
      const now = streamsOf(fileOf(isEdited ? after : before));
      const begun = withoutRaces(first, gone);
      await rig.stage("departments", changesOf(begun.departments));
      await rig.stage("tickets", changesOf(begun.tickets));
      await rig.run(old);
      const changed = withoutRaces(later, gone);
      await rig.stage("departments", changesOf(changed.departments));
      await rig.stage("tickets", changesOf(changed.tickets));
      const { happened, foretold } = await planAndRun(rig, now);
      expect(happened).toEqual(foretold);
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });
});

/** What the plan says of each record, and what the run then did with it. */
async function planAndRun(rig: DeliveryRig, streams: readonly Stream[]) {
  const planner = await rig.planner(streams);
  const plans = new Map<string, PlannedDelivery>();
  for (const { name } of streams)
    for await (const planned of planner.plan(name, never)) plans.set(labelOf(planned), planned);
  const before = new Map((await rig.views(streams)).map((view) => [labelOf(view), view]));
  const written = new Map<string, number>();
  for (const [label, { id }] of before) written.set(label, (await rig.writes(id)).length);
  await rig.run(streams);
  const after = await rig.views(streams);
  const ids = new Map(after.map((view) => [labelOf(view), view.binding?.serviceId]));
  const happened: object[] = [];
  const foretold: object[] = [];
  for (const view of after) {
    const label = labelOf(view);
    const writes = (await rig.writes(view.id)).slice(written.get(label) ?? 0);
    const plan = plans.get(label);
    foretold.push({
      label,
      ...(plan ? foretoldOf(plan, writes, ids) : { state: before.get(label)!.state, writes: [] }),
    });
    happened.push({ label, ...(plan ? happenedTo(view, writes) : { state: view.state, writes }) });
  }
  return { happened, foretold };
}

function labelOf({ id }: { id: { stream: string; key: string } }): string {
  return `${id.stream}/${id.key}`;
}

/** What the plan says, its stand-ins for ids replaced by the ids that the run made. */
function foretoldOf(
  { verdict, fields, error }: PlannedDelivery,
  writes: readonly AuditRecord[],
  ids: ReadonlyMap<string, number | undefined>,
) {
  const known = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(known).toSorted((a, b) => Number(a) - Number(b));
    if (!isJsonObject(value)) return value;
    if (typeof value["newIdOf"] === "string") return ids.get(value["newIdOf"]) ?? null;
    throw new Error("the names were read before");
  };
  // Of an adopted record only what differs is written, which the plan cannot know.
  const told = Object.fromEntries(fields.map(({ field, after }) => [field, known(after)]));
  return { verdict, fields: isAdopted(writes) ? {} : told, code: error?.code };
}

function isAdopted(writes: readonly AuditRecord[]): boolean {
  return writes.some(({ action }) => action === "adopt");
}

const standing = new Map([
  ["parked", "park"],
  ["waiting", "wait"],
  ["skipped", "skip"],
]);

function happenedTo({ state, error }: RecordView, writes: readonly AuditRecord[]) {
  const actions = writes.map(({ action, outcome }) => (outcome === "deleted" ? "delete" : action));
  const verdict = actions.includes("delete")
    ? "delete"
    : actions.includes("adopt")
      ? "adopt"
      : actions.includes("create")
        ? "create"
        : actions.includes("update")
          ? "update"
          : (standing.get(state) ?? "unchanged");
  const sent = writes.filter(({ action }) => action === "create" || action === "update");
  const fields: JsonObject = Object.assign({}, ...sent.map(({ after }) => after));
  const valued =
    verdict === "create" ? Object.entries(fields).filter(([, value]) => value !== null) : Object.entries(fields);
  const isStuck = state === "parked" || state === "waiting";
  return {
    verdict,
    fields: isAdopted(writes) ? {} : Object.fromEntries(valued),
    code: isStuck ? error?.code : undefined,
  };
}
