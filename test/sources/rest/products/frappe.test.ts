import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "#model";
import { type WebServer, startWebServer } from "../../../kit/http.ts";
import { ask, miscounted, unsourced, queryOf, type Behaviour } from "./asking.ts";
import { BUSY, FrappeSite, UPDATING } from "./frappe/site.ts";

const API = "frappe/api/v1.py";
const VIEW = "frappe/desk/reportview.py, validate_args (called by frappe/client.py, get_list)";
const QUERY = "frappe/model/db_query.py (15), frappe/database/query.py (16)";
const QUERY_16 = "frappe/database/query.py (16)";
const ERRORS = "frappe/exceptions.py, frappe/utils/response.py, report_error";
const AUTH = "frappe/auth.py, validate_auth_via_api_keys";
const DELETE = "frappe/model/delete_doc.py, add_to_deleted_document";
const LIMIT = "frappe/rate_limiter.py";

let site: FrappeSite;
let server: WebServer;
const noon = Date.parse("2026-03-02T11:00:00Z") * 1000;

async function start(options = {}): Promise<void> {
  site = new FrappeSite({ now: () => noon, ...options });
  server = await startWebServer((asked) => site.answer(asked));
}
beforeEach(() => start());
afterEach(() => server[Symbol.asyncDispose]());
/** The same on a site of version 16. */
async function on16(): Promise<void> {
  await server[Symbol.asyncDispose]();
  await start({ version: 16 });
}

const get = (
  docType: string,
  parameters: Record<string, Json> = {},
  headers: Record<string, string> = { authorization: "token key:secret" },
) => ask(server, `/api/resource/${encodeURIComponent(docType)}?${queryOf(parameters)}`, headers);
const names = async (docType: string, parameters: Record<string, Json>) =>
  (await get(docType, parameters)).json.data.map((row: { name: string }) => row.name);
const customer = (name: string, values = {}, options = {}) =>
  site.save("Customer", name, { customer_name: name, ...values }, options);
const contact = (name: string, ...links: [string, string][]) =>
  site.save("Contact", name, {
    full_name: name,
    links: links.map(([link_doctype, link_name]) => ({
      link_doctype,
      link_name,
      parent: name,
      parentfield: "links",
      parenttype: "Contact",
    })),
  });
const said = (answer: { json: { _server_messages: string } }) =>
  JSON.parse(JSON.parse(answer.json._server_messages)[0]).message;

async function expectFieldRefused(): Promise<void> {
  for (const parameters of [{ fields: ["custmer_name"] }, { filters: [["custmer_name", "=", "x"]] }]) {
    const answer = await get("Customer", parameters);
    const expected = [417, "DataError", "Field not permitted in query: custmer_name"];
    expect([answer.status, answer.json.exc_type, said(answer)]).toEqual(expected);
  }
}

const found = (...filters: Json[]) => names("Customer", { filters, order_by: "name asc" });

