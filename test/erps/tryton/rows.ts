import { z } from "zod";
import type { Json, JsonObject } from "#model";
import type { Records } from "../erp.ts";
import type { Company } from "./company.ts";

const parties = z.array(z.object({ id: z.int(), code: z.string(), name: z.string(), active: z.boolean() }));
const text = z.string().transform((value) => (value === "" ? null : value));
const person = z.object({ name: z.string(), email: text, phone: text, mobile: text });
const relations = z.array(z.object({ id: z.int(), to: z.int(), "from_.": person }));
const complaints = z.array(
  z.object({
    id: z.int(),
    number: z.string(),
    customer: z.int(),
    description: z.string(),
    state: z.enum(["draft", "waiting", "approved", "rejected", "done", "cancelled"]),
  }),
);
const sales = z.array(
  z.object({
    id: z.int(),
    number: z.string(),
    party: z.int(),
    reference: z.string(),
    state: z.enum(["draft", "quotation", "confirmed", "processing", "done", "cancelled"]),
  }),
);

const TICKET_STATUS = {
  draft: "Open",
  waiting: "Waiting",
  approved: "Open",
  rejected: "Closed",
  done: "Closed",
  cancelled: "Closed",
};

const ORDER_STATE = {
  draft: "Draft",
  quotation: "Quotation",
  confirmed: "Confirmed",
  processing: "Processing",
  done: "Done",
  cancelled: "Cancelled",
};

/** What the service should hold of what `read` shows; `codes` are those of the parties by id. */
export async function recordsOf(
  codes: ReadonlyMap<number, string>,
  { category, relationType }: Company,
  read: (model: string, where: Json, fields: string[]) => Promise<Json>,
): Promise<Records> {
  const party = await read("party.party", [["categories", "=", category]], ["code", "name", "active"]);
  const persons = ["to", "from_.name", "from_.email", "from_.phone", "from_.mobile"];
  const relation = await read("party.relation.all", [["type", "=", relationType]], persons);
  const complaint = await read("sale.complaint", [], ["number", "customer", "description", "state"]);
  const sale = await read("sale.sale", [["number", "!=", null]], ["number", "party", "reference", "state"]);
  return {
    customer: byId(parties.parse(party), (row) => ({
      customerId: row.code,
      name: row.name,
      customerStatus: row.active ? "Active" : "Inactive",
    })),
    customerContact: byId(relations.parse(relation), ({ to, "from_.": { name, email, phone, mobile } }) => ({
      customer: codes.get(to)!,
      name,
      email,
      telephone: phone,
      mobile,
    })),
    ticket: byId(complaints.parse(complaint), (row) => ({
      erpReferenceNumber: row.number,
      customer: codes.get(row.customer)!,
      description: `Repair\n\n${row.description}`,
      priority: "Normal",
      ticketStatus: TICKET_STATUS[row.state],
    })),
    svcDocument: byId(sales.parse(sale), (row) => ({
      erpReferenceNumber: row.number,
      customer: codes.get(row.party)!,
      referenceNumber: row.reference,
      externalReferenceNumber: ORDER_STATE[row.state],
    })),
  };
}

function byId<Row extends { id: number }>(rows: readonly Row[], record: (row: Row) => JsonObject) {
  return new Map(rows.map((row) => [String(row.id), record(row)]));
}
