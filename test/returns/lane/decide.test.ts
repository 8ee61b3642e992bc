import { describe, expect, it } from "vitest";
import type { ReturnKind, ReturnState } from "#model";
import type { StoredReturn } from "#store";
import { baseNumber, decideUnwanted, decideWanted, type KnownSubject } from "../../../src/returns/lane/decide.ts";

const BEGIN = 1_000;
const AFTER = 2_000;

function version(
  number: number,
  state: ReturnState,
  { hash = "one", kind = "fact", replaces }: { hash?: string; kind?: ReturnKind; replaces?: number } = {},
): StoredReturn {
  return {
    stream: "reports",
    subject: "7",
    version: number,
    kind,
    serviceId: 7,
    replaces,
    hash,
    content: { fields: {}, lines: [] },
    state,
    preparedAt: 0,
    deliveredAt: undefined,
    answer: undefined,
    following: undefined,
    attempts: 0,
    dueAt: 0,
    error: undefined,
    head: undefined,
  };
}

function known(versions: readonly StoredReturn[], more: Partial<KnownSubject> = {}): KnownSubject {
  const latest = versions.at(-1);
  const number = baseNumber(latest);
  return {
    stream: { kind: "reports", corrections: "hold" },
    beginAt: BEGIN,
    latest,
    base: versions.find((one) => one.version === number),
    highest: undefined,
    ...more,
  };
}

const next = (kind: ReturnKind, number: number, replaces: number | undefined, as: string) => ({
  action: "next",
  next: { kind, version: number, replaces },
  as,
});
const nothing = { action: "nothing" };
const withdraw = { action: "withdraw" };

describe("a report that is to be returned", () => {
  it.each([
    ["is a fact at first", known([]), next("fact", 1, undefined, "prepared")],
    ["is not returned twice", known([version(1, "delivered")]), nothing],
    ["is not returned twice while it is on its way", known([version(1, "prepared")]), nothing],
    [
      "is compared with the inbox if the store has forgotten it",
      known([], { highest: 1 }),
      next("fact", 1, undefined, "prepared"),
    ],
    [
      "is compared with the newest version of the inbox",
      known([], { highest: 3 }),
      next("correction", 3, 2, "prepared"),
    ],
    [
      "is made good as soon as it can be made",
      known([version(1, "blocked", { hash: "" })]),
      next("fact", 1, undefined, "prepared"),
    ],
    [
      "is compared with the newest version of the inbox if the store has only an earlier one",
      known([version(1, "accepted")], { highest: 3 }),
      next("correction", 3, 2, "prepared"),
    ],
    [
      "is compared with the inbox's version if it could not be made before",
      known([version(2, "blocked", { hash: "", kind: "correction", replaces: 1 })], { highest: 2 }),
      next("correction", 2, 1, "prepared"),
    ],
    ["needs a person once it is withdrawn", known([version(1, "withdrawn")]), nothing],
  ])("%s", (_name, given, expected) => {
    expect(decideWanted(given, "one", AFTER)).toEqual(expected);
  });

  it.each([
    ["waits for a person", known([version(1, "accepted")]), next("correction", 2, 1, "held")],
    [
      "flows if nobody has to confirm it",
      known([version(1, "accepted")], { stream: { kind: "reports", corrections: "send" } }),
      next("correction", 2, 1, "prepared"),
    ],
    [
      "flows if the ERP refused the former version",
      known([version(1, "refused")]),
      next("correction", 2, 1, "prepared"),
    ],
    [
      "replaces what the ERP has, not what it never got",
      known([version(1, "accepted"), version(2, "held", { hash: "other", kind: "correction", replaces: 1 })]),
      next("correction", 3, 1, "held"),
    ],
    [
      "is a fact again after a cancellation",
      known([version(1, "accepted"), version(2, "delivered", { hash: "gone", kind: "cancelled", replaces: 1 })]),
      next("fact", 3, 2, "held"),
    ],
    [
      "waits for a person who withdrew the former version",
      known([version(1, "withdrawn")]),
      next("fact", 2, undefined, "held"),
    ],
    [
      "is a fact if the service took the former version back",
      known([version(1, "withdrawn", { hash: "" })]),
      next("fact", 2, undefined, "prepared"),
    ],
    [
      "waits once where the inbox says something unknown",
      known([
        version(3, "withdrawn", { hash: "two" }),
        version(4, "held", { hash: "two", kind: "correction", replaces: 3 }),
      ]),
      nothing,
    ],
  ])("after a change %s", (_name, given, expected) => {
    expect(decideWanted(given, "two", AFTER)).toEqual(expected);
  });

  it("withdraws a correction that was taken back in the service", () => {
    const versions = [version(1, "accepted"), version(2, "held", { hash: "two", kind: "correction", replaces: 1 })];
    expect(decideWanted(known(versions), "one", AFTER)).toEqual(withdraw);
  });

  it("is not returned if it was final before the lane was switched on, whatever its keys", () => {
    expect(decideWanted(known([]), "one", BEGIN - 1)).toEqual(nothing);
    expect(decideWanted(known([version(1, "blocked", { hash: "" })]), "one", BEGIN - 1)).toEqual(withdraw);
  });
});

