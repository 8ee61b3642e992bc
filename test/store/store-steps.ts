import { recordName, type RecordId } from "#model";
import type { Claim, Store } from "#store";
import { OOPS, written } from "../conformance/store-scene.ts";
import type { ModelClaim, ModelRecord, StoreModel } from "./store-model.ts";

/** Everything a random step may need; each step uses what it understands. */
export interface StepArguments {
  readonly serviceId: number;
  readonly value: number;
  readonly parents: readonly RecordId[];
  readonly delayMs: number | undefined;
  readonly flag: boolean;
}

interface Step {
  /** What the promises say: the code of the refusal, or undefined and the model is changed. */
  expect(model: StoreModel, record: ModelRecord, claim: ModelClaim, args: StepArguments): string | undefined;
  take(store: Store, claim: Claim, args: StepArguments, now: number): Promise<unknown>;
}

const STATE = "E_STORE_STATE";
const unbound = { serviceId: undefined, applied: undefined, appliedSequence: undefined, doubts: undefined };

/** The steps of a worker: the promise beside the deed. */
export const STEPS = {
  begin: {
    expect: (_model, record) => {
      if (record.serviceId !== undefined || record.looks !== undefined) return STATE;
      record.looks = 0;
      record.answered = false;
      return undefined;
    },
    take: (store, claim, { value }) => store.begin(claim, { resource: claim.id.stream, projection: { value } }),
  },
  abandon: {
    expect: (_model, record) => {
      if (record.looks === undefined) return STATE;
      record.looks = undefined;
      return undefined;
    },
    take: (store, claim) => store.noteCreate(claim, "absent"),
  },
  answered: {
    expect: (_model, record) => {
      if (record.looks === undefined) return STATE;
      record.answered = true;
      return undefined;
    },
    take: (store, claim) => store.noteCreate(claim, "answered"),
  },
  looked: {
    expect: (_model, record) => {
      if (record.looks === undefined) return STATE;
      record.looks += 1;
      return undefined;
    },
    take: (store, claim) => store.noteCreate(claim, "notFound"),
  },
  doubt: {
    expect: (_model, record, _claim, { value }) => {
      if (record.serviceId === undefined) return STATE;
      record.doubts = value;
      return undefined;
    },
    take: (store, claim, { value }) => store.markInFlight(claim, { kind: "update", fields: { value } }),
  },
  bind: {
    expect: (model, record, claim, { serviceId, value, parents, flag }) => {
      const owner = model.owner(record.id.stream, serviceId);
      if (owner !== undefined && owner !== record) return "E_ALREADY_BOUND";
      const moved = record.serviceId !== serviceId;
      record.again ||= flag || record.deleted;
      const before = record.parents;
      Object.assign(record, { serviceId, looks: undefined, applied: value, appliedSequence: claim.sequence });
      Object.assign(record, { doubts: undefined, decision: false, parents });
      model.end(record, "applied", { attempts: 0 });
      model.childLeft(before);
      model.parentSettled(record.id, moved);
      return undefined;
    },
    take: (store, claim, { serviceId, value, parents, flag }) =>
      store.end(claim, {
        kind: "bind",
        binding: { resource: claim.id.stream, serviceId },
        applied: written({ value }, parents, { again: flag }),
      }),
  },
  apply: {
    expect: (model, record, claim, { value, parents, flag }) => {
      if (record.serviceId === undefined || record.looks !== undefined) return STATE;
      record.again ||= flag;
      const before = record.parents;
      Object.assign(record, { applied: value, appliedSequence: claim.sequence, doubts: undefined });
      Object.assign(record, { decision: false, parents });
      model.end(record, "applied", { attempts: 0 });
      model.childLeft(before);
      return undefined;
    },
    take: (store, claim, { value, parents, flag }) =>
      store.end(claim, { kind: "apply", applied: written({ value }, parents, { again: flag }) }),
  },
  retry: {
    expect: (model, record, _claim, { delayMs = 0 }) => {
      const attempts = record.attempts + 1;
      model.end(record, "due", { attempts, error: OOPS.code, dueAt: model.now + delayMs });
      if (record.error === undefined) record.attempts = 0;
      return undefined;
    },
    take: (store, claim, { delayMs = 0 }, now) =>
      store.end(claim, { kind: "retry", error: OOPS, dueAt: now + delayMs }),
  },
  wait: {
    expect: (model, record, _claim, { parents, delayMs }) => {
      const dueAt = delayMs === undefined ? undefined : model.now + delayMs;
      const bound = parents.some((id) => model.get(id)?.serviceId !== undefined);
      model.end(record, "waiting", { error: OOPS.code, dueAt, waits: [...parents] });
      if (bound && record.state === "waiting")
        Object.assign(record, { state: "due", dueAt: model.now, error: undefined });
      return undefined;
    },
    take: (store, claim, { parents, delayMs }, now) =>
      store.end(claim, {
        kind: "wait",
        error: OOPS,
        parents,
        dueAt: delayMs === undefined ? undefined : now + delayMs,
      }),
  },
  park: {
    expect: (model, record) => {
      model.end(record, "parked", { error: OOPS.code });
      return undefined;
    },
    take: (store, claim) => store.end(claim, { kind: "park", error: OOPS }),
  },
  uncertain: {
    expect: (model, record) => {
      if (record.looks === undefined) return STATE;
      model.end(record, "uncertain", { error: OOPS.code });
      return undefined;
    },
    take: (store, claim) => store.end(claim, { kind: "uncertain", error: OOPS }),
  },
  skip: {
    expect: (model, record) => {
      model.end(record, "skipped", { attempts: 0, error: "E_SKIPPED", decision: false });
      model.parentSettled(record.id, false);
      return undefined;
    },
    take: (store, claim) => store.end(claim, { kind: "skip", reason: "no" }),
  },
  remove: {
    expect: (model, record, claim, { flag, value }) => {
      const before = record.parents;
      if (flag) Object.assign(record, unbound, { parents: [] });
      else Object.assign(record, { applied: value, appliedSequence: claim.sequence, doubts: undefined });
      model.end(record, "deleted", { attempts: 0, decision: false });
      model.childLeft(before);
      model.parentSettled(record.id, false);
      return undefined;
    },
    take: (store, claim, { flag, value }) =>
      store.end(claim, { kind: "remove", ...(flag ? { unbind: true } : { unbind: false, applied: { value } }) }),
  },
  unbind: {
    expect: (model, record) => {
      if (record.serviceId === undefined) return STATE;
      const before = record.parents;
      Object.assign(record, unbound, { parents: [] });
      model.childLeft(before);
      return undefined;
    },
    take: (store, claim) =>
      store.unbind(claim, { action: "settle", resource: claim.id.stream, outcome: recordName(claim.id) }),
  },
  release: {
    expect: (model, record) => {
      model.end(record, "due", { dueAt: model.now });
      return undefined;
    },
    take: (store, claim) => store.end(claim, { kind: "release" }),
  },
} satisfies Record<string, Step>;

export type StepName = keyof typeof STEPS;
