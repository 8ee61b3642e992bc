import { describe, expect, it } from "vitest";
import { answer } from "../../src/store/steps/answer.ts";
import { forgetRecord } from "../../src/store/steps/forget.ts";
import { recheckRecord } from "../../src/store/steps/recheck.ts";
import { child, decide, id, NOW, parent, record } from "./decided.ts";

const by = { name: "Ann", via: "page" } as const;
const binding = { resource: "customers", serviceId: 11 };
const bound = { ...record, state: "applied" as const, due_at: null, bound_resource: "customers", service_id: 11 };
const parked = {
  ...record,
  state: "parked" as const,
  due_at: null,
  error: '{"code":"E_INTERNAL","message":"no","details":{}}',
};
const gone = { ...bound, state: "parked" as const, error: '{"code":"E_RECORD_GONE","message":"gone","details":{}}' };
const unresolvable = { family: "park", code: "E_NOT_RESOLVABLE" };
const entry = expect.stringMatching(/^add_entry .*"Ann","page",null\]$/);

/** The record's next state, due time, error and decision. */
const answered = (...of: readonly (string | number | null)[]) => `answer_record ${JSON.stringify([7, ...of])}`;

describe("a person's answer", () => {
  it("binds a parked record to another id, which ends its create and wakes the children", () => {
    const facts = { record: [parked], waiting: [child(21)], carrying: [child(31, "applied")] };
    expect(decide(answer(id, { kind: "bind", binding }, by, NOW), facts)).toMatchObject({
      writes: [
        "end_intent [7]",
        'save_binding [7,"customers",11]',
        "forget_written [7]",
        "wake_record [21,1000]",
        "forget_waits [21]",
        "wake_record [31,1000]",
        "forget_waits [31]",
        entry,
        answered("due", NOW, null, null),
        "forget_waits [7]",
      ],
      value: false,
      changed: ["customers/1", "customers 11", "contacts/21", "contacts/31"],
    });
  });

  it("to bind what is bound to the id already keeps what was written", () => {
    const facts = {
      record: [{ ...bound, state: "parked" as const }],
      owner: [{ id: 7, ...id }],
      carrying: [child(31, "applied")],
    };
    const { writes } = decide(answer(id, { kind: "bind", binding }, by, NOW), facts);
    expect(writes.filter((write) => /^(save_binding|forget_written|wake)/.test(write))).toEqual([]);
  });

  it("to bind is refused if the id is another record's, or none", () => {
    const facts = { record: [parked], owner: [{ id: 8, stream: "customers", key: "2" }] };
    expect(() => decide(answer(id, { kind: "bind", binding }, by, NOW), facts)).toThrow(
      expect.objectContaining({ code: "E_ALREADY_BOUND" }),
    );
    expect(() => answer(id, { kind: "bind", binding: { ...binding, serviceId: 0 } }, by, NOW)).toThrow(
      expect.objectContaining({ code: "E_STORE_VALUE" }),
    );
  });

  it("to create lets the next delivery create, and is refused where that would make a duplicate", () => {
    const step = answer(id, { kind: "create" }, by, NOW);
    expect(decide(step, { record: [parked] }).writes).toEqual([
      "end_intent [7]",
      entry,
      answered("due", NOW, null, "create"),
      "forget_waits [7]",
    ]);
    const isBound = { record: [{ ...bound, state: "parked" as const }] };
    expect(() => decide(step, isBound)).toThrow(expect.objectContaining(unresolvable));
  });

  it("to create what is gone from the service ends its binding first", () => {
    const facts = { record: [gone], former: [parent(3)] };
    expect(decide(answer(id, { kind: "create" }, by, NOW), facts).writes).toEqual([
      "end_intent [7]",
      "forget_deletion [7]",
      "end_binding [7]",
      "forget_written [7]",
      "forget_parents [7]",
      "wake_record [3,1000]",
      "forget_waits [3]",
      entry,
      answered("due", NOW, null, "create"),
      "forget_waits [7]",
    ]);
  });

  it("to skip keeps an open create, of which the result is looked for later", () => {
    const facts = {
      record: [{ ...parked, intent_resource: "customers", decision: "unbound" as const }],
      waiting: [child(21)],
    };
    const { writes } = decide(answer(id, { kind: "skip" }, by, NOW), facts);
    expect(writes).not.toContain("end_intent [7]");
    expect(writes).toEqual([
      "forget_deletion [7]",
      "wake_record [21,1000]",
      "forget_waits [21]",
      entry,
      expect.stringMatching(/^answer_record \[7,"skipped",null,".*E_SKIPPED.*","unbound"\]$/),
      "forget_waits [7]",
    ]);
  });

  it("to unbind leaves the record unbound until the next answer, and is refused where nothing is bound", () => {
    const step = answer(id, { kind: "unbind" }, by, NOW);
    expect(decide(step, { record: [bound] }).writes).toContain(answered("due", NOW, null, "unbound"));
    expect(() => decide(step, { record: [parked] })).toThrow(expect.objectContaining(unresolvable));
    const claimed = { ...bound, state: "claimed" as const, token: "7.0.secret", due_at: NOW };
    expect(() => decide(step, { record: [claimed] })).toThrow(expect.objectContaining(unresolvable));
  });

  it("is refused about a record that is settled, or not known", () => {
    const step = answer(id, { kind: "skip" }, by, NOW);
    expect(() => decide(step, { record: [bound] })).toThrow(expect.objectContaining(unresolvable));
    expect(() => decide(step, {})).toThrow(expect.objectContaining({ code: "E_RECORD_UNKNOWN" }));
  });
});

