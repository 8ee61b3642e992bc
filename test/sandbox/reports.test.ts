import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { SandboxOptions } from "#sandbox";
import { SetClock } from "../kit/clock.ts";
import { idsOf, member, openTenant, rowsOf, type Tenant } from "./tenant.ts";

const HOUR = 3_600_000;

/** A tenant with one open report that has work. */
async function withReport(options: SandboxOptions = {}) {
  const tenant = await openTenant(options);
  const customer = await tenant.customer();
  const ticket = await tenant.ticket({ customer });
  const { id } = await tenant.write("POST", "v1/svcDocument", { customer, ticket, erpReferenceNumber: "A-1" });
  tenant.sandbox.people.work(id);
  const act = (action: string, body?: JsonObject) => tenant.write("PUT", `v1/svcDocument/${id}/${action}`, body);
  const invoice = () => tenant.sandbox.records("invoice").find((one) => one["svcDocument"] === id);
  return { tenant, id, ticket, act, invoice, [Symbol.asyncDispose]: () => tenant[Symbol.asyncDispose]() };
}

const FIELDS = "fields=approved,approvedDate,finished,finishedDate,preFinished,canceled,billable,invoiceNumber";
const shown = async (tenant: Tenant, id: number) => (await tenant.read(`v1/svcDocument/${id}?${FIELDS}`)).json;

describe("a service record", () => {
  it("is finished by a person in charge, then approved, which makes exactly one open invoice record", async () => {
    await using report = await withReport();
    const { tenant, id, act, invoice } = report;
    expect(await act("approve")).toMatchObject({
      status: 400,
      json: { errorMessage: expect.stringContaining("finished") },
    });
    tenant.sandbox.people.edit("svcDocument", id, { personInCharge: tenant.named("queue", "Disposition") });
    expect((await act("finish")).status).toBe(400);
    tenant.sandbox.people.edit("svcDocument", id, { personInCharge: tenant.named("user", "Sabine Öttl") });
    expect([(await act("preFinish")).status, (await act("finish")).status]).toEqual([200, 200]);
    expect([(await act("approve", { approvedComment: "passt" })).status, (await act("approve")).status]).toEqual([
      200, 400,
    ]);
    expect(await shown(tenant, id)).toMatchObject({
      finished: true,
      finishedDate: expect.any(String),
      approved: true,
      approvedDate: expect.any(String),
      canceled: false,
      invoiceNumber: null,
    });
    expect(invoice()).toMatchObject({ svcDocument: id, status: "OPEN", invoiceNumber: null });
    expect(tenant.sandbox.records("invoice")).toHaveLength(1);
  });

  it("that is not billable has no invoice record", async () => {
    await using report = await withReport();
    await report.act("finish");
    await report.act("approve", { billable: false });
    expect(await shown(report.tenant, report.id)).toMatchObject({ approved: true, billable: false });
    expect(report.invoice()).toBeUndefined();
  });

  it("has its invoice record only after a while, if the tenant is slow", async () => {
    const clock = new SetClock();
    await using report = await withReport({ clock, invoiceDelayMs: 2_000 });
    await report.act("finish");
    await report.act("approve");
    const total = async () => member(await report.tenant.read("v1/invoice?limit=0"), "totalCount");
    expect(await total()).toBe(0);
    clock.advance(2_000);
    expect(await total()).toBe(1);
    expect(await total()).toBe(1);
  });

  it("shows the number of its invoice, which is set there alone", async () => {
    await using report = await withReport();
    const { tenant, id, act, invoice } = report;
    await act("finish");
    await act("approve");
    expect((await act("invoice", { invoiceNumber: "R-1" })).status).toBe(400);
    await tenant.write("PUT", `v1/svcDocument/${id}`, { invoiceNumber: "R-1" });
    expect(await shown(tenant, id)).toMatchObject({ invoiceNumber: null });
    const written = await tenant.write("PUT", `v1/invoice/${invoice()?.id}?fields=status,invoiceNumber`, {
      invoiceNumber: "R-1",
    });
    expect(written.json).toMatchObject({ status: "INVOICED", invoiceNumber: "R-1" });
    expect(await shown(tenant, id)).toMatchObject({ invoiceNumber: "R-1" });
  });

  it("loses its invoice record when people take the approval back, and gets another one with the next approval", async () => {
    await using report = await withReport();
    const { tenant, id, act, invoice } = report;
    await act("finish");
    await act("approve");
    const first = invoice()?.id;
    await tenant.write("PUT", `v1/invoice/${first}`, { invoiceNumber: "R-1" });
    tenant.sandbox.people.takeBack(id);
    expect(await shown(tenant, id)).toMatchObject({
      approved: false,
      approvedDate: null,
      finished: true,
      invoiceNumber: null,
    });
    expect(invoice()).toBeUndefined();
    await act("approve");
    expect(invoice()).toMatchObject({ status: "OPEN" });
    expect(invoice()?.id).not.toBe(first);
  });

  it("can be a draft, which is released, and can be cancelled", async () => {
    await using report = await withReport();
    const { tenant } = report;
    const customer = await tenant.customer();
    const { id } = await tenant.write("POST", "v1/svcDocument", { customer, type: true });
    expect((await tenant.write("PUT", `v1/svcDocument/${id}/finish`)).status).toBe(400);
    expect((await tenant.write("PUT", `v1/svcDocument/${id}/releaseDraft`)).status).toBe(200);
    expect((await tenant.write("PUT", `v1/svcDocument/${id}/cancel`)).status).toBe(200);
    expect(await shown(tenant, id)).toMatchObject({ canceled: true });
    expect((await tenant.write("PUT", `v1/svcDocument/${id}/finish`)).status).toBe(400);
  });
});

