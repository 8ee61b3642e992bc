import { isJsonObject, type Json, type JsonObject } from "#model";
import { HttpErp, type ErpRow } from "../sources/http-erp.ts";
import { odataService } from "../sources/odata/service.ts";
import { search, type SearchParameters } from "../sources/odoo/odoo-server.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../kit/http.ts";

export const webTables = ["incidents", "clients", "partners"] as const;
export type WebTable = (typeof webTables)[number];

/** Three ERPs on one server: OData, a JSON API and Odoo. They are honest; the proxy before them is not. */
export interface WebErp extends AsyncDisposable {
  readonly url: string;
  readonly tables: Readonly<Record<WebTable, HttpErp>>;
}

export async function startWebErp(): Promise<WebErp> {
  const tables = { incidents: new HttpErp(), clients: new HttpErp(), partners: new HttpErp() };
  const server: WebServer = await startWebServer((asked) => {
    // Everything that was ever asked would be kept.
    server.asked.length = 0;
    if (asked.path.startsWith("/odata/")) return odata(tables.incidents, asked);
    if (asked.path.startsWith("/rest/")) return rest(tables.clients, asked);
    return odoo(tables.partners, asked);
  });
  return { url: server.url, tables, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const utc = (stamp: number | null) => (stamp === null ? null : new Date(stamp / 1_000).toISOString());

function odata(erp: HttpErp, asked: Asked): Told {
  const rows = [...erp.rows.values()].map(({ key, name, stamp }) => ({ no: key, name, changedAt: utc(stamp) }));
  const types = { no: "String", name: "String", changedAt: "DateTimeOffset" };
  return odataService({ incidents: { version: "v4", keys: ["no"], types, rows: () => rows } }, asked);
}

const wire = ({ key, name, stamp }: ErpRow): JsonObject => ({ no: key, name, changed: utc(stamp) });

function rest(erp: HttpErp, { path, query }: Asked): Told {
  if (path !== "/rest/clients") {
    const row = erp.rows.get(decodeURIComponent(path.slice("/rest/clients/".length)));
    return row ? { body: wire(row) } : { status: 404, body: { message: "none" } };
  }
  const micros = (name: string) => (query.has(name) ? Date.parse(query.get(name)!) * 1_000 : undefined);
  const limit = Number(query.get("size"));
  const offset = (Number(query.get("page") ?? 1) - 1) * limit;
  const order = query.get("sort") === "changed" ? "stamp" : "key";
  return { body: erp.select({ from: micros("from"), below: micros("to"), order, offset, limit }).map(wire) };
}

function odoo(erp: HttpErp, { path, body }: Asked): Told {
  const [, , , model, method] = path.split("/");
  if (model !== "res.partner") return { status: 404, body: { message: "no such model" } };
  const types = { id: "integer", ref: "char", name: "char", active: "boolean", write_date: "datetime" };
  if (method === "fields_get")
    return { body: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])) };
  const parameters: Json = JSON.parse(body);
  if (!isJsonObject(parameters) || !Array.isArray(parameters["domain"])) return { status: 422, body: { message: "?" } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what else is missing shows as an error of this server
  return { body: search(erp, parameters as unknown as SearchParameters) };
}
