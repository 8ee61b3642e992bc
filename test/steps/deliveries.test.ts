import { describe, expect, it } from "vitest";
import { OOPS } from "../conformance/store-scene.ts";
import type { Applied, Ending } from "#store";
import { WOKEN_AT_ONCE } from "../../src/store/statements/parents.ts";
import { unbindRecord } from "../../src/store/steps/binding.ts";
import { announceDeletionStep } from "../../src/store/steps/deletion.ts";
import { endClaim } from "../../src/store/steps/ending.ts";
import { beginCreate, markInFlight, noteCreate } from "../../src/store/steps/journal.ts";
import { bound, child, claim, decide, held, id, NOW, parent } from "./decided.ts";

const error = JSON.stringify(OOPS);
const binding = { resource: "customers", serviceId: 11 };
const applied = { projection: { name: "A" }, outcome: "created", parents: [] } as const;
const group = { stream: "groups", key: "2" };
const parentRow = { ...group, state: "applied", service_id: 5 } as const;
const lost = { family: "retry", code: "E_CLAIM_LOST" };
const refused = { family: "park", code: "E_STORE_STATE" };

const many = (count: number) => Array.from({ length: count }, (_, number) => child(100 + number));
const end = (ending: Ending, of = claim) => endClaim(of, ending, NOW);
const bind = (to: Applied = applied, of = claim) => end({ kind: "bind", binding, applied: to }, of);
const apply = (to: Applied = applied) => end({ kind: "apply", applied: to });

/** What ends a claim: the state, the due time, attempts, error, and whether an answer was carried out. */
const ended = (...of: readonly (string | number | null)[]) => `end_claim ${JSON.stringify([7, ...of])}`;
const freed = "free_names [7]";

describe("the journal", () => {
  it("opens a create and counts it", () => {
    const step = beginCreate(claim, { resource: "customers", projection: { name: "A" } }, NOW);
    expect(decide(step, { held: [held] })).toMatchObject({
      writes: [`open_intent [7,"customers",${JSON.stringify('{"name":"A"}')},1000]`, 'count_up ["creates"]'],
      value: 5,
    });
  });

  it("refuses a create of a bound record, and a second one", () => {
    const step = beginCreate(claim, { resource: "customers", projection: {} }, NOW);
    expect(() => decide(step, { held: [bound] })).toThrow(expect.objectContaining(refused));
    expect(() => decide(step, { held: [{ ...held, begun: 1 }] })).toThrow(expect.objectContaining(refused));
  });

  it("refuses every step of a claim that another one replaced", () => {
    const others = { held: [{ ...held, token: "7.0.other" }] };
    expect(() => decide(noteCreate(claim, "notFound"), others)).toThrow(expect.objectContaining(lost));
    expect(() => decide(noteCreate(claim, "notFound"), {})).toThrow(expect.objectContaining(lost));
  });

  it.each([
    ["ends", noteCreate(claim, "absent"), "end_intent [7]"],
    ["answers", noteCreate(claim, "answered"), "answer_intent [7]"],
    ["looks for", noteCreate(claim, "notFound"), "count_look [7]"],
  ])("%s an open create, and refuses that without one", (_, step, write) => {
    expect(decide(step, { held: [{ ...held, begun: 1 }] }).writes).toEqual([write]);
    expect(() => decide(step, { held: [held] })).toThrow(expect.objectContaining(refused));
  });

  it("marks what is in flight on a bound record only", () => {
    const step = markInFlight(claim, { kind: "deletion", fields: {}, request: "r" });
    const doubts = JSON.stringify('{"(deletion)":true,"(request)":"r"}');
    expect(decide(step, { held: [bound] })).toMatchObject({
      writes: [`mark_written [7,${doubts}]`, 'count_up ["writes"]'],
      value: 5,
    });
    expect(() => decide(step, { held: [held] })).toThrow(expect.objectContaining(refused));
  });
});