describe("the totals of a service record", () => {
  const fields =
    "fields=totalTasksWorkingTime,totalTasksInvoiceTime,totalTravelLogsDistance,totalTravelLogsTime,totalPrice";

  it("are computed from its lines, whoever changes them", async () => {
    await using report = await withReport();
    const { tenant, id } = report;
    const minutes = 60_000;
    expect((await tenant.read(`v1/svcDocument/${id}?${fields}`)).json).toMatchObject({
      totalTasksWorkingTime: 135 * minutes,
      totalTasksInvoiceTime: 135 * minutes,
      totalTravelLogsTime: 25 * minutes,
      totalTravelLogsDistance: 31.4,
      totalPrice: expect.closeTo(2.25 * 93.1 + 31.4 * 0.42, 6),
    });
    const [log] = tenant.sandbox.records("svcDocumentTaskWorkLog");
    await tenant.write("PUT", `v1/svcDocumentTaskWorkLog/${log?.id}`, { time: HOUR });
    tenant.sandbox.people.remove("svcDocumentTraveLog", tenant.sandbox.records("svcDocumentTraveLog")[0]?.id ?? 0);
    expect((await tenant.read(`v1/svcDocument/${id}?${fields}`)).json).toMatchObject({
      totalTasksWorkingTime: 95 * minutes,
      totalTravelLogsDistance: 0,
    });
  });

  it("may be absent", async () => {
    await using report = await withReport({ totals: false });
    expect((await report.tenant.read(`v1/svcDocument/${report.id}?${fields}`)).json).toEqual({});
  });
});

describe("the lines of a service record", () => {
  it("come with it where dotted names expand them, and as ids otherwise", async () => {
    const fields = "fields=id,tasks.id,tasks.workLogs.id,tasks.workLogs.time,travelLogs.distance";
    await using expanding = await withReport();
    expect((await expanding.tenant.read(`v1/svcDocument/${expanding.id}?${fields}`)).json).toMatchObject({
      tasks: [{ workLogs: [{ time: 6_000_000 }, { time: 2_100_000 }] }],
      travelLogs: [{ distance: 31.4 }],
    });
    await using bare = await withReport({ expandChildren: false });
    expect((await bare.tenant.read(`v1/svcDocument/${bare.id}?${fields}`)).json).toMatchObject({
      tasks: [expect.any(Number)],
      travelLogs: [expect.any(Number)],
    });
  });

  it.each([
    ["silent", false],
    ["moveReport", true],
  ] as const)("change the stamp of the report when they are edited, if the tenant is %s", async (lineEdits, moves) => {
    const clock = new SetClock();
    await using report = await withReport({ lineEdits, clock });
    const { tenant, id } = report;
    const before = tenant.sandbox.record("svcDocument", id)?.["modified"];
    const [log] = tenant.sandbox.records("svcDocumentTaskWorkLog");
    for (const change of [
      () => tenant.write("PUT", `v1/svcDocumentTaskWorkLog/${log?.id}`, { comment: "x" }),
      () => tenant.write("DELETE", `v1/svcDocumentTaskWorkLog/${log?.id}`),
      () => Promise.resolve(tenant.sandbox.people.changeLine("svcDocument", id, "add")),
    ]) {
      clock.advance(1_000);
      await change();
      const now = new Date(clock.at).toISOString();
      expect(tenant.sandbox.record("svcDocument", id)?.["modified"]).toBe(moves ? now : before);
    }
  });

  it("may change between two requests of a reader", async () => {
    await using report = await withReport();
    const { tenant, id } = report;
    tenant.sandbox.faults.add({ kind: "changeLine", resource: "svcDocument", method: "GET", count: 1 });
    const times = async () =>
      (await tenant.read(`v1/svcDocument/${id}?fields=tasks.workLogs.time`)).text
        .match(/(?<="time":)\d+/g)
        ?.map(Number);
    const [first, second] = [await times(), await times()];
    expect(second).toEqual([first?.[0], (first?.[1] ?? 0) + HOUR / 4]);
    const [task] = tenant.sandbox.records("svcDocumentTask");
    tenant.sandbox.faults.add({ kind: "changeLine", change: "remove", path: "*/workLog*", count: 1 });
    const logs = async () =>
      idsOf(await tenant.read(`v1/svcDocument/${id}/task/${task?.id}/workLog`), "workLog").length;
    expect([await logs(), await logs()]).toEqual([2, 1]);
  });
});

