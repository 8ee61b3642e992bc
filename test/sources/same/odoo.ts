import { isJsonObject, type Json, type JsonObject } from "#model";
import { type Asked, type Told, startWebServer } from "../../kit/http.ts";
import { tables, text, type ErpRows, type ErpTable } from "./erp-rows.ts";
import type { Serve } from "./served.ts";

/** Models whose records are named by their ids and name each other by many2one fields; what is empty is `false`. */
export const serveOdoo: Serve = async (rows) => {
  const models = modelsOf(rows);
  const server = await startWebServer((asked) => answer(models, asked));
  return {
    source: `{ adapter: odoo, url: "${server.url}", database: erp, key: k3y }`,
    read(table) {
      const fields = Object.keys(models[table].types).filter((name) => name !== "id" && name !== "write_date");
      return `{ model: x.${table}, key: id, fields: [${fields.join(", ")}] }`;
    },
    column: (name) => `x_${name}`,
    parents: { customer: "partner_id", contact: "contact_id", ticket: "ticket_id" },
    contactKey: "x_contact_key",
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

interface Model {
  readonly types: Readonly<Record<string, string>>;
  readonly records: readonly JsonObject[];
}

function modelsOf({ of }: ErpRows): Record<ErpTable, Model> {
  const ids = {
    customer: new Map(of.customers.map((row, at) => [text(row, "customer_no"), at + 1])),
    contact: new Map(of.contacts.map((row, at) => [contactKey(row), at + 1])),
    ticket: new Map(of.tickets.map((row, at) => [text(row, "ticket_no"), at + 1])),
  };
  const record = (row: JsonObject, at: number): JsonObject => ({
    ...Object.fromEntries(
      Object.entries(row).map(([name, value]) => [`x_${name}`, value === "" ? false : (value ?? false)]),
    ),
    id: at + 1,
    write_date: text(row, "updated_at").slice(0, 19),
    x_contact_key: contactKey(row),
    partner_id: link(ids.customer, text(row, "customer_no")),
    contact_id: link(ids.contact, contactKey(row)),
    ticket_id: link(ids.ticket, text(row, "ticket_no")),
  });
  const model = (table: ErpTable): Model => {
    const records = of[table].map(record);
    const types = Object.fromEntries(Object.keys(records[0]!).map((name) => [name, typeOf(name)]));
    return { types, records };
  };
  const [customers, contacts, tickets, service_orders] = tables.map(model);
  return { customers: customers!, contacts: contacts!, tickets: tickets!, service_orders: service_orders! };
}

function contactKey(row: JsonObject): string {
  return `${text(row, "customer_no")}/${text(row, "contact_no")}`;
}

function link(known: ReadonlyMap<string, number>, key: string): Json {
  const id = known.get(key);
  return id === undefined ? false : [id, `label of ${key}`];
}

function typeOf(name: string): string {
  if (name === "id" || name === "x_billable") return "integer";
  if (name === "write_date") return "datetime";
  return name.endsWith("_id") ? "many2one" : "char";
}

function answer(models: Record<ErpTable, Model>, { path, headers, body }: Asked): Told {
  if (headers.authorization !== "Bearer k3y") return { status: 401, body: { message: "Invalid apikey" } };
  const [, , , name = "", method] = path.split("/");
  const table = tables.find((one) => name === `x.${one}`);
  if (table === undefined) return { status: 404, body: { message: `no model ${name}` } };
  const { types, records } = models[table];
  if (method === "fields_get")
    return { body: Object.fromEntries(Object.entries(types).map(([field, type]) => [field, { type }])) };
  const { domain, limit, fields }: { domain: [string, string, number][]; limit: number; fields: string[] } =
    JSON.parse(body);
  // A first reading asks for nothing but what follows an id.
  if (domain.some(([field, operator]) => field !== "id" || operator !== ">")) throw new Error(JSON.stringify(domain));
  const after = domain[0]?.[2] ?? 0;
  const page = records.slice(after, after + limit);
  return {
    body: page
      .filter(isJsonObject)
      .map((row) => Object.fromEntries(fields.map((field) => [field, row[field] ?? false]))),
  };
}
