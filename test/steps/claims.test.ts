import { describe, expect, it } from "vitest";
import { claimRecord } from "../../src/store/steps/claim.ts";
import { reserveNames } from "../../src/store/steps/reservation.ts";
import { claim, decide, held, id, NOW, record } from "./decided.ts";

const alone = { dueBy: NOW, now: NOW, until: 61_000, secret: "4.s", mapping: undefined };
const replica = { ...alone, mapping: "m" };
const claimed = { ...record, state: "claimed", token: "7.3.other", due_at: NOW - 1 } as const;

describe("a claim", () => {
  it("takes a record that is due, with a token that begins with its number", () => {
    const { writes, value } = decide(claimRecord(id, alone), { record: [record] });
    expect(writes).toEqual(['take_record [7,"7.4.s",61000]']);
    expect(value).toMatchObject({ id, token: "7.4.s", sequence: 3, changedAt: 5 });
  });

  it.each<[string, object[]]>([
    ["is unknown", []],
    ["is due later", [{ ...record, due_at: NOW + 1 }]],
    ["is due at no time", [{ ...record, state: "waiting", due_at: null }]],
    ["is parked", [{ ...record, state: "parked" }]],
    ["is guarded", [{ ...record, backfill: 2 }]],
  ])("takes no record that %s", (_, found) => {
    const facts = { record: found.map((row) => ({ ...record, ...row })) };
    expect(decide(claimRecord(id, alone), facts)).toMatchObject({ writes: [], value: undefined });
  });

  it("takes a record whose lease ran out", () => {
    expect(decide(claimRecord(id, alone), { record: [claimed] }).writes).toEqual(['take_record [7,"7.4.s",61000]']);
  });

  it("of a replica frees what another replica held, so that its session ends, and leaves it for the next claim", () => {
    const facts = { record: [claimed], gate: [{ is_open: 1 }] };
    expect(decide(claimRecord(id, replica), facts)).toMatchObject({
      writes: [`free_lost_record [7,${NOW}]`],
      value: undefined,
    });
    const own = { ...facts, record: [{ ...claimed, token: "7.4.before" }] };
    expect(decide(claimRecord(id, replica), own).writes).toEqual(['take_record [7,"7.4.s",61000]']);
  });

  it("of a replica takes nothing while it may not", () => {
    expect(decide(claimRecord(id, replica), { record: [record], gate: [{ is_open: 0 }] }).writes).toEqual([]);
  });
});

describe("a reservation of names", () => {
  const step = reserveNames(claim, ["email=a", "name=A"]);

  it("replaces the one that the record had", () => {
    expect(decide(step, { held: [held] })).toMatchObject({
      writes: ["free_names [7]", 'reserve_name [7,"email=a"]', 'reserve_name [7,"name=A"]'],
      value: undefined,
      changed: ["customers/1", "name email=a", "name name=A"],
    });
  });

  it("reserves nothing if another record has the first name", () => {
    const owner = [{ stream: "customers", key: "2" }];
    expect(decide(step, { held: [held], owner })).toMatchObject({ writes: [], value: owner[0] });
  });

  it("is refused after the end of the claim", () => {
    expect(() => decide(step, { held: [{ ...held, token: null }] })).toThrow(
      expect.objectContaining({ code: "E_CLAIM_LOST" }),
    );
  });
});
