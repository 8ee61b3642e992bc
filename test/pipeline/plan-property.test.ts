import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Stream } from "#mapping";
import { isJsonObject, type Json, type JsonObject } from "#model";
import type { PlannedDelivery } from "#pipeline";
import { startSandbox } from "#sandbox";
import type { AuditRecord, RecordView } from "#store";
import { never } from "../kit/outcome.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";
import { changesOf, fileOf, goneIn, stories, withoutRaces } from "./stories.ts";

const RUNS = 25;

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
