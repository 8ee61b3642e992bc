import { describe, expect, it } from "vitest";
import { StopError } from "#model";
import { load } from "../sample.ts";
import { fileReturning, REPORT } from "./sample.ts";

function problemsOf(words: Record<string, unknown>, base?: Record<string, unknown>): string[] {
  try {
    load(fileReturning(words, base));
  } catch (error) {
    if (error instanceof StopError && error.code === "E_SYNC_FILE")
      return error.message.split("\n").map((line) => line.replace(/^\S+ returns\.it\.?/, ""));
    throw error;
  }
  return [];
}

function fields(words: Record<string, unknown>): Record<string, unknown> {
  return { fields: { order_no: "erpReferenceNumber", ...words } };
}

function line(words: Record<string, unknown>): Record<string, unknown> {
  return { lines: [{ each: "tasks.workLogs", kind: "time", ...words }] };
}

const STATUS = {
  resource: "ticket",
  to: { source: "erp", table: "svcsync.returns" },
  fields: { ticket_no: { keyOf: "it", id: "id" } },
};
const STATE = { state: "customers", to: { source: "erp", table: "svcsync.states" } };

describe("the problems of returns", () => {
  it("are none for the words of the design", () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({}, STATUS)).toEqual([]);
    expect(problemsOf({}, STATE)).toEqual([]);
    expect(problemsOf({ to: { source: "erp", folder: "out" }, answers: { within: "2d" } })).toEqual([]);
    expect(problemsOf({ lines: [] })).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a misspelt word", { fiedls: {} }, 'fiedls: found the unknown word "fiedls", did you mean "fields"?'],
    ["no fields", { fields: {} }, "fields: found no fields, expected at least one, e.g. order_no: erpReferenceNumber"],
    [
      "everything",
      { fields: "*" },
      'fields: found "*", expected each column with its field: only what is listed leaves the service, because names and signatures are personal data',
    ],
    [
      "everything in one column",
      fields({ all: "*" }),
      'fields.all: found "*", expected each column with its field: only what is listed leaves the service, because names and signatures are personal data',
    ],
    [
      "everything by an expression",
      fields({ all: { expr: "$string(*)" } }),
      "fields.all.expr: found *, which takes all fields, so svcsync cannot tell which fields it reads; expected fields by their names, such as customer or task.serviceType",
    ],
    [
      "the whole record",
      fields({ all: { expr: "$lookup($, 'worker')" } }),
      "fields.all.expr: found $, which is the whole record, so svcsync cannot tell which fields it reads; expected fields by their names, such as customer or task.serviceType",
    ],
    [
      "a condition in brackets",
      fields({ n: { expr: "$count(tags[color = 'red'])" } }),
      "fields.n.expr: found a condition in brackets behind a field, so svcsync cannot tell which fields it reads; expected fields by their names, such as customer or task.serviceType",
    ],
    [
      "members of what an expression makes",
      fields({ n: { expr: "$map(tasks, function($t) { $t.name })" } }),
      "fields.n.expr: found a path that is more than names, so svcsync cannot tell which fields it reads; expected fields by their names, such as customer or task.serviceType",
    ],
    [
      "a column that every inbox has",
      fields({ Stream: "x" }),
      'fields.Stream: found "Stream", expected another name: the inbox has a column of this name in any case',
    ],
    [
      "a column with a blank",
      fields({ "order no": "x" }),
      'fields.order no: found "order no", expected a column\'s name: letters, digits and _, beginning with a letter, at most 60 characters',
    ],
    [
      "two columns that differ in case alone",
      fields({ ORDER_NO: "x" }),
      'fields.ORDER_NO: found both "order_no" and "ORDER_NO", expected names that differ in more than case',
    ],
    [
      "a list as a constant",
      fields({ n: { const: [1] } }),
      "fields.n.const: found a list, expected text, a number, true, false or null",
    ],
    [
      "an unknown stream of keys",
      fields({ customer_no: { keyOf: "customer", id: "customer" } }),
      'fields.customer_no.keyOf: found the unknown stream "customer", did you mean "customers"?',
    ],
    [
      "a stream of another resource",
      fields({ customer_no: { keyOf: "it", id: "customer" } }),
      "fields.customer_no.keyOf: found it, a stream of ticket, but customer is the id of a record of customer; expected a stream of customer",
    ],
    [
      "an unknown resource of names",
      fields({ state: { nameOf: "ticketStatsu", id: "x" } }),
      'fields.state.nameOf: found the unknown resource "ticketStatsu", did you mean "ticketStatus"?',
    ],
    [
      "a list that is no list of a report",
      line({ each: "tasks.worklogs" }),
      'lines[0].each: found "tasks.worklogs", expected one of tasks, tasks.workLogs, tasks.materials, tasks.planningTimes, travelLogs, did you mean "tasks.workLogs"?',
    ],
    [
      "a kind twice",
      { lines: [...REPORT.lines.slice(1), { each: "tasks", kind: "travel" }] },
      'lines[2].kind: found "travel" a second time, expected a kind of its own for each list',
    ],
    [
      "too many digits",
      line({ amount: { from: "time", round: 5 } }),
      "lines[0].amount.round: found 5, expected at most 4",
    ],
    [
      "a remainder without rounding",
      line({ amount: { from: "time", remainder: "last" } }),
      "lines[0].amount.remainder: found remainder without round, expected round too",
    ],
    [
      "a whole record around a line",
      line({ fields: { n: { expr: "$string(task)" } } }),
      "lines[0].fields.n.expr: found task, a whole record; expected a field of it, such as task.id",
    ],
    [
      "a column of lines that every inbox has",
      line({ fields: { amount: "time" } }),
      'lines[0].fields.amount: found "amount", expected another name: the inbox has a column of this name in any case',
    ],
    [
      "a list that no lines read",
      { ...fields({ n: { expr: "$count(tasks.materials)" } }), ...line({}) },
      "fields.n.expr: found tasks.materials, which no lines read; expected lines with each: tasks.materials",
    ],
    [
      "no lines",
      { lines: undefined },
      'then: found "then" without lines, expected lines (an empty list for reports without lines): it goes with reports',
    ],
    [
      "lines of a ticket",
      { resource: "ticket" },
      "resource: found ticket beside lines, expected svcDocument: only service records have lines",
    ],
    [
      "a comparison that an absent field breaks",
      { when: "approved and canceled != true" },
      "when: found != true or != false, which is never true where the field is empty; expected $not(… = true), as in approved and billable and $not(canceled = true)",
    ],
    [
      "a time without an offset",
      { begin: "2026-12-01T00:00:00" },
      'begin: found "2026-12-01T00:00:00", expected a day such as 2026-12-01 (it begins at 00:00 UTC), or a time with its offset such as 2026-12-01T00:00:00+01:00',
    ],
    [
      "a day that does not exist",
      { begin: "2026-02-30" },
      'begin: found "2026-02-30", expected a day such as 2026-12-01 (it begins at 00:00 UTC), or a time with its offset such as 2026-12-01T00:00:00+01:00',
    ],
    [
      "an unknown source",
      { to: { source: "erb", table: "t", lines: "l" } },
      'to.source: found the unknown source "erb", did you mean "erp"?',
    ],
    [
      "a table that is no name",
      { to: { source: "erp", table: "t; drop table t", lines: "l" } },
      'to.table: found "t; drop table t", expected a table\'s name, perhaps behind its schema: svcsync.returns',
    ],
    [
      "no table for the lines",
      { to: { source: "erp", table: "t" } },
      "to: found no table for the lines, expected lines: svcsync.return_lines",
    ],
    [
      "answers in a folder beside a table",
      { answers: { folder: "answers" } },
      "answers.folder: found a folder beside a table, expected table: svcsync.answers",
    ],
    [
      "no table of answers",
      { answers: { within: "1h" } },
      "answers: found no table, expected the table of the answers, e.g. table: svcsync.answers",
    ],
    [
      "a consequence of answers that nobody gives",
      { answers: undefined },
      "then: found then without answers, expected answers: the document's number comes from the ERP's answer",
    ],
    [
      "a policy that does not exist",
      { corrections: "sent" },
      'corrections: found "sent", expected one of hold, send, did you mean "send"?',
    ],
    ["a guard of none", { guard: 0 }, "guard: found 0, expected at least 1"],
  ])("%s", (_what, words, told) => {
    expect(problemsOf(words)).toContain(told);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    [
      "an unknown stream",
      { state: "custmers" },
      STATE,
      'state: found the unknown stream "custmers", did you mean "customers"?',
    ],
    [
      "a field that a state does not have",
      { fields: { why: "raeson" } },
      STATE,
      'fields: found the unknown "raeson", did you mean "reason"?',
    ],
    [
      "the key of another resource",
      { resource: "customer" },
      STATUS,
      "fields.ticket_no.keyOf: found it, a stream of ticket, but id is the id of a record of customer; expected a stream of customer",
    ],
    [
      "an unknown resource",
      { resource: "tikcet" },
      STATUS,
      'resource: found the unknown resource "tikcet", did you mean "ticket"?',
    ],
  ])("of status and state: %s", (_what, words, base, told) => {
    expect(problemsOf(words, base)).toContain(told);
  });

  it("are told all at once, with those of the streams", () => {
    const file: object = JSON.parse(
      fileReturning({ to: 1, ...fields({ a: { expr: "((" } }), ...line({ kind: "much too long" }) }),
    );
    expect(() => load(JSON.stringify({ ...file, streams: { it: {} } }))).toThrow(
      /streams\.it\.source.*returns\.it\.to.*returns\.it\.fields\.a.*returns\.it\.lines\[0\]\.kind/s,
    );
  });
});