const behaviours: readonly Behaviour[] = [
  {
    what: "takes `token key:secret` as Authorization",
    source: AUTH,
    shows: async () => expect((await get("Customer")).status).toBe(200),
  },
  {
    what: "takes the same pair as Basic too",
    source: AUTH,
    shows: async () => {
      const authorization = `Basic ${Buffer.from("key:secret").toString("base64")}`;
      expect((await get("Customer", {}, { authorization })).status).toBe(200);
    },
  },
  {
    what: "answers 401 AuthenticationError to a wrong secret, without a message",
    source: `${AUTH}; ${ERRORS}`,
    shows: async () => {
      const answer = await get("Customer", {}, { authorization: "token key:old" });
      expect([answer.status, answer.json.exc_type, answer.json._server_messages]).toEqual([
        401,
        "AuthenticationError",
        undefined,
      ]);
    },
  },
  {
    what: "answers 403 without credentials: Guest may read nothing",
    source: `${AUTH}; ${ERRORS}`,
    shows: async () => expect((await get("Customer", {}, {})).status).toBe(403),
  },
  {
    what: "gives 20 rows, and of each only its name",
    source: `${API}, document_list`,
    shows: async () => {
      for (let at = 10; at < 40; at++) customer(`C-${at}`);
      const { data } = (await get("Customer")).json;
      expect(data).toHaveLength(20);
      expect(Object.keys(data[0])).toEqual(["name"]);
    },
  },
  {
    what: "gives as many as limit_page_length or limit says, all of them at 0, beginning at limit_start",
    source: `${API}, document_list`,
    shows: async () => {
      for (let at = 10; at < 40; at++) customer(`C-${at}`);
      expect(await names("Customer", { limit: 25 })).toHaveLength(25);
      expect(await names("Customer", { limit_page_length: 0 })).toHaveLength(30);
      expect(await names("Customer", { order_by: "name asc", limit_start: 29 })).toEqual(["C-39"]);
    },
  },
  {
    what: "gives every column for *",
    source: VIEW,
    shows: async () => {
      customer("C-1", { tax_id: "DE1" });
      expect((await get("Customer", { fields: ["*"] })).json.data[0]).toMatchObject({
        tax_id: "DE1",
        website: null,
        docstatus: 0,
      });
    },
  },
  {
    what: "refuses an unknown field in fields and filters with 417 and names it (15)",
    source: VIEW,
    shows: expectFieldRefused,
  },
  {
    what: "does so in version 16 too",
    source: VIEW,
    shows: async () => {
      await on16();
      await expectFieldRefused();
    },
  },
  {
    what: "leaves an unknown column to sort by to the database: 500 (15)",
    source: "frappe/model/db_query.py",
    shows: async () => expect((await get("Customer", { order_by: "custmer_name asc" })).status).toBe(500),
  },
  {
    what: "takes an unknown field to sort by for one without permission: 403 (16)",
    source: `${QUERY_16}, _validate_and_parse_field_for_clause`,
    shows: async () => {
      await on16();
      expect((await get("Customer", { order_by: "custmer_name asc" })).json.exc_type).toBe("PermissionError");
    },
  },
  {
    what: "refuses an unknown operator with 417 (15)",
    source: "frappe/utils/data.py, get_filter",
    shows: async () => {
      const answer = await get("Customer", { filters: [["name", "~", "x"]] });
      expect([answer.status, said(answer)]).toEqual([417, expect.stringContaining("Operator must be one of")]);
    },
  },
  {
    what: "fails with 500 at an unknown operator (16)",
    source: `${QUERY_16}, _build_criterion_for_simple_filter`,
    shows: async () => {
      await on16();
      expect((await get("Customer", { filters: [["name", "~", "x"]] })).status).toBe(500);
    },
  },
  {
    what: "joins filters by and, with the operators of Frappe",
    source: QUERY,
    shows: async () => {
      customer("C-1", { disabled: 0, language: "de" });
      customer("C-2", { disabled: 1, language: null });
      expect(await found(["disabled", "=", 0], ["name", "like", "C-%"])).toEqual(["C-1"]);
      expect(await found(["name", "in", ["C-2", "C-3"]])).toEqual(["C-2"]);
      expect(await found(["language", "is", "not set"])).toEqual(["C-2"]);
      expect(await found(["name", ">", "C-1"])).toEqual(["C-2"]);
    },
  },
  {
    what: "compares and sorts names without regard to upper and lower case",
    source: `${QUERY}: the collation utf8mb4_unicode_ci, frappe/database/mariadb/framework_mariadb.sql.py`,
    shows: async () => {
      for (const name of ["beta", "Alpha", "Ärger"]) customer(name);
      expect(await names("Customer", { order_by: "name asc" })).toEqual(["Alpha", "Ärger", "beta"]);
      expect(await names("Customer", { filters: [["name", ">", "ALPHA"]], order_by: "name asc" })).toEqual([
        "Ärger",
        "beta",
      ]);
    },
  },
  {
    what: "writes stamps as the site's local time with microseconds, and without a fraction where it is 0",
    source: "frappe/utils/response.py, json_handler (str of a datetime); frappe/utils/data.py, now_datetime",
    shows: async () => {
      customer("C-1", {}, { stamp: noon + 7 });
      customer("C-2", {}, { stamp: noon });
      const { data } = (await get("Customer", { fields: ["modified"], order_by: "name asc" })).json;
      expect(data).toEqual([{ modified: "2026-03-02 12:00:00.000007" }, { modified: "2026-03-02 12:00:00" }]);
    },
  },
  {
    what: "compares stamps as instants, whatever their fraction",
    source: QUERY,
    shows: async () => {
      customer("C-1", {}, { stamp: noon });
      expect(await names("Customer", { filters: [["modified", ">=", "2026-03-02 12:00:00.000000"]] })).toEqual(["C-1"]);
      expect(await names("Customer", { filters: [["modified", "<", "2026-03-02 12:00:00.000001"]] })).toEqual(["C-1"]);
    },
  },
  {
    what: "promises no order among documents of equal rank",
    source: QUERY,
    shows: async () => {
      for (const name of ["C-1", "C-2", "C-3"]) customer(name);
      expect(await names("Customer", { order_by: "modified asc" })).not.toEqual(["C-1", "C-2", "C-3"]);
    },
  },
  {
    what: "gives a document once for each row of a child table whose fields were asked for",
    source: `${QUERY}, ChildTableField.apply_join`,
    shows: async () => {
      contact("Mia", ["Customer", "C-1"], ["Supplier", "S-1"]);
      const { data } = (await get("Contact", { fields: ["name", "links.link_name"] })).json;
      expect(data.toSorted((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual([
        { name: "Mia", link_name: "C-1" },
        { name: "Mia", link_name: "S-1" },
      ]);
    },
  },
  {
    what: "filters by a child table with four parts, also by parenttype",
    source: `${VIEW}, validate_filters; ${QUERY}`,
    shows: async () => {
      contact("Mia", ["Customer", "C-1"], ["Supplier", "S-1"]);
      contact("Max", ["Supplier", "S-1"]);
      const filters: Json = [
        ["Dynamic Link", "link_doctype", "=", "Customer"],
        ["Dynamic Link", "parenttype", "=", "Contact"],
      ];
      expect((await get("Contact", { fields: ["name", "links.link_name"], filters })).json.data).toEqual([
        { name: "Mia", link_name: "C-1" },
      ]);
    },
  },
  {
    what: "refuses such a filter by a DocType that is no child of it (16)",
    source: `${QUERY_16}, _validate_and_prepare_filter_field`,
    shows: async () => {
      await on16();
      const answer = await get("Contact", { filters: [["Issue", "status", "=", "Open"]] });
      expect([answer.status, said(answer)]).toEqual([417, "Issue is not a child table of Contact"]);
    },
  },
  {
    what: "reads one document by its name, with its child tables",
    source: `${API}, read_doc`,
    shows: async () => {
      contact("Mia", ["Customer", "C-1"]);
      expect(
        (await ask(server, "/api/resource/Contact/Mia", { authorization: "token key:secret" })).json.data,
      ).toMatchObject({ links: [{ link_name: "C-1" }] });
    },
  },
  {
    what: "answers 404 DoesNotExistError to an unknown name and to an unknown DocType",
    source: `${API}; ${ERRORS}`,
    shows: async () => {
      for (const path of ["Customer/C-9", "Custmer"]) {
        const answer = await ask(server, `/api/resource/${path}`, { authorization: "token key:secret" });
        expect([answer.status, answer.json.exc_type]).toEqual([404, "DoesNotExistError"]);
      }
    },
  },
  {
    what: "answers 403 PermissionError where no role of the user reads a DocType",
    source: `${QUERY}, check_read_permission; the permissions in erpnext/support/doctype/issue/issue.json`,
    shows: async () => {
      site.roles = ["Sales User"];
      expect((await get("Customer")).status).toBe(200);
      const answer = await get("Issue");
      expect([answer.status, answer.json.exc_type]).toEqual([403, "PermissionError"]);
    },
  },
  {
    what: "lets nobody but the System Manager read Deleted Document",
    source: "frappe/core/doctype/deleted_document/deleted_document.json, permissions",
    shows: async () => {
      site.roles = ["Sales User", "Support Team", "Maintenance User"];
      expect((await get("Deleted Document")).status).toBe(403);
    },
  },
  {
    what: "hides documents that a user permission does not name; an empty link hides nothing",
    source: `${QUERY}, get_user_permission_conditions`,
    shows: async () => {
      customer("C-1");
      customer("C-2");
      for (const [name, of] of [
        ["I-1", "C-1"],
        ["I-2", "C-2"],
        ["I-3", null],
      ] as const)
        site.save("Issue", name, { customer: of });
      site.permitted.set("Customer", ["C-1"]);
      expect(await names("Customer", {})).toEqual(["C-1"]);
      expect(await names("Issue", { order_by: "name asc" })).toEqual(["I-1", "I-3"]);
    },
  },
  {
    what: "notes a deletion in Deleted Document under the time of the deletion",
    source: DELETE,
    shows: async () => {
      customer("C-1");
      site.remove("Customer", "C-1");
      const fields = ["deleted_doctype", "deleted_name", "creation", "restored"];
      const { data } = (await get("Deleted Document", { fields })).json;
      expect(data).toEqual([
        { deleted_doctype: "Customer", deleted_name: "C-1", creation: "2026-03-02 12:00:00", restored: 0 },
      ]);
    },
  },
  {
    what: "notes nothing of a document that is deleted permanently",
    source: "frappe/model/delete_doc.py, delete_permanently",
    shows: async () => {
      customer("C-1");
      site.remove("Customer", "C-1", { permanently: true });
      expect(await names("Deleted Document", {})).toEqual([]);
    },
  },
  {
    what: "tells no list of a renaming; links follow without a new stamp",
    source: "frappe/model/rename_doc.py, update_link_field_values",
    shows: async () => {
      customer("C-1");
      site.save("Issue", "I-1", { customer: "C-1" }, { stamp: noon - 1 });
      site.rename("Customer", "C-1", "C-9");
      expect(await names("Deleted Document", {})).toEqual([]);
      const { data } = (await get("Issue", { fields: ["customer", "modified"] })).json;
      expect(data).toEqual([{ customer: "C-9", modified: "2026-03-02 11:59:59.999999" }]);
    },
  },
  {
    what: "says no more than exc_type and _server_messages where tracebacks are off",
    source: ERRORS,
    shows: async () => {
      site.tracebacks = false;
      const { json } = await get("Customer", { fields: ["custmer_name"] });
      expect(Object.keys(json)).toEqual(["exc_type", "_server_messages"]);
    },
  },
  {
    what: "answers 429 as plain text with Retry-After and the X-RateLimit headers",
    source: `${LIMIT}, RateLimiter.headers and respond`,
    shows: async () => {
      server.instead.push(BUSY);
      const { status, text, headers } = await get("Customer");
      expect([status, text, headers.get("retry-after"), headers.get("x-ratelimit-remaining")]).toEqual([
        429,
        "Too Many Requests",
        "1",
        "0",
      ]);
    },
  },
  {
    what: "answers 503 with a page while the site is updated",
    source: "frappe/utils/response.py, handle_session_stopped",
    shows: async () => {
      server.instead.push(UPDATING);
      expect((await get("Customer")).text).toContain("<title>Updating</title>");
    },
  },
];

describe(`a local Frappe site with ${behaviours.length} behaviours of its public source`, () => {
  it.each(behaviours)("$what", async (behaviour) => {
    await expect(behaviour.shows().then(() => "shown")).resolves.toBe("shown");
  });

  it("names the source of each", () => {
    expect(unsourced(behaviours)).toEqual([]);
  });

  it("is counted in the field guide and the table of what was proven", () => {
    expect(miscounted("erpnext", behaviours)).toEqual([]);
  });
});
