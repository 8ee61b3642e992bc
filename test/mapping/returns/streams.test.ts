import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { load, fileWith } from "../sample.ts";
import { REPORT, returnStream } from "./sample.ts";

const RECORD: JsonObject = {
  id: 7,
  erpReferenceNumber: "A-1",
  customer: 3,
  finishedDate: "2026-12-01T23:30:00.000Z",
  approved: true,
  billable: true,
  tasks: [
    {
      id: 20,
      serviceType: 5,
      workLogs: [
        { id: 31, task: 20, worker: 8, invoiceTime: 5_400_000, comment: "pump" },
        { id: 30, task: 20, worker: null, invoiceTime: 1_200_000 },
      ],
      materials: [{ id: 40, amount: 2.5 }],
    },
    { id: 21, workLogs: [{ id: 32, worker: { id: 9 }, invoiceTime: 0 }], materials: [] },
  ],
  travelLogs: [{ id: 50, distance: 12.3 }],
};

describe("a stream of returns", () => {
  it("is absent from a file without returns", () => {
    expect(load(fileWith({})).returns).toEqual([]);
  });

  it("says what it is, with the defaults", () => {
    expect(returnStream()).toMatchObject({
      name: "it",
      kind: "reports",
      resource: "svcDocument",
      of: undefined,
      to: { source: "erp", table: "svcsync.returns", lines: "svcsync.return_lines" },
      answers: { table: "svcsync.answers", withinMs: 86_400_000 },
      beginAt: undefined,
      corrections: "hold",
      everyMs: undefined,
      guard: undefined,
      columns: ["order_no", "customer_no", "finished_at"],
      finalBy: "approved",
      whenAccepted: { resource: "invoice", of: "svcDocument", set: { invoiceNumber: "document" } },
    });
  });

  it("takes a begin as a day in UTC, or as an instant", () => {
    expect(returnStream({ begin: "2026-12-01" }).beginAt).toBe(Date.UTC(2026, 11, 1));
    expect(returnStream({ begin: "2026-12-01T00:00:00+01:00" }).beginAt).toBe(Date.UTC(2026, 10, 30, 23));
  });

  it("answers beside its files, unless the file says where", () => {
    const to = { source: "erp", folder: "out" };
    expect(returnStream({ to, answers: {} })).toMatchObject({
      to: { source: "erp", folder: "out", format: "csv" },
      answers: { folder: "answers", withinMs: 86_400_000 },
    });
  });

  it("knows which fields it reads", () => {
    const stream = returnStream();
    expect(stream.reads.toSorted()).toEqual(
      ["approved", "approvedDate", "billable", "canceled", "customer", "erpReferenceNumber", "finishedDate"].toSorted(),
    );
    expect(stream.lines.map(({ reads }) => reads)).toEqual([
      ["invoiceTime", "worker", "task.serviceType", "comment"],
      ["amount"],
      ["distance"],
    ]);
  });

  it("reads a link by its members where one of them is read, and its id as one of them", () => {
    const fields = {
      a: "customer.name",
      customer_no: { keyOf: "customers", id: "customer" },
      m: { expr: "$count(tasks.workLogs.time) & tasks.name" },
    };
    const stream = returnStream({ when: "finished", fields });
    expect(stream.reads).toEqual(["finished", "customer.name", "customer.id", "finishedDate"]);
    expect(stream.finalBy).toBe("finished");
    expect(stream.lines[0]!.reads).toContain("time");
    expect(stream.lines[0]!.reads).toContain("task.name");
  });

  it.each([
    ["approved and billable", { approved: true, billable: true }, true],
    ["canceled", { approved: true, billable: true, canceled: true }, false],
    ["not canceled, said so", { approved: true, billable: true, canceled: false }, true],
    ["not approved", { billable: true }, false],
    ["not billable", { approved: true, billable: false }, false],
  ])("wants by default what is approved and billable: %s", async (_what, record, wanted) => {
    expect(await returnStream().isWanted(record)).toBe(wanted);
  });

  it("maps the head", async () => {
    expect(await returnStream().map(RECORD)).toEqual([
      { name: "order_no", value: { kind: "value", value: "A-1" } },
      { name: "customer_no", value: { kind: "keyOf", stream: "customers", id: 3 } },
      { name: "finished_at", value: { kind: "value", value: "2026-12-02T00:30:00" } },
    ]);
  });

  it("maps each member of a list, with the records around it", async () => {
    const [time, material, travel] = returnStream().lines;
    const [first, second, third] = await time!.map(RECORD);
    expect(first).toEqual({
      kind: "time",
      id: 31,
      amount: 1.5,
      fields: [
        { name: "staff_no", value: { kind: "nameOf", resource: "priority", by: "externalErpNumber", id: 8 } },
        { name: "article", value: { kind: "nameOf", resource: "tag", by: "number", id: 5 } },
        { name: "remark", value: { kind: "value", value: "pump" } },
      ],
    });
    expect(second!.fields.map(({ value }) => value)).toMatchObject([{ id: null }, { id: 5 }, { value: null }]);
    expect(third!.fields.map(({ value }) => value)).toMatchObject([{ id: 9 }, { id: null }, { value: null }]);
    expect(await material!.map(RECORD)).toMatchObject([{ id: 40, amount: 2.5 }]);
    expect(await travel!.map(RECORD)).toMatchObject([{ kind: "travel", id: 50, amount: 12.3, fields: [] }]);
    expect([time, material, travel].map((lines) => lines!.rounding)).toEqual([
      { digits: 2, remainder: "last" },
      undefined,
      { digits: 1, remainder: "refuse" },
    ]);
  });

  it("shows the head to a line by its resource, and custom fields by their path", async () => {
    const lines = [
      {
        each: "travelLogs",
        kind: "travel",
        fields: { route: { expr: "svcDocument.customFields.Route & '/' & worker" } },
      },
    ];
    const stream = returnStream({ lines });
    expect(stream.reads).toContain("customFields.Route");
    const record = { "customFields.Route": "R1", travelLogs: [{ id: 1, worker: 2 }] };
    expect(await stream.lines[0]!.map(record)).toMatchObject([{ fields: [{ value: { value: "R1/2" } }] }]);
  });

  it.each<[string, JsonObject, string]>([
    [
      "a list that is absent",
      { ...RECORD, tasks: [{ id: 1 }] },
      "it.time.each: found nothing at tasks.workLogs, expected a list",
    ],
    [
      "a line without an id",
      { ...RECORD, tasks: [{ id: 1, workLogs: [{}] }] },
      "it.time.each: found a record without an id in tasks.workLogs",
    ],
    [
      "a line without an amount",
      { ...RECORD, tasks: [{ id: 1, workLogs: [{ id: 2, worker: 1 }] }] },
      "it.time.amount: found null, expected a number: a line without an amount cannot be billed",
    ],
    [
      "a link that is a text",
      { ...RECORD, tasks: [{ id: 1, workLogs: [{ id: 2, worker: "x", invoiceTime: 1 }] }] },
      "it.time.staff_no: found text, expected the id of a record of the service",
    ],
  ])("parks %s", async (_what, record, message) => {
    await expect(returnStream().lines[0]!.map(record)).rejects.toMatchObject({ code: "E_MAPPING", message });
  });

  it("parks a column that is no single value", async () => {
    await expect(returnStream({ fields: { a: "tags" } }).map({ tags: [1] })).rejects.toMatchObject({
      code: "E_MAPPING",
      message: "it.a: found a list, expected text, a number, true or false: name a member of it",
    });
  });

  it("has a fingerprint of what it says, not of how it is handed over", () => {
    const { fingerprint } = returnStream();
    expect(returnStream({ every: "1h", guard: "off", corrections: "send" }).fingerprint).toBe(fingerprint);
    expect(returnStream({ lines: REPORT.lines.slice(1) }).fingerprint).not.toBe(fingerprint);
    expect(returnStream({ when: "approved" }).fingerprint).not.toBe(fingerprint);
  });

  it("returns the state of a stream's records with columns of its own", async () => {
    const stream = returnStream({}, { state: "customers", to: { source: "erp", table: "svcsync.states" } });
    expect(stream).toMatchObject({
      kind: "state",
      resource: undefined,
      of: "customers",
      columns: ["state", "error_code", "reason"],
      reads: ["state", "code", "reason"],
      lines: [],
    });
    expect(await stream.isWanted({})).toBe(true);
    expect(await stream.map({ key: "K1", state: "parked", code: "E_X", reason: "no name" })).toMatchObject([
      { name: "state", value: { value: "parked" } },
      { name: "error_code", value: { value: "E_X" } },
      { name: "reason", value: { value: "no name" } },
    ]);
  });

  it("returns the status of a ticket by its key", async () => {
    const fields = { ticket_no: { keyOf: "it", id: "id" }, status: { nameOf: "ticketStatus", id: "ticketStatus" } };
    const stream = returnStream({}, { resource: "ticket", to: { source: "erp", table: "t" }, fields });
    expect(stream).toMatchObject({ kind: "status", finalBy: undefined, reads: ["id", "ticketStatus"] });
    expect(await stream.map({ id: 4, ticketStatus: 2 })).toMatchObject([
      { value: { kind: "keyOf", stream: "it", id: 4 } },
      { value: { kind: "nameOf", resource: "ticketStatus", by: "name", id: 2 } },
    ]);
  });
});
