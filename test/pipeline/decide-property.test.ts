import * as fc from "fast-check";
import { expect, it, vi } from "vitest";
import type { Stream } from "#mapping";
import { errorFacts, recordLabel, type RecordId } from "#model";
import { startSandbox } from "#sandbox";
import type { Claim } from "#store";
import type { Action } from "../../src/pipeline/decide/action.ts";
import { decide } from "../../src/pipeline/decide/decide.ts";
import { Performer, type Job } from "../../src/pipeline/deliver/perform.ts";
import { KeysInFlight } from "../../src/pipeline/match/keys-in-flight.ts";
import { withMerges } from "../../src/pipeline/counterpart/merges.ts";
import { PendingIds } from "../../src/pipeline/plan/pending-ids.ts";
import { PlannedKnowledge } from "../../src/pipeline/plan/planned-knowledge.ts";
import { never } from "../kit/outcome.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";
import { changesOf, fileOf, stories, type Mapping } from "./stories.ts";

/** The same stories each time, so that a failure is one of a change. */
const SEED = 3;
const RUNS = 8;

/** What a person or a lost process did between the two runs, to each department. */
const disturbances = fc.array(fc.constantFrom("deletion", "create", "unbind", "doubt", "nothing"), {
  minLength: 5,
  maxLength: 5,
});

/** Only the service knows whether a field that is only filled still has no value, as each such plan says. */
function owned(mapping: Mapping): Mapping {
  return { ...mapping, own: mapping.own === "empty" ? "always" : mapping.own };
}

/** A decision without what it carries along: what is done, to which record, and with which values. */
function essence(action: Action): object {
  switch (action.kind) {
    case "adopt":
      return { kind: action.kind, serviceId: action.serviceId, projection: action.wanted.projection };
    case "create":
    case "compare":
    case "finishDeletion":
      return { kind: action.kind, projection: action.wanted.projection };
    case "update":
    case "unchanged":
    case "setFields":
      return { kind: action.kind, edited: action.edited };
    case "rebind":
    case "rebindDeleted":
    case "endMerged":
      return { kind: action.kind, to: action.to };
    case "settle":
    case "skip":
    case "leave":
    case "delete":
    case "gone":
      return action;
  }
}

it("a plan decides what a delivery decides, over random records, mappings and services", async () => {
  const kinds = new Set<string>();
  const property = fc.asyncProperty(stories, disturbances, async (story, disturbed) => {
    await using sandbox = await startSandbox();
    await using rig = await DeliveryRig.open(sandbox);
    await rig.service.create("department", { name: "of others", code: "other" }, never);
    for (const at of story.known) await rig.service.create("department", { name: "was here", code: `D-${at}` }, never);
    const before = streamsOf(fileOf(owned(story.before)));
    const after = streamsOf(fileOf(owned(story.isEdited ? story.after : story.before)));
    using watch = compared(rig);
    for (const [stream, table] of Object.entries(story.first)) await rig.stage(stream, changesOf(table));
    await rig.run(before);
    for (const [stream, table] of Object.entries(story.later)) await rig.stage(stream, changesOf(table));
    for (const [at, what] of disturbed.entries()) await disturb(rig, { stream: "departments", key: `${at + 1}` }, what);
    await rig.run(after);
    expect(watch.live).toEqual(watch.planned);
    for (const kind of watch.kinds) kinds.add(kind);
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  // Otherwise the stories have become too poor to show anything.
  expect([...kinds].toSorted()).toEqual(
    expect.arrayContaining([
      "adopt",
      "create",
      "delete",
      "finishDeletion",
      "leave",
      "settle",
      "skip",
      "unchanged",
      "update",
    ]),
  );
});

/** Notes what each delivery decides, and what a plan that knows the same store decides at that moment. */
function compared(rig: DeliveryRig) {
  const [live, planned, kinds]: [object[], object[], string[]] = [[], [], []];
  // oxlint-disable-next-line typescript/unbound-method -- called with its performer below
  const perform = Performer.prototype.perform;
  const spy = vi.spyOn(Performer.prototype, "perform").mockImplementation(async function (
    this: Performer,
    action: Action,
    job: Job,
  ) {
    kinds.push(action.kind);
    live.push({ label: recordLabel(job.claim.id), ...essence(action) });
    planned.push({ label: recordLabel(job.claim.id), ...(await plannedNow(rig, job.claim, job.stream)) });
    return perform.call(this, action, job);
  });
  return { live, planned, kinds, [Symbol.dispose]: () => spy.mockRestore() };
}

async function plannedNow({ store, service }: DeliveryRig, claim: Claim, stream: Stream): Promise<object> {
  const record = (id: RecordId) => store.record(id);
  const known = {
    store,
    bindings: async (ids: readonly RecordId[]) => withMerges(store, ids, await store.bindings(ids)),
    names: service.lookup.bind(service),
    keys: new KeysInFlight(),
    others: {
      record,
      binding: () => Promise.resolve(undefined),
      isDeleted: async (id: RecordId) => (await record(id))?.state === "deleted",
    },
  };
  const view = { ...(await record(claim.id))!, ...claim };
  return await decide(view, stream, new PlannedKnowledge(known, new PendingIds()), never).then(essence, errorFacts);
}

/** Leaves the record as a process that died, or a person, does. */
async function disturb(rig: DeliveryRig, id: RecordId, what: string): Promise<void> {
  const { store } = rig;
  const view = await store.record(id);
  if (!view || what === "nothing") return;
  if (what === "unbind") {
    if (view.binding) await store.resolve(id, { kind: "unbind" });
    return;
  }
  // The ERP shows it again, so it is due.
  await rig.stage(id.stream, changesOf({ [id.key]: { name: what, level: "a", boss: null, gone: false } }));
  const claim = await store.claim(id);
  if (!claim) return;
  if (claim.binding && what === "deletion") await store.markInFlight(claim, { kind: "deletion", fields: {} });
  if (claim.binding && what === "doubt") await store.markInFlight(claim, { kind: "update", fields: { name: null } });
  const projection = { code: `D-${id.key}`, name: "begun" };
  if (!claim.binding && what === "create") await store.begin(claim, { resource: "department", projection });
  await store.end(claim, { kind: "release" });
}
