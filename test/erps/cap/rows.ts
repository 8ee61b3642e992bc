import { z } from "zod";
import type { JsonObject } from "#model";
import type { Records } from "../erp.ts";

export const ENTITIES = ["Customers", "Contacts", "Tickets", "Orders"] as const;
export type Entity = (typeof ENTITIES)[number];
/** The ids of the records, in the order of their creation. */
export type Company = Readonly<Record<Entity, string[]>>;

/** Customers that others refer to. */
const REFERRED = 30;

const list = <Row extends z.ZodType>(row: Row) => z.object({ value: z.array(row) });
const customers = list(z.object({ ID: z.string(), number: z.string(), name: z.string(), active: z.boolean() }));
const contacts = list(z.object({ ID: z.string(), customer_ID: z.string(), email: z.string(), phone: z.string() }));
const tickets = list(
  z.object({
    ID: z.string(),
    number: z.string(),
    customer_ID: z.string(),
    contact_ID: z.string().nullable(),
    title: z.string(),
    description: z.string(),
    priority: z.enum(["low", "normal", "high"]),
    status: z.enum(["open", "waiting", "closed"]),
  }),
);
const orders = list(
  z.object({
    ID: z.string(),
    number: z.string(),
    customer_ID: z.string(),
    reference: z.string(),
    status: z.enum(["open", "done", "cancelled"]),
  }),
);

const PRIORITY = { low: "Low", normal: "Normal", high: "High" };
const TICKET_STATUS = { open: "Open", waiting: "Waiting", closed: "Closed" };
const ORDER_STATUS = { open: "Open", done: "Done", cancelled: "Cancelled" };

/** A new record, and what people call it. */
export function newRow(entity: Entity, at: number, company: Company): { name: string; row: JsonObject } {
  const customer_ID = company.Customers[at % REFERRED] ?? null;
  switch (entity) {
    case "Customers":
      return { name: `K${at}`, row: { number: `K${at}`, name: `Muster ${at} AG` } };
    case "Contacts": {
      const person = { firstName: "Änne", lastName: `Person${at}` };
      const reached = { email: `person${at}@example.org`, phone: `+41 44 ${at}` };
      return { name: `Änne Person${at}`, row: { customer_ID, ...person, ...reached } };
    }
    case "Tickets": {
      const contact_ID = at % 3 === 0 ? null : company.Contacts[at % REFERRED]!;
      const words = { title: `Pumpe ${at}`, description: "leckt", priority: "normal", status: "open" };
      return { name: `T${at}`, row: { number: `T${at}`, customer_ID, contact_ID, ...words } };
    }
    case "Orders":
      return { name: `A${at}`, row: { number: `A${at}`, customer_ID, reference: `PO-${at}`, status: "open" } };
  }
}

/** What the service should hold of what `read` shows; `names` are those of {@link newRow} by id. */
export async function recordsOf(
  names: ReadonlyMap<string, string>,
  read: (entity: Entity) => Promise<unknown>,
): Promise<Records> {
  const name = (id: string | null) => (id === null ? null : names.get(id)!);
  return {
    customer: byId(customers.parse(await read("Customers")).value, (row) => ({
      customerId: row.number,
      name: row.name,
      customerStatus: row.active ? "Active" : "Inactive",
    })),
    customerContact: byId(contacts.parse(await read("Contacts")).value, (row) => ({
      customer: name(row.customer_ID),
      name: name(row.ID),
      email: row.email,
      telephone: row.phone,
    })),
    ticket: byId(tickets.parse(await read("Tickets")).value, (row) => ({
      erpReferenceNumber: row.number,
      customer: name(row.customer_ID),
      customerContact: name(row.contact_ID),
      description: `${row.title}\n\n${row.description}`,
      priority: PRIORITY[row.priority],
      ticketStatus: TICKET_STATUS[row.status],
    })),
    svcDocument: byId(orders.parse(await read("Orders")).value, (row) => ({
      erpReferenceNumber: row.number,
      customer: name(row.customer_ID),
      referenceNumber: row.reference,
      externalReferenceNumber: ORDER_STATUS[row.status],
    })),
  };
}

function byId<Row extends { ID: string }>(rows: readonly Row[], record: (row: Row) => JsonObject) {
  return new Map(rows.map((row) => [row.ID, record(row)]));
}
