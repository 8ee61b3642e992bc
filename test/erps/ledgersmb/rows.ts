import { z } from "zod";
import type { JsonObject } from "#model";
import type { Records } from "../erp.ts";

/** What LedgerSMB's own tables of classes call 2, 1, 12 and 1. */
export const CUSTOMER = 2;
export const SALES_ORDER = 1;
export const EMAIL = 12;
export const PHONE = 1;

const accounts = z.array(
  z.object({
    id: z.int(),
    meta_number: z.string(),
    description: z.string(),
    entity_class: z.int(),
    ended: z.boolean().nullable(),
    name: z.string(),
  }),
);
const contacts = z.array(
  z.object({ credit_id: z.int(), contact_class_id: z.int(), contact: z.string(), description: z.string() }),
);
const orders = z.array(
  z.object({
    id: z.int(),
    ordnumber: z.string(),
    ponumber: z.string(),
    entity_credit_account: z.int(),
    closed: z.boolean(),
    oe_class_id: z.int(),
  }),
);

/** What the service should hold of what is in the tables, read one by one and joined here. */
export async function recordsOf(read: (query: string) => Promise<unknown>): Promise<Records> {
  const account = accounts.parse(
    await read(
      `select id, meta_number, description, entity_class, enddate < current_date as ended,
         (select name from entity where entity.id = entity_id) as name
       from entity_credit_account`,
    ),
  );
  const number = new Map(account.map((row) => [row.id, row.meta_number]));
  const customers = account.filter((row) => row.entity_class === CUSTOMER);
  const isCustomer = new Set(customers.map((row) => row.id));
  const persons = new Map<string, JsonObject>();
  for (const row of contacts.parse(
    await read("select credit_id, contact_class_id, contact, description from eca_to_contact"),
  )) {
    if (!isCustomer.has(row.credit_id)) continue;
    const key = `${row.credit_id} ${row.description}`;
    const nothing = { email: null, telephone: null, mobile: null };
    const person = persons.get(key) ?? { customer: number.get(row.credit_id)!, name: row.description, ...nothing };
    persons.set(key, { ...person, [row.contact_class_id === EMAIL ? "email" : "telephone"]: row.contact });
  }
  const order = orders.parse(
    await read("select id, ordnumber, ponumber, entity_credit_account, closed, oe_class_id from oe"),
  );
  return {
    customer: new Map(
      customers.map((row) => [
        String(row.id),
        {
          customerId: row.meta_number,
          name: row.name,
          shortName: row.description,
          customerStatus: row.ended === true ? "Inactive" : "Active",
        },
      ]),
    ),
    customerContact: persons,
    svcDocument: new Map(
      order
        .filter((row) => row.oe_class_id === SALES_ORDER)
        .map((row) => [
          String(row.id),
          {
            erpReferenceNumber: row.ordnumber,
            customer: number.get(row.entity_credit_account)!,
            referenceNumber: row.ponumber,
            externalReferenceNumber: row.closed ? "Closed" : "Open",
          },
        ]),
    ),
  };
}
