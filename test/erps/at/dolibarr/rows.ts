import { z } from "zod";
import type { JsonObject } from "#model";
import type { Records } from "../../erp.ts";
import type { DolibarrApi } from "./api.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => (value === undefined || value === "" ? null : value));
const key = z.coerce.string();
const parties = z.array(
  z.object({
    id: key,
    name: z.string(),
    name_alias: text,
    code_client: z.string(),
    status: key,
    address: text,
    zip: text,
    town: text,
  }),
);
const contacts = z.array(
  z.object({
    id: key,
    socid: key.nullish(),
    firstname: text,
    lastname: text,
    email: text,
    phone_pro: text,
    phone_mobile: text,
    poste: text,
    civility_code: text,
  }),
);
const tickets = z.array(
  z.object({
    id: key,
    ref: z.string(),
    fk_soc: key.nullish(),
    subject: text,
    message: text,
    severity_code: text,
    fk_statut: key,
  }),
);
const interventions = z.array(z.object({ id: key, ref: z.string(), socid: key, statut: key, ref_client: text }));

const TICKET_STATUS: Readonly<Record<string, string>> = { 5: "Waiting", 7: "Waiting", 8: "Closed", 9: "Closed" };
const PRIORITY: Readonly<Record<string, string>> = { LOW: "Low", HIGH: "High", BLOCKING: "High" };
const GENDER: Readonly<Record<string, string>> = { MR: "MALE", MME: "FEMALE", MLE: "FEMALE" };
const ORDER_STATE: Readonly<Record<string, string>> = { 1: "Validated", 2: "Billed", 3: "Done" };

/**
 * Customers that were ever seen, by their ids their codes, and places their names: what belongs to one that is hidden now goes on, since
 * the service keeps them.
 */
export interface KnownParties {
  readonly codes: Map<string, string>;
  readonly places: Map<string, string>;
}

/** What the service should hold of all that svcsync's user may see. */
export async function recordsOf(api: DolibarrApi, { codes, places: known }: KnownParties): Promise<Records> {
  const party = parties.parse(await api.list("thirdparties?mode=1"));
  for (const row of party) codes.set(row.id, row.code_client);
  const isCustomers = (of: string | null | undefined): of is string => typeof of === "string" && codes.has(of);
  const places = party.filter((row) => row.address !== null && row.zip !== null && row.town !== null);
  for (const row of places) known.set(row.id, row.name);
  const contact = contacts.parse(await api.list("contacts")).filter(({ socid }) => isCustomers(socid));
  const ticket = tickets.parse(await api.list("tickets")).filter((row) => isCustomers(row.fk_soc));
  const order = interventions.parse(await api.list("interventions"));
  return {
    customer: keyed(party, (row) => ({
      customerId: row.code_client,
      name: row.name,
      shortName: row.name_alias,
      customerStatus: row.status === "1" ? "Active" : "Inactive",
    })),
    customerLocation: keyed(places, (row) => ({
      customer: row.code_client,
      name: row.name,
      street: row.address!.replaceAll(/\s*[\r\n]+\s*/g, ", "),
      zipcode: row.zip,
      city: row.town,
    })),
    customerContact: keyed(contact, (row) => ({
      customer: codes.get(row.socid!)!,
      name: `${row.firstname ?? ""} ${row.lastname ?? ""}`.trim(),
      email: row.email,
      telephone: row.phone_pro,
      mobile: row.phone_mobile,
      labeling: row.poste,
      gender: GENDER[row.civility_code ?? ""] ?? "UNKNOWN",
    })),
    ticket: keyed(ticket, (row) => ({
      erpReferenceNumber: row.ref,
      customer: codes.get(row.fk_soc!)!,
      description: [
        row.subject ?? "",
        (row.message ?? "")
          .replaceAll(/<[^<>]+>/g, "")
          .replaceAll(/\s+/g, " ")
          .trim(),
      ]
        .filter((part) => part !== "")
        .join("\n\n"),
      priority: PRIORITY[row.severity_code ?? ""] ?? "Normal",
      ticketStatus: TICKET_STATUS[row.fk_statut] ?? "Open",
    })),
    svcDocument: keyed(
      order.filter((row) => isCustomers(row.socid) && !row.ref.includes("(PROV")),
      (row) => ({
        erpReferenceNumber: row.ref,
        customer: codes.get(row.socid)!,
        customerLocation: known.get(row.socid) ?? null,
        referenceNumber: row.ref_client,
        externalReferenceNumber: ORDER_STATE[row.statut] ?? "Reopened",
      }),
    ),
  };
}

function keyed<Row extends { id: string }>(
  rows: readonly Row[],
  record: (row: Row) => JsonObject,
): Map<string, JsonObject> {
  return new Map(rows.map((row) => [row.id, record(row)]));
}