describe("a report that is no longer to be returned", () => {
  it.each([
    ["is nothing if it never was", known([]), nothing],
    [
      "is cancelled where the ERP has it, by a person",
      known([version(1, "accepted")]),
      next("cancelled", 2, 1, "held"),
    ],
    [
      "is cancelled at once if nobody has to confirm it",
      known([version(1, "delivered")], { stream: { kind: "reports", corrections: "send" } }),
      next("cancelled", 2, 1, "prepared"),
    ],
    [
      "is cancelled once",
      known([version(1, "accepted"), version(2, "held", { kind: "cancelled", replaces: 1 })]),
      nothing,
    ],
    [
      "stays cancelled",
      known([version(1, "accepted"), version(2, "accepted", { kind: "cancelled", replaces: 1 })]),
      nothing,
    ],
    [
      "stays cancelled where a person withdrew the cancellation",
      known([version(1, "accepted"), version(2, "withdrawn", { kind: "cancelled", replaces: 1 })]),
      nothing,
    ],
    ["is withdrawn if it was only held", known([version(1, "blocked", { hash: "" })]), withdraw],
    ["is nothing if the ERP refused it", known([version(1, "refused")]), nothing],
    [
      "is compared with the newest version of the inbox if the store has only an earlier one",
      known([version(1, "accepted")], { highest: 2 }),
      next("cancelled", 2, 1, "prepared"),
    ],
    [
      "is cancelled instead of corrected",
      known([version(1, "accepted"), version(2, "held", { hash: "two", kind: "correction", replaces: 1 })]),
      next("cancelled", 3, 1, "held"),
    ],
  ])("%s", (_name, given, expected) => {
    expect(decideUnwanted(given)).toEqual(expected);
  });
});

describe("a status", () => {
  const stream = { kind: "status", corrections: "hold" } as const;

  it("is only remembered if it was set before the lane was switched on", () => {
    expect(decideWanted(known([], { stream }), "one", BEGIN - 1)).toEqual(next("status", 0, undefined, "seen"));
    const seen = known([version(0, "seen", { kind: "status" })], { stream });
    expect(decideWanted(seen, "one", AFTER)).toEqual(nothing);
    expect(decideWanted(seen, "two", AFTER)).toEqual(next("status", 1, undefined, "prepared"));
  });

  it("flows without a person, each change once", () => {
    const given = known([version(1, "delivered", { kind: "status" })], { stream });
    expect(decideWanted(given, "one", AFTER)).toEqual(nothing);
    expect(decideWanted(given, "two", AFTER)).toEqual(next("status", 2, 1, "prepared"));
    expect(decideUnwanted(given)).toEqual(nothing);
  });
});

it("returns the state of every record, however old", () => {
  const given = known([], { stream: { kind: "state", corrections: "hold" } });
  expect(decideWanted(given, "one", BEGIN - 1)).toEqual(next("state", 1, undefined, "prepared"));
});

it("a status or state that cannot be made is tried no more once its record is gone", () => {
  const stream = { kind: "status", corrections: "hold" } as const;
  const blocked = version(1, "blocked", { kind: "status", hash: "" });
  expect(decideUnwanted(known([blocked], { stream }))).toEqual(withdraw);
  expect(decideUnwanted(known([version(1, "delivered", { kind: "status" })], { stream }))).toEqual(nothing);
});