describe("the end of a claim", () => {
  it("counts an attempt that is tried again", () => {
    const step = end({ kind: "retry", error: OOPS, dueAt: 2_000 });
    expect(decide(step, { held: [held] }).writes).toEqual([ended("due", 2_000, 3, error, 0), freed]);
  });

  it("keeps the latest attempts of a record in its history", () => {
    const audit = { action: "attempt", resource: "customers", outcome: "failed" } as const;
    const { writes } = decide(end({ kind: "retry", error: OOPS, dueAt: 2_000, audit }), { held: [held] });
    expect(writes.slice(0, 2)).toEqual([
      expect.stringMatching(/^add_entry \[1000,"customers","1","attempt"/),
      'drop_old_attempts ["customers","1"]',
    ]);
  });

  it("makes the record due at once, without attempts and error, if something happened during the claim", () => {
    const again = { held: [{ ...held, again: 1 }] };
    const now = [ended("due", NOW, 0, null, 0), freed];
    expect(decide(end({ kind: "release" }), again).writes).toEqual(now);
    expect(decide(end({ kind: "park", error: OOPS }), again).writes).toEqual(now);
    expect(decide(end({ kind: "wait", error: OOPS }), again).writes.slice(1)).toEqual(now);
  });

  it("keeps reserved names while a create is open", () => {
    const begun = { held: [{ ...held, begun: 1 }] };
    expect(decide(end({ kind: "uncertain", error: OOPS }), begun).writes).toEqual([
      ended("uncertain", null, 2, error, 0),
    ]);
    expect(() => decide(end({ kind: "uncertain", error: OOPS }), { held: [held] })).toThrow(
      expect.objectContaining(refused),
    );
  });

  it("waits for parents that are not bound", () => {
    const step = end({ kind: "wait", error: OOPS, parents: [group, group], dueAt: 9_000 });
    expect(decide(step, { held: [held], parents: [{ ...parentRow, service_id: null }] }).writes).toEqual([
      "forget_waits [7]",
      'add_wait [7,"groups","2"]',
      ended("waiting", 9_000, 2, error, 0),
      freed,
    ]);
  });

  it.each([
    ["a parent is bound already", { parents: [parentRow] }],
    ["an optional parent was deleted", { optional: [{ ...parentRow, state: "deleted" as const }] }],
    ["an optional parent is skipped", { optional: [{ ...parentRow, state: "skipped" as const }] }],
  ])("does not wait if %s", (_, facts) => {
    const step = end({ kind: "wait", error: OOPS, parents: [group], optional: [group] });
    expect(decide(step, { held: [held], ...facts }).writes).toContain(ended("due", NOW, 2, null, 0));
  });

  it("skips a record, and wakes the children that wait for it", () => {
    const step = end({ kind: "skip", reason: "no" });
    const facts = { held: [held], waiting: [child(21), child(22, "claimed"), child(23)] };
    expect(decide(step, facts)).toMatchObject({
      writes: [
        "forget_deletion [7]",
        ended("skipped", null, 0, '{"code":"E_SKIPPED","message":"no","details":{}}', 1),
        freed,
        "wake_record [21,1000]",
        "wake_record [23,1000]",
        "forget_waits [21]",
        "forget_waits [23]",
      ],
      value: { isMore: false },
      changed: ["customers/1", "contacts/21", "contacts/22", "contacts/23"],
    });
  });

  it("notes the children that one step does not wake", () => {
    const { writes, value } = decide(end({ kind: "skip", reason: "no" }), {
      held: [held],
      waiting: many(WOKEN_AT_ONCE),
    });
    expect(writes.at(-1)).toBe(`save_note ["waking.waits.7","${99 + WOKEN_AT_ONCE}"]`);
    expect(value.isMore).toBe(true);
  });

  it("notes the others where the record itself is among the first children", () => {
    const carrying = [
      { id: 7, ...id, state: "claimed" as const },
      ...many(WOKEN_AT_ONCE - 1).map(({ id: of }) => child(of, "applied")),
    ];
    const { writes, value } = decide(bind({ ...applied, parents: [id] }), { held: [held], carrying });
    expect(writes).toContain(`save_note ["waking.parents.7","${98 + WOKEN_AT_ONCE}"]`);
    expect(value.isMore).toBe(true);
  });
});

describe("a binding", () => {
  it("is saved with what was written, ends the create, and wakes the children", () => {
    const step = bind({ ...applied, keys: { name: "a" } });
    const facts = {
      held: [{ ...held, begun: 1 }],
      waiting: [child(21)],
      carrying: [child(31, "applied"), child(32, "claimed")],
    };
    expect(decide(step, facts)).toMatchObject({
      writes: [
        'save_binding [7,"customers",11]',
        "end_intent [7]",
        `save_written [7,${JSON.stringify('{"name":"A"}')},3,null]`,
        'save_match ["customers",11]',
        'forget_match_keys ["customers",11]',
        'add_match_key ["customers",11,"name","a"]',
        "forget_deletion [7]",
        ended("applied", null, 0, null, 1),
        freed,
        "wake_record [21,1000]",
        "forget_waits [21]",
        "wake_record [31,1000]",
        "forget_waits [31]",
        "wake_later [32]",
      ],
      value: {
        woken: [
          { stream: "contacts", key: "21" },
          { stream: "contacts", key: "31" },
        ],
        isMore: false,
      },
      changed: ["customers/1", "customers 11", "contacts/21", "contacts/31", "contacts/32"],
    });
  });

  it("to the same service id wakes no child that carries it", () => {
    const owner = [{ id: 7, ...id }];
    const { writes } = decide(bind(), {
      held: [bound],
      owner,
      carrying: [child(31, "applied")],
    });
    expect(writes.filter((write) => /^(save_binding|wake)/.test(write))).toEqual([]);
  });

  it("is refused if another record has the service id", () => {
    const owner = [{ id: 8, stream: "customers", key: "2" }];
    expect(() => decide(bind(), { held: [held], owner })).toThrow(
      expect.objectContaining({
        code: "E_ALREADY_BOUND",
        details: expect.objectContaining({ boundTo: "customers/2" }),
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])("to %s is refused", (serviceId) => {
    expect(() => end({ kind: "bind", binding: { ...binding, serviceId }, applied })).toThrow(
      expect.objectContaining({ code: "E_STORE_VALUE" }),
    );
  });

  it("of a record that the ERP deleted makes it due for its deletion", () => {
    const facts = { held: [{ ...held, deleted: 1 }] };
    expect(decide(bind(applied, { ...claim, deleted: true }), facts).writes).toContain(ended("due", NOW, 0, null, 1));
  });

  it("of a bound record with an open create cannot be applied instead", () => {
    const step = apply();
    expect(() => decide(step, { held: [held] })).toThrow(expect.objectContaining(refused));
    expect(() => decide(step, { held: [{ ...bound, begun: 1 }] })).toThrow(expect.objectContaining(refused));
  });
});

describe("what was written", () => {
  it.each<[string, number | null | undefined, readonly object[], boolean]>([
    ["carries the id that its parent has", 5, [parentRow], false],
    ["carries an id that its parent no longer has", 4, [parentRow], true],
    ["carries no id, and the parent has one", null, [parentRow], true],
    ["carries no id, as the parent has none", null, [], false],
    ["does not tell the id", undefined, [], false],
  ])("makes the record due again only if it is outdated: it %s", (_, serviceId, rows, isDue) => {
    const parents = [{ ...group, ...(serviceId === undefined ? {} : { serviceId }) }];
    const facts = { held: [bound], parents: rows.map((row) => ({ ...parentRow, ...row })) };
    const { writes } = decide(apply({ ...applied, parents }), facts);
    expect(writes).toContain('add_parent [7,"groups","2"]');
    expect(writes).toContain(isDue ? ended("due", NOW, 0, null, 1) : ended("applied", null, 0, null, 1));
  });

  it("makes a parent due that loses its last child, now or when its claim ends", () => {
    const former = [
      parent(2),
      parent(3),
      parent(4, { state: "claimed" }),
      parent(5, { others: 1 }),
      parent(6, { state: "due" }),
    ];
    const { writes, changed } = decide(apply({ ...applied, parents: [group] }), {
      held: [bound],
      former,
    });
    expect(writes.slice(-3)).toEqual(["wake_record [3,1000]", "forget_waits [3]", "wake_later [4]"]);
    // Also the one with another child, which another step may take meanwhile.
    expect(changed).toEqual(["customers/1", "groups/3", "groups/4", "groups/5", "groups/6"]);
  });

  it("leaves the parents alone that stay the same", () => {
    const step = apply({ ...applied, parents: [group] });
    const { writes, changed } = decide(step, { held: [bound], former: [parent(2)] });
    expect(writes.filter((write) => /parent|wake/.test(write))).toEqual([]);
    expect(changed).toEqual(["customers/1"]);
    expect(step.uses).toEqual([group]);
  });
});

const told = (others: number, behind = 0) => [{ told_at: 900, others, behind }];

describe("a deletion", () => {
  it("ends the binding if the service's record is gone, and wakes parents and children", () => {
    const facts = { held: [bound], former: [parent(3)], waiting: [child(21)] };
    expect(decide(end({ kind: "remove", unbind: true }), facts).writes).toEqual([
      "end_deletion [7]",
      'forget_match_keys ["customers",11]',
      'forget_match ["customers",11]',
      "end_binding [7]",
      "forget_written [7]",
      "forget_parents [7]",
      ended("deleted", null, 0, null, 1),
      freed,
      "wake_record [3,1000]",
      "forget_waits [3]",
      "wake_record [21,1000]",
      "forget_waits [21]",
    ]);
  });

  it("keeps the binding of a record that may come back, with what is in doubt", () => {
    const removal = {
      kind: "remove",
      unbind: false,
      applied: { a: 1 },
      inFlight: { kind: "update", fields: { a: 1 } },
    } as const;
    const { writes } = decide(end(removal), { held: [bound], former: [parent(3)] });
    expect(writes).toEqual([
      "end_deletion [7]",
      `save_written [7,${JSON.stringify('{"a":1}')},3,${JSON.stringify('{"a":1}')}]`,
      ended("deleted", null, 0, null, 1),
      freed,
      "wake_record [3,1000]",
      "forget_waits [3]",
    ]);
  });

  it("of a record that changed meanwhile leaves it a child of its parents while it is bound", () => {
    const facts = { held: [{ ...bound, again: 1 }], former: [parent(3)] };
    expect(decide(end({ kind: "remove", unbind: false }), facts).writes).not.toContain("wake_record [3,1000]");
    expect(decide(end({ kind: "remove", unbind: true }), facts).writes).toContain("wake_record [3,1000]");
  });

  it("counts itself among those that are announced, up to the limit", () => {
    const query = { since: 0, confirmedAt: 0, limit: 3 };
    const step = announceDeletionStep(claim, query, NOW);
    expect(decide(step, { held: [held], told: told(1) })).toMatchObject({
      writes: ['announce_deletion [7,"customers",1000]'],
      value: { toldAt: 900, count: 2, isCounted: true },
      changed: ["customers/1", "deletions of customers"],
    });
    expect(decide(step, { held: [held], told: told(3, 1) }).value).toMatchObject({ count: 3, isCounted: false });
    const confirmed = announceDeletionStep(claim, { ...query, confirmedAt: 900 }, NOW);
    expect(decide(confirmed, { held: [held], told: told(0) }).value).toEqual({
      toldAt: 900,
      count: 0,
      isCounted: true,
    });
  });

  it("of the binding alone keeps the claim", () => {
    const audit = { action: "settle", resource: "customers", outcome: "gone" } as const;
    expect(decide(unbindRecord(claim, audit, NOW), { held: [bound], former: [parent(3)] }).writes).toEqual([
      'forget_match_keys ["customers",11]',
      'forget_match ["customers",11]',
      "end_binding [7]",
      "forget_written [7]",
      "forget_parents [7]",
      "wake_record [3,1000]",
      "forget_waits [3]",
      expect.stringMatching(/^add_entry /),
    ]);
    expect(() => decide(unbindRecord(claim, audit, NOW), { held: [held] })).toThrow(expect.objectContaining(refused));
  });
});
