import type { Json, JsonObject } from "#model";
import { odooRead, odooSettings } from "../../../src/sources/odoo/schema.ts";
import { openOdoo } from "../../../src/sources/odoo/source.ts";
import { describeSource, keptTable } from "../../conformance/source-contract.ts";
import { httpHarness, type HttpErp, type HttpErpKind } from "../http-erp.ts";
import { openContext } from "../reading.ts";
import type { Asked, Told } from "../../kit/http.ts";
import { search, type SearchParameters } from "./odoo-server.ts";

const fields: JsonObject = {
  id: { type: "integer" },
  ref: { type: "char" },
  name: { type: "char" },
  active: { type: "boolean" },
  write_date: { type: "datetime" },
};

function result(erp: HttpErp, model: string, method: string, parameters: SearchParameters): Json {
  if (model !== "res.partner") throw new Error(`no model ${model}`);
  const { write_date: _stamp, ...rest } = fields;
  if (method === "fields_get") return erp.broken ? rest : fields;
  if (erp.broken) throw new Error("Invalid field res.partner.write_date in leaf");
  return search(erp, parameters);
}

function json2(erp: HttpErp, { path, headers, body }: Asked): Told {
  if (headers.authorization !== "Bearer k3y")
    return { status: 401, body: { name: "Unauthorized", message: "Invalid apikey" } };
  const [, , , model = "", method = ""] = path.split("/");
  try {
    return { body: result(erp, model, method, JSON.parse(body)) };
  } catch (thrown) {
    return { status: 422, body: { name: "builtins.ValueError", message: String(thrown) } };
  }
}

function jsonrpc(erp: HttpErp, { body }: Asked): Told {
  const { params } = JSON.parse(body);
  if (params.service === "common")
    return { body: { jsonrpc: "2.0", id: 1, result: params.args[2] === "k3y" ? 7 : false } };
  const [, , , model, method, , parameters] = params.args;
  try {
    return { body: { jsonrpc: "2.0", id: 1, result: result(erp, model, method, parameters) } };
  } catch (thrown) {
    const data = { name: "builtins.ValueError", message: String(thrown) };
    return { body: { jsonrpc: "2.0", id: 1, error: { code: 200, message: "Odoo Server Error", data } } };
  }
}

function kind(protocol: "json2" | "jsonrpc"): HttpErpKind {
  return {
    answer: protocol === "json2" ? json2 : jsonrpc,
    async open(url, { pageSize }, clock) {
      const login = { protocol, database: "db", username: "u", key: "k3y" };
      const source = await openOdoo(odooSettings.parse({ url, ...login }), openContext(clock));
      const read = { model: "res.partner", key: "ref", fields: ["name", "active"], size: pageSize, margin: "0s" };
      return source.stream("customers", odooRead.parse(read));
    },
  };
}

const table = keptTable();
describeSource({ name: "odoo json2", open: () => httpHarness(kind("json2")) }, table);
describeSource({ name: "odoo jsonrpc", open: () => httpHarness(kind("jsonrpc")) }, table);