const count = async (tenant: Tenant, query: string) => {
  const reply = await tenant.read(`v1/svcDocument?limit=0&${query}`);
  return reply.status === 200 ? member(reply, "totalCount") : reply.status;
};

const at = (hour: number) => `2026-01-05T${String(hour).padStart(2, "0")}:00:00.000Z`;

/** Two reports: one approved at 10:00, one finished at 9:00 and approved at 11:00; and one that is open. */
const scene = async (options: SandboxOptions) => {
  const tenant = await openTenant(options);
  tenant.sandbox.seed("svcDocument", [
    { finished: true, finishedDate: at(9), approved: true, approvedDate: at(10), created: at(8) },
    { finished: true, finishedDate: at(9), approved: true, approvedDate: at(11), created: at(8) },
    { finished: false, approved: false, created: at(8) },
  ]);
  return tenant;
};

describe("filters of finished work", () => {
  it.each([
    ["ignored", [3, 3, 3]],
    ["works", [1, 2, 2]],
    ["refused", [400, 400, 400]],
    ["wrong", [0, 0, 1]],
  ] as const)("are %s", async (mode, expected) => {
    await using tenant = await scene({ approvedSince: mode, finishedSince: mode, statusFilter: mode });
    expect([
      await count(tenant, "approvedSince=2026-01-05T10:30:00.000Z"),
      await count(tenant, "finishedSince=2026-01-05T08:30:00.000Z"),
      await count(tenant, "status=approved"),
    ]).toEqual(expected);
  });

  it("refuse a date of another form, and an unknown status", async () => {
    await using tenant = await scene({ approvedSince: "works", statusFilter: "works" });
    expect([await count(tenant, "approvedSince=2026-01-05"), await count(tenant, "status=canary")]).toEqual([400, 400]);
    expect(await count(tenant, "status=approved&notStatus=approved")).toBe(0);
  });
});

describe("the list of invoices", () => {
  it("is narrowed by tickets and state, and shows nothing when more than 100 are asked for", async () => {
    await using report = await withReport({ statusFilter: "works" });
    const { tenant, ticket, act, invoice } = report;
    await act("finish");
    await act("approve");
    const { people } = tenant.sandbox;
    people.approvedReport({ customer: await tenant.customer() });
    const ids = async (query: string) => idsOf(await tenant.read(`v1/invoice?${query}`), "invoice");
    expect(await ids(`ticketIds=${ticket}`)).toEqual([invoice()?.id]);
    expect(await ids("limit=100")).toHaveLength(2);
    const many = await tenant.read("v1/invoice?limit=101");
    expect([many.status, member(many, "totalCount"), rowsOf(many, "invoice")]).toEqual([200, 2, []]);
    await tenant.write("PUT", `v1/invoice/${invoice()?.id}`, { invoiceNumber: "R-1" });
    expect(await ids("status=invoiced")).toEqual([invoice()?.id]);
    expect(await ids("status=open")).toHaveLength(1);
  });
});

describe("people at the control server", () => {
  it("record work, finish, approve and take back, set a status and change a line", async () => {
    await using tenant = await openTenant();
    const { sandbox } = tenant;
    const press = async (act: string, fields: Readonly<Record<string, string>>) => {
      const body = new URLSearchParams(fields);
      const url = `${sandbox.controlUrl}/__sandbox/people/${act}`;
      return (await fetch(url, { method: "POST", body, redirect: "manual" })).status;
    };
    const customer = await tenant.customer();
    const report = (await tenant.write("POST", "v1/svcDocument", { customer })).id;
    const target = { resource: "svcDocument", id: String(report) };
    expect([await press("approve", target), await press("work", target), await press("finish", target)]).toEqual([
      400, 303, 303,
    ]);
    expect([await press("approve", target), await press("nonsense", target)]).toEqual([303, 400]);
    expect(sandbox.record("svcDocument", report)).toMatchObject({ approved: true });
    const [log] = sandbox.records("svcDocumentTaskWorkLog");
    await press("edit", { resource: "svcDocumentTaskWorkLog", id: String(log?.id), field: "time", value: "60000" });
    expect(sandbox.record("svcDocumentTaskWorkLog", log?.id ?? 0)).toMatchObject({ time: 60_000 });
    await press("take-back", target);
    expect(sandbox.record("svcDocument", report)).toMatchObject({ approved: false });
    const ticket = await tenant.ticket();
    await press("status", { resource: "ticket", id: String(ticket), value: "Closed" });
    expect(sandbox.record("ticket", ticket)).toMatchObject({ ticketStatus: tenant.named("ticketStatus", "Closed") });
    for (const [resource, id, shows] of [
      ["svcDocument", report, "Take the approval back"],
      ["ticket", ticket, "Set to Closed"],
    ] as const)
      expect(await (await fetch(`${sandbox.controlUrl}/__sandbox/?resource=${resource}&id=${id}`)).text()).toContain(
        shows,
      );
  });
});
