import { describe, expect, it } from "vitest";
import { OOPS } from "../conformance/store-scene.ts";
import type { StoreChange } from "../../src/store/news.ts";
import { moveCursor, type StagedRow, type NewsRow } from "../../src/store/statements/intake.ts";
import { stageNews, type Staging } from "../../src/store/steps/staging.ts";
import { decide, NOW } from "./decided.ts";

const hashOf = (letter: string) => letter.repeat(32);
const upsert = (key: string, more: Partial<StoreChange> = {}): StoreChange => ({
  key,
  hash: hashOf("b"),
  deleted: false,
  row: { name: key },
  ...more,
});
const deleted = (key: string) => ({ key, hash: hashOf("d"), deleted: true });
const known: StagedRow = {
  id: 7,
  hash: hashOf("a"),
  state: "applied",
  sequence: 3,
  deleted: 0,
  due_at: null,
  backfill: 0,
  bound: 1,
};
const unknown = (at: number): NewsRow => ({ at, id: null });

/** What is staged of these rows, all of which differ from the store. */
function staged(news: readonly StoreChange[], rows: readonly Partial<StagedRow>[] = [], staging: Staging = {}) {
  const different = news.map((_, at) => (rows[at] === undefined ? unknown(at) : { ...known, ...rows[at], at }));
  const facts = { stream: [{ sequence: 40 }], last: [{ id: 90 }], different };
  return decide(stageNews("customers", news, staging, { now: NOW }), facts);
}

/** The state, the lane, the due time, and whether it is due again when its claim ends. */
function changedTo(row: Partial<StagedRow>, staging?: Staging): unknown {
  const [write = ""] = staged([upsert("1")], [row], staging).writes;
  const [, state, , , , lane, dueAt, again] = JSON.parse(write.replace("change_record ", ""));
  return { state, lane, dueAt, again };
}

describe("a batch of news", () => {
  it("adds what the store does not know by one statement, and drops deletions of it", () => {
    expect(staged([upsert("1"), deleted("2"), upsert("3")])).toMatchObject({
      writes: [
        `add_new_records ["customers",${JSON.stringify([`${hashOf("b")}1`, `${hashOf("b")}3`])},91,41,0,1000]`,
        `add_contents [91,${JSON.stringify('{"name":"1"}')}]`,
        `add_contents [92,${JSON.stringify('{"name":"3"}')}]`,
        'count_changes ["customers",42]',
      ],
      value: { changed: 2, unchanged: 0 },
      changed: ["/customers", "customers/1", "customers/2", "customers/3"],
    });
  });

  it("stores a stream with its first row, and only a cursor where nothing differs", () => {
    const moves = [moveCursor({ stream: "customers", cursor: "5", rows: 1, complete: 1, now: NOW })];
    const step = stageNews("customers", [upsert("1")], {}, { moves, now: NOW });
    expect(decide(step, {})).toMatchObject({
      writes: ['add_stream ["customers"]', 'move_cursor ["customers","5",1,1,1000]'],
      value: { changed: 0, unchanged: 1 },
    });
  });

  it("numbers changes before additions", () => {
    const { writes } = staged([upsert("1"), upsert("2")], [known]);
    expect(writes.map((write) => write.replace(/ .*/, ""))).toEqual([
      "change_record",
      "save_contents",
      "add_new_records",
      "add_contents",
      "count_changes",
    ]);
    expect(writes[0]).toContain(`"due","${hashOf("b")}",41,`);
    expect(writes[2]).toContain("],91,42,");
  });

  it.each<[string, Partial<StoreChange>]>([
    ["cannot be read", { hash: `unreadable: ${"x".repeat(20)}`, unreadable: OOPS }],
    ["has a key that a list of texts cannot hold", { key: "a\0b" }],
    ["has a key that is no text of UTF-8", { key: "a\ud800" }],
  ])("looks a row up by itself that %s", (_, more) => {
    const step = stageNews("customers", [upsert("1"), upsert("2", more)], {}, { now: NOW });
    const odd = [{ ...known, at: 1 }];
    const { writes, value } = decide(step, { stream: [{ sequence: 40 }], odd });
    expect(writes[0]).toMatch(/^change_record \[7,"due",/);
    expect(value).toEqual({ changed: 1, unchanged: 1 });
    expect(decide(step, { odd: [] }).writes).toContainEqual(expect.stringMatching(/^add_record \[1,"customers",/));
  });

  it("leaves records alone that changed after the rows were read", () => {
    expect(staged([upsert("1")], [{ sequence: 5 }], { since: 4 })).toMatchObject({
      writes: [],
      value: { changed: 0, unchanged: 1 },
    });
    expect(staged([upsert("1")], [{ sequence: 4 }], { since: 4 }).value).toEqual({ changed: 1, unchanged: 0 });
  });

  it("forgets the deletion of a record that is shown again", () => {
    expect(staged([upsert("1")], [{ deleted: 1 }]).writes).toContain("forget_deletion [7]");
    expect(staged([deleted("1")], [{ deleted: 1 }]).writes).not.toContain("forget_deletion [7]");
  });

  it.each<[string, Partial<StagedRow>, Staging, object]>([
    ["is due now", {}, {}, { state: "due", lane: 0, dueAt: NOW, again: 0 }],
    ["is due again when its claim ends", { state: "claimed", due_at: 9 }, {}, { state: "claimed", dueAt: 9, again: 1 }],
    ["that is due keeps its place", { state: "due", due_at: 9 }, {}, { state: "due", dueAt: 9 }],
    ["that is due later is due now", { state: "due", due_at: NOW + 9 }, {}, { dueAt: NOW }],
    ["of a first load waits for live changes", {}, { backfill: true }, { lane: 1 }],
    ["is never put behind live changes", { state: "due", due_at: 9 }, { backfill: true }, { lane: 0 }],
    ["is held while its round is not decided", {}, { guarded: true }, { lane: 2 }],
    ["is not held if it is not bound", { bound: 0 }, { guarded: true }, { lane: 0 }],
    ["stays held", { state: "due", due_at: 9, backfill: 3 }, {}, { lane: 3 }],
    ["that is held is undecided again", { state: "due", due_at: 9, backfill: 3 }, { guarded: true }, { lane: 4 }],
  ])("a record that changes %s", (_, row, staging, expected) => {
    expect(changedTo(row, staging)).toMatchObject(expected);
  });
});
