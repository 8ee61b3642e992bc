import { z } from "zod";
import type { Json, JsonObject } from "#model";
import type { Records } from "../../erp.ts";
import type { OdooRpc } from "./rpc.ts";

const text = z.union([z.string(), z.literal(false)]).transform((value) => (value === false ? null : value));
const link = z
  .union([z.tuple([z.int(), z.string()]), z.literal(false)])
  .transform((value) => (value === false ? null : value[0]));
const partner = z.object({
  id: z.int(),
  name: text,
  ref: text,
  active: z.boolean(),
  type: z.string(),
  email: text,
  phone: text,
  mobile: text.default(null),
  function: text,
  website: text,
  street: text,
  street2: text,
  zip: text,
  city: text,
  parent_id: link,
  commercial_partner_id: link,
});
type Partner = z.infer<typeof partner>;
const tasks = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    description: text,
    partner_id: link,
    priority: z.string(),
    state: z.string(),
    active: z.boolean(),
  }),
);
const orders = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    client_order_ref: text,
    state: z.enum(["sale", "done", "cancel"]),
    partner_id: link,
    partner_shipping_id: link,
  }),
);

const STATUS: Readonly<Record<string, string>> = {
  "1_done": "Closed",
  "1_canceled": "Closed",
  "04_waiting_normal": "Waiting",
};
const ORDER_STATE = { sale: "Confirmed", done: "Locked", cancel: "Cancelled" };

/**
 * Customers, places and contacts that svcsync's user could see at some time: what refers to one that is hidden now goes on, since the
 * service keeps them.
 */
export class KnownPartners {
  readonly customers = new Set<number>();
  /** By the id of any partner, the company at its top. */
  readonly tops = new Map<number, number | null>();
  /** By their ids, their names. */
  readonly places = new Map<number, string | null>();
  readonly contacts = new Map<number, string | null>();

  customerOf(partner: number | null): string | undefined {
    const top = this.tops.get(partner ?? 0) ?? undefined;
    return top !== undefined && this.customers.has(top) ? String(top) : undefined;
  }
}

/** What the service should hold of what svcsync's user may see below the trial's tag and project. */
export async function recordsOf(
  rpc: OdooRpc,
  name: string,
  hasMobile: boolean,
  known: KnownPartners,
): Promise<Records> {
  const fields = Object.keys(partner.shape).filter((field) => field !== "mobile" || hasMobile);
  const seen = z
    .array(partner)
    .parse(await rpc.read("res.partner", [["commercial_partner_id.category_id.name", "=", name]], fields));
  const byId = new Map(seen.map((row) => [row.id, row]));
  const customers = seen.filter((row) => row.parent_id === null);
  const task = tasks.parse(
    await rpc.read("project.task", [["project_id.name", "=", name]], Object.keys(tasks.element.shape)),
  );
  const order = orders.parse(
    await rpc.read(
      "sale.order",
      [
        ["state", "in", ["sale", "done", "cancel"]],
        ["tag_ids.name", "=", name],
      ],
      Object.keys(orders.element.shape),
    ),
  );
  const places = seen.filter(
    (row) => (row.parent_id === null || row.type === "delivery" || row.type === "other") && isPlace(row),
  );
  const persons = seen.filter((row) => row.parent_id !== null && row.type === "contact");
  const nameAt = (row: Partner | undefined) => row?.name ?? byId.get(row?.commercial_partner_id ?? 0)?.name ?? null;
  for (const { id } of customers) known.customers.add(id);
  for (const row of seen) known.tops.set(row.id, row.commercial_partner_id);
  for (const row of places) known.places.set(row.id, nameAt(row));
  for (const row of persons) if (row.active) known.contacts.set(row.id, row.name);
  return {
    customer: keyed(customers, (row) => ({
      customerId: String(row.id),
      name: row.name,
      shortName: row.ref,
      customerStatus: row.active ? "Active" : "Inactive",
    })),
    customerLocation: keyed(
      places.filter(({ active }) => active),
      (row) => ({
        customer: String(row.commercial_partner_id),
        name: nameAt(row),
        street: [row.street, row.street2].filter((line) => line !== null).join(", "),
        zipcode: row.zip,
        city: row.city,
      }),
    ),
    customerContact: keyed(
      persons.filter(({ active }) => active),
      (row) => ({
        customer: String(row.commercial_partner_id),
        name: row.name,
        email: row.email,
        telephone: row.phone,
        mobile: row.mobile,
        labeling: row.function,
        website: row.website,
      }),
    ),
    ticket: keyed(
      task.filter((row) => known.customerOf(row.partner_id) !== undefined),
      (row) => ({
        erpReferenceNumber: String(row.id),
        customer: known.customerOf(row.partner_id)!,
        customerContact: known.contacts.get(row.partner_id ?? 0) ?? null,
        description: [row.name, plain(row.description)].filter((part) => part !== "").join("\n\n"),
        priority: row.priority === "0" ? "Normal" : "High",
        ticketStatus: row.active ? (STATUS[row.state] ?? "Open") : "Closed",
      }),
    ),
    svcDocument: keyed(
      order.filter((row) => known.customerOf(row.partner_id) !== undefined),
      (row) => ({
        erpReferenceNumber: row.name,
        customer: known.customerOf(row.partner_id)!,
        customerLocation: known.places.get(row.partner_shipping_id ?? 0) ?? null,
        customerContact: known.contacts.get(row.partner_id ?? 0) ?? null,
        referenceNumber: row.client_order_ref,
        externalReferenceNumber: ORDER_STATE[row.state],
      }),
    ),
  };
}

function isPlace({ street, zip, city }: Partner): boolean {
  return street !== null && zip !== null && city !== null;
}

function plain(html: string | null): string {
  return (html ?? "")
    .replaceAll(/<[^<>]+>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function keyed<Row extends { id: number }>(
  rows: readonly Row[],
  record: (row: Row) => JsonObject,
): Map<string, JsonObject> {
  return new Map(rows.map((row) => [String(row.id), record(row)]));
}

/** A command of Odoo's for a field of many links: replace them all. */
export function only(records: readonly number[]): Json {
  return [[6, 0, [...records]]];
}