describe("a difference that a comparison found", () => {
  const doubts = `mark_written [7,${JSON.stringify('{"name":"B","(drift)":true}')}]`;
  const found = { fields: { name: "B" }, audit: undefined, anyState: false };
  const any = { ...found, anyState: true };

  it("puts the fields of a settled record in doubt, and makes it due behind live changes", () => {
    expect(decide(recheckRecord(id, found, NOW), { record: [bound] })).toMatchObject({
      writes: [doubts, "repair_record [7,1000]"],
      value: true,
    });
  });

  it("changes nothing about a record that is not bound, not known, or held up", () => {
    const none = { writes: [], value: false };
    expect(decide(recheckRecord(id, any, NOW), { record: [parked] })).toMatchObject(none);
    expect(decide(recheckRecord(id, found, NOW), {})).toMatchObject(none);
    expect(decide(recheckRecord(id, found, NOW), { record: [gone] })).toMatchObject(none);
  });

  it("is sent with the next write of a record that keeps its state", () => {
    expect(decide(recheckRecord(id, any, NOW), { record: [gone] })).toMatchObject({ writes: [doubts], value: true });
  });

  it("changes nothing while a request may be in flight, or a delivery holds the record", () => {
    const none = { writes: [], value: false };
    expect(decide(recheckRecord(id, any, NOW), { record: [{ ...gone, doubts: '{"name":"A"}' }] })).toMatchObject(none);
    const drift = { ...gone, doubts: '{"(drift)":true,"name":"A"}' };
    expect(decide(recheckRecord(id, any, NOW), { record: [drift] }).value).toBe(true);
    const claimed = { ...bound, state: "claimed" as const, token: "7.0.secret", due_at: NOW };
    expect(decide(recheckRecord(id, any, NOW), { record: [claimed] })).toMatchObject(none);
  });
});

describe("a record that is forgotten", () => {
  const step = forgetRecord(id, by, NOW);

  it("is left out, without its contents, keys and history, and its children are woken", () => {
    const { writes, value } = decide(step, { record: [bound], waiting: [child(21)] });
    const of = '[7,"customers","1"]';
    expect(writes).toEqual([
      ...["row", "audit", "attempts", "exchanges", "watches", "notices", "notice_events"].map(
        (what) => `erase_${what} ${of}`,
      ),
      "forget_written [7]",
      'forget_match_keys ["customers",11]',
      "wake_record [21,1000]",
      "forget_waits [21]",
      expect.stringMatching(/^forget_contents \[7,"skipped","forgotten",".*E_SKIPPED/),
      "forget_waits [7]",
      entry,
    ]);
    expect(value).toBe(false);
  });

  it("stays deleted if it was, and is not shown as left out", () => {
    const deleted = { ...record, state: "deleted" as const, due_at: null, deleted: 1 };
    expect(decide(step, { record: [deleted] }).writes).toContainEqual(
      expect.stringMatching(/^forget_contents \[7,"deleted","forgotten",null,/),
    );
  });

  it.each([
    ["a change is still to be delivered", record],
    ["it is being delivered", { ...bound, state: "claimed" as const, token: "7.0.secret", due_at: NOW }],
    ["a create is open", { ...parked, intent_resource: "customers" }],
    ["the end of an update is not known", { ...bound, doubts: '{"name":"A"}' }],
    ["its deletion is parked", { ...gone, deleted: 1 }],
  ])("is refused while %s", (_, found) => {
    expect(() => decide(step, { record: [found] })).toThrow(expect.objectContaining({ code: "E_NOT_FORGETTABLE" }));
  });

  it("is not refused for a difference that was only found", () => {
    expect(() => decide(step, { record: [{ ...bound, doubts: '{"(drift)":true,"name":"A"}' }] })).not.toThrow();
  });

  it("is refused if it is not known", () => {
    expect(() => decide(step, {})).toThrow(expect.objectContaining({ code: "E_RECORD_UNKNOWN" }));
  });
});
