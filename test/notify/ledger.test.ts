import { describe, expect, it } from "vitest";
import { noticeStep } from "../../src/notify/ledger.ts";
import type { Condition } from "#notify";
import type { Notice, NoticeEvent } from "#store";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function condition(more: Partial<Condition> = {}): Condition {
  return {
    id: "failing/erp/E_SOURCE_UNREACHABLE",
    kind: "failing",
    severity: "warning",
    title: "erp: the polls of customers fail",
    affected: "customers",
    patienceMs: 15 * MINUTE,
    ...more,
  };
}

const parked = (id: string, count: number) =>
  condition({ id: `parked/${id}`, kind: "parked", severity: "problem", count });

/** Someone who looks, remembers and tells; `at` is in minutes. */
function watcher(remindMs = DAY) {
  let known: readonly Notice[] = [];
  return (at: number, ...conditions: Condition[]): NoticeEvent[] => {
    const step = noticeStep(known, conditions, at * MINUTE, { remindMs });
    const changed = new Map([...known, ...step.changed].map((notice) => [notice.id, notice]));
    for (const id of step.ended) changed.delete(id);
    // What a store keeps is text.
    known = JSON.parse(JSON.stringify([...changed.values()]));
    return [...step.events];
  };
}

const changes = (events: readonly NoticeEvent[]) => events.map(({ change, notice }) => [change, notice.id]);

describe("what is told of a condition", () => {
  it("is nothing where it heals within its patience", () => {
    const look = watcher();
    expect([...look(0, condition()), ...look(14, condition()), ...look(15), ...look(20)]).toEqual([]);
  });

  it("is its beginning once, its end once, and nothing between", () => {
    const look = watcher();
    look(0, condition());
    expect(changes(look(15, condition()))).toEqual([["begun", "failing/erp/E_SOURCE_UNREACHABLE"]]);
    for (let at = 16; at < 60; at++) expect(look(at, condition())).toEqual([]);
    expect(look(60)).toEqual([]);
    const ended = look(62);
    expect(ended).toMatchObject([{ change: "resolved", notice: { firstSeenAt: 0, goneAt: 60 * MINUTE } }]);
    expect(look(63)).toEqual([]);
  });

  it("comes in time after the clock was set back: the beginning, the reminder and the end", () => {
    const [look, reminded] = [watcher(), watcher(60 * MINUTE)];
    const hours = 5 * 60;
    look(hours, condition());
    expect(look(0, condition())).toEqual([]);
    expect(changes(look(15, condition()))).toEqual([["begun", "failing/erp/E_SOURCE_UNREACHABLE"]]);
    look(hours);
    expect(look(16)).toEqual([]);
    expect(look(18)).toMatchObject([{ change: "resolved" }]);

    reminded(hours, condition({ patienceMs: 0 }));
    expect(reminded(0, condition({ patienceMs: 0 }))).toEqual([]);
    expect(reminded(60, condition({ patienceMs: 0 }))).toMatchObject([{ change: "reminder" }]);
  });

  it("is one story where it flickers", () => {
    const look = watcher();
    look(0, condition());
    look(15, condition());
    expect([...look(16), ...look(17, condition()), ...look(18), ...look(19, condition())]).toEqual([]);
  });

  it("counts patience from the first time, also where it flickers before it was told", () => {
    const look = watcher();
    expect([...look(0, condition()), ...look(7), ...look(8, condition()), ...look(14)]).toEqual([]);
    expect(changes(look(15, condition()))).toEqual([["begun", "failing/erp/E_SOURCE_UNREACHABLE"]]);
  });

  it("is a reminder after each interval, and none where none are wanted", () => {
    const look = watcher(60 * MINUTE);
    const never = watcher(0);
    for (const watch of [look, never]) watch(0, condition());
    const told = [];
    for (let at = 15; at <= 15 + 180; at += 5) told.push(...look(at, condition()));
    expect(told.map(({ change, at }) => [change, at / MINUTE])).toEqual([
      ["begun", 15],
      ["reminder", 75],
      ["reminder", 135],
      ["reminder", 195],
    ]);
    expect([...never(15, condition()), ...never(100_000, condition())]).toHaveLength(1);
  });

  it("is worse where it needs a person now", () => {
    const look = watcher();
    look(0, condition());
    look(15, condition());
    expect(changes(look(16, condition({ severity: "problem" })))).toEqual([
      ["grown", "failing/erp/E_SOURCE_UNREACHABLE"],
    ]);
    expect(look(17, condition({ severity: "problem" }))).toEqual([]);
  });

  it("is nothing while it is snoozed, but its end is", () => {
    const look = watcher(60 * MINUTE);
    look(0, condition());
    look(15, condition());
    expect([...look(80, condition({ isSnoozed: true })), ...look(200, condition({ isSnoozed: true }))]).toEqual([]);
    look(201);
    expect(changes(look(203))).toEqual([["resolved", "failing/erp/E_SOURCE_UNREACHABLE"]]);
  });
});

describe("a storm of parked records", () => {
  it("is one digest of all causes once it calmed down", () => {
    const look = watcher();
    const told: NoticeEvent[][] = [];
    // 50,000 records of 20 causes within eight minutes, each cause joining later than the one before.
    for (let minute = 0; minute <= 8; minute += 0.25) {
      const present = Array.from({ length: 20 }, (_, at) => at).filter((at) => at * 0.4 <= minute);
      told.push(look(minute, ...present.map((at) => parked(`cause-${at}`, Math.ceil((minute / 8) * 2_500) + 1))));
    }
    const whole = Array.from({ length: 20 }, (_, at) => parked(`cause-${at}`, 2_501));
    for (let minute = 8.25; minute <= 60; minute += 0.25) told.push(look(minute, ...whole));
    const messages = told.filter((events) => events.length > 0);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toHaveLength(20);
    expect(messages[0]!.reduce((sum, { notice }) => sum + (notice.count ?? 0), 0)).toBeGreaterThanOrEqual(50_000);
  });

  it("is told after ten minutes where it does not calm down, and again when it has grown tenfold", () => {
    const look = watcher();
    const told: [number, string, number | undefined][] = [];
    for (let minute = 0; minute <= 400; minute++)
      for (const { change, notice } of look(minute, parked("one", 10 * (minute + 1))))
        told.push([minute, change, notice.count]);
    expect(told).toEqual([
      [10, "begun", 110],
      [109, "grown", 1_100],
    ]);
  });

  it("is gathered also while another cause is snoozed that was never told", () => {
    const look = watcher();
    const snoozed = { ...parked("snoozed", 3), isSnoozed: true };
    for (let minute = 0; minute <= 20; minute++) look(minute, snoozed);
    const told: NoticeEvent[][] = [];
    for (let minute = 20; minute <= 40; minute += 0.25) {
      const storm = Array.from({ length: 5 }, (_, at) => parked(`cause-${at}`, 1));
      told.push(look(minute, snoozed, ...storm.slice(0, Math.ceil((minute - 20) * 2))));
    }
    expect(told.filter((events) => events.length > 0).map(changes)).toEqual([
      Array.from({ length: 5 }, (_, at) => ["begun", `parked/cause-${at}`]),
    ]);
  });

  it("tells a new cause soon after an old one that was told long ago", () => {
    const look = watcher(0);
    look(0, parked("old", 3));
    expect(changes(look(1, parked("old", 3)))).toEqual([["begun", "parked/old"]]);
    look(3_000, parked("old", 3), parked("new", 40));
    expect(changes(look(3_001, parked("old", 3), parked("new", 40)))).toEqual([["begun", "parked/new"]]);
  });
});
