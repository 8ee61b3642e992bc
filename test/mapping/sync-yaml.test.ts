import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Row } from "#model";
import { loadSyncFile, type MappedField } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";

const file = loadSyncFile(readFileSync("config/svcsync.yaml", "utf8"), {
  file: "config/svcsync.yaml",
  environment: { ERP_URL: "sqlite:/data/erp.db" },
  adapters,
  resources: new Set(resourceNames),
});

async function fieldsOf(stream: string, row: Row): Promise<Record<string, MappedField["value"]>> {
  const mapped = await file.streams.find(({ name }) => name === stream)!.map(row, false);
  if (mapped.kind !== "record") throw new Error(`expected a record, found ${mapped.kind}`);
  return Object.fromEntries(mapped.fields.map(({ name, value }) => [name, value]));
}

function value(value: string | boolean | null): MappedField["value"] {
  return { kind: "value", value };
}

function named(resource: string, value: string): MappedField["value"] {
  return { kind: "lookup", resource, by: "name", value };
}

const customer: Row = {
  customer_no: "10023",
  name1: "Müller & Söhne",
  name2: null,
  short_name: "MUELLER",
  status: "P",
  email_domain: "mueller.example",
  remarks: "Key at the desk",
  warning: "",
  deleted: 0,
  updated_at: "2026-01-01T00:00:00.000Z",
};

describe("config/svcsync.yaml", () => {
  it("maps parents before children onto the resources that come ready mapped", () => {
    expect(file.streams.map(({ name, resource, parents }) => [name, resource, parents])).toEqual([
      ["customers", "customer", []],
      ["contacts", "customerContact", ["customers"]],
      ["tickets", "ticket", ["customers", "contacts"]],
      ["orders", "svcDocument", ["customers", "tickets"]],
    ]);
  });

  it("maps a customer", async () => {
    expect(await fieldsOf("customers", customer)).toEqual({
      customerId: value("10023"),
      shortName: value("MUELLER"),
      wildcardAddress: value("mueller.example"),
      warning: value(""),
      name: value("Müller & Söhne"),
      customerStatus: named("customerStatus", "Prospect"),
      info: value("Key at the desk"),
    });
  });

  it("makes a deleted customer inactive", async () => {
    expect(await file.streams[0]!.map({ ...customer, deleted: 1 }, false)).toEqual({
      kind: "deleted",
      policy: "set",
      fields: [{ name: "customerStatus", value: named("customerStatus", "Inactive"), own: "always" }],
    });
  });

  it("maps a contact of whom little is known", async () => {
    const row: Row = {
      customer_no: "10023",
      contact_no: 2,
      first_name: null,
      last_name: "Ünal",
      email: null,
      phone: null,
    };
    expect(
      await fieldsOf("contacts", { ...row, mobile: null, gender: null, notes: null, deleted: 0, updated_at: "x" }),
    ).toEqual({
      customer: { kind: "ref", stream: "customers", key: "10023" },
      name: value("Ünal"),
      firstName: value(null),
      lastName: value("Ünal"),
      email: value(null),
      telephone: value(null),
      mobile: value(null),
      gender: value("UNKNOWN"),
      info: value(null),
    });
  });

  it("maps a ticket", async () => {
    const row: Row = {
      ticket_no: "T-1",
      customer_no: "10023",
      contact_no: 2,
      subject: "Pump",
      body: "It leaks.\nBadly.",
    };
    const rest: Row = { priority: "high", status: "waiting", tags: "VIP, Wartung", due_date: "2026-07-31", deleted: 0 };
    expect(await fieldsOf("tickets", { ...row, ...rest, updated_at: "x" })).toEqual({
      erpReferenceNumber: value("T-1"),
      customer: { kind: "ref", stream: "customers", key: "10023" },
      customerContact: { kind: "ref", stream: "contacts", key: "10023|2", optional: true },
      description: value("Pump\n\nIt leaks.\nBadly."),
      priority: named("priority", "High"),
      ticketStatus: named("ticketStatus", "Waiting"),
      tags: { kind: "tags", resource: "tag", by: "name", values: ["VIP", "Wartung"] },
      dueDate: value("2026-07-30T22:00:00.000Z"),
    });
  });

  it("maps a service order", async () => {
    const row: Row = { order_no: "O-1", customer_no: "10023", ticket_no: null, reference: "your ref", billable: 0 };
    expect(
      await fieldsOf("orders", {
        ...row,
        amount: "12.30",
        planned_at: null,
        remarks: null,
        deleted: 0,
        updated_at: "x",
      }),
    ).toEqual({
      erpReferenceNumber: value("O-1"),
      customer: { kind: "ref", stream: "customers", key: "10023" },
      ticket: { kind: "ref", stream: "tickets", key: null, optional: true },
      referenceNumber: value("your ref"),
      billable: value(false),
    });
  });
});
