import type { Claim } from "#store";
import { opened, type Step } from "../../src/store/steps/step.ts";
import type { FormerParentRow, ChildRow } from "../../src/store/statements/parents.ts";
import type { ClaimableRow, HeldRow } from "../../src/store/statements/records.ts";

export const NOW = 1_000;
export const id = { stream: "customers", key: "1" };

export const claim: Claim = {
  id,
  token: "7.0.secret",
  sequence: 3,
  row: {},
  deleted: false,
  attempts: 0,
  applied: undefined,
  inFlight: undefined,
  intent: undefined,
  decision: undefined,
  binding: undefined,
};

/** The record of the claim, unbound and without an open create. */
export const held: HeldRow = {
  id: 7,
  token: claim.token,
  deleted: 0,
  attempts: 2,
  again: 0,
  resource: null,
  service_id: null,
  begun: 0,
};

export const bound: HeldRow = { ...held, resource: "customers", service_id: 11 };

/** A record that is due, as a claim or a person finds it. */
export const record: ClaimableRow = {
  id: 7,
  stream: id.stream,
  key: id.key,
  state: "due",
  token: null,
  sequence: 3,
  deleted: 0,
  attempts: 0,
  due_at: NOW,
  changed_at: 5,
  backfill: 0,
  error: null,
  unreadable: null,
  decision: null,
  row: "{}",
  applied: null,
  applied_sequence: null,
  doubts: null,
  bound_resource: null,
  service_id: null,
  intent_resource: null,
  projection: null,
  begun_at: null,
  looks: null,
  answered: null,
};

export const child = (number: number, state: ChildRow["state"] = "waiting"): ChildRow => ({
  id: number,
  stream: "contacts",
  key: `${number}`,
  state,
});

export const parent = (number: number, more: Partial<FormerParentRow> = {}): FormerParentRow => ({
  id: number,
  stream: "groups",
  key: `${number}`,
  state: "waiting",
  others: 0,
  ...more,
});

/** What a step writes about these facts, one line for each statement, and its result. Facts that are not given have no row. */
export function decide<Facts extends object, Value>(
  step: Step<Facts, Value>,
  facts: Partial<{ readonly [Name in keyof Facts]: readonly Facts[Name][] }>,
): { readonly writes: readonly string[]; readonly value: Value; readonly changed: readonly string[] } {
  let value: { readonly is: Value } | undefined;
  const { decide } = opened(step, (is: Value) => {
    value = { is };
  });
  // Each fact is one call here, or none.
  const rows = Object.entries<readonly object[]>(step.facts).flatMap(([name, calls]) =>
    calls.map((_, at) => (at === 0 ? rowsOf(facts, name) : [])),
  );
  const { writes, changed, end } = decide(rows);
  end(writes.map(() => [{ total: 5 }]));
  return {
    writes: writes.map(
      ({ of, values }) => `${of.name} ${JSON.stringify(Object.keys(of.takes).map((name) => values[name]))}`,
    ),
    value: value!.is,
    changed: changed.map((name) => name.replace("\0", "/")),
  };
}

function rowsOf(facts: object, name: string): readonly object[] {
  return Object.entries<readonly object[]>({ ...facts }).find(([of]) => of === name)?.[1] ?? [];
}
