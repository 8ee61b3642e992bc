import { afterEach, describe, expect, it } from "vitest";
import { odooRead, odooSettings } from "../../../src/sources/odoo/schema.ts";
import { openOdoo } from "../../../src/sources/odoo/source.ts";
import { openContext, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";

let server: WebServer;
const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
afterEach(() => server[Symbol.asyncDispose]());

async function partners(answer: (asked: Asked) => Told, settings: object = {}, read: object = {}) {
  server = await startWebServer(answer);
  const source = await openOdoo(
    odooSettings.parse({ url: server.url, database: "db", username: "u", key: "s3cret", ...settings }),
    openContext(clock),
  );
  return source.stream("customers", odooRead.parse({ model: "res.partner", fields: ["name", "parent_id"], ...read }));
}

const types = {
  id: { type: "integer" },
  name: { type: "char" },
  email: { type: "char" },
  active: { type: "boolean" },
  parent_id: { type: "many2one" },
  write_date: { type: "datetime" },
};
const record = {
  id: 7,
  name: "Ann",
  email: false,
  active: false,
  parent_id: [3, "ACME"],
  write_date: "2026-03-01 09:00:00",
};
function json2({ path, body }: Asked): Told {
  if (path.endsWith("fields_get")) return { body: types };
  const later = body.includes('["id",">",7]') || body.includes('"2026-03-01 09:00:01"]');
  return { body: later && !body.includes('"<"') ? [] : body.includes('["id",">",7]') ? [] : [record] };
}

/** The partners of these ids; there is no third. */
function partnersOf(ids: readonly number[]) {
  return ids.filter((id) => id !== 3).map((id) => ({ ...record, id }));
}

const withLines = (id: number, order_line: number[]) => ({ id, order_line, write_date: "2026-03-01 09:00:00" });
const order = (id: number, partner: number | false) => ({
  id,
  partner_id: partner && [partner, "x"],
  write_date: "2026-03-01 09:00:00",
});

const linked = ({ path }: Asked): Told => ({
  body: path.endsWith("other/fields_get")
    ? { city: { type: "char" } }
    : { ...types, parent_id: { type: "many2one", relation: "other" } },
});

describe("an Odoo record", () => {
  it("is made plain", async () => {
    const stream = await partners(json2, {}, { fields: ["name", "email", "active", "parent_id"] });
    expect(await stream.readOne("7", never)).toEqual({
      id: 7,
      name: "Ann",
      email: null,
      active: false,
      parent_id: 3,
      parent_id_label: "ACME",
      write_date: "2026-03-01T09:00:00Z",
    });
  });

  it("without the field that is the stream's key has no key, and is no record", async () => {
    const rows = [record, { ...record, id: 8, email: "b@x.de" }];
    const answer = ({ path, body }: Asked): Told =>
      path.endsWith("fields_get") ? { body: types } : { body: body.includes('["id",">"') ? [] : rows };
    const stream = await partners(answer, {}, { key: "email", fields: ["name"], changed: null });
    expect((await poll(stream)).keys).toEqual(["b@x.de"]);
    expect(await stream.keyless!(never)).toMatchObject([{ place: "res.partner" }]);
  });

  it("is read together with others, in requests of the stream's size", async () => {
    const stream = await partners(
      ({ path, body }) =>
        path.endsWith("fields_get") ? { body: types } : { body: partnersOf(JSON.parse(body).domain[0][2]) },
      {},
      { size: 2 },
    );
    const rows = await stream.readMany!(["1", "2", "3", "1e99"], never);
    expect([...rows.keys()]).toEqual(["1", "2"]);
    const domains = server.asked.flatMap(({ path, body }) =>
      path.endsWith("fields_get") ? [] : JSON.parse(body).domain,
    );
    expect(domains).toEqual([
      ["id", "in", [1, 2]],
      ["id", "in", [3]],
    ]);
  });

  it("is read although it is archived, in the database that is set", async () => {
    await poll(await partners(json2, {}, { context: { lang: "de_DE" } }));
    const { body, headers } = server.asked.at(-1)!;
    expect(JSON.parse(body).context).toEqual({ lang: "de_DE", active_test: false });
    expect(headers).toMatchObject({ authorization: "Bearer s3cret", "x-odoo-database": "db" });
  });

  it("has fields behind its links: one more request for a page", async () => {
    const orders = {
      id: { type: "integer" },
      partner_id: { type: "many2one", relation: "res.partner" },
      write_date: { type: "datetime" },
    };
    const behind = { name: { type: "char" }, commercial_partner_id: { type: "many2one" } };
    const asked: string[] = [];
    const stream = await partners(
      ({ path, body }) => {
        if (path.endsWith("res.partner/fields_get")) return { body: behind };
        if (path.endsWith("fields_get")) return { body: orders };
        if (body.includes('["id",">",3]')) return { body: [] };
        if (!path.includes("res.partner")) return { body: [order(1, 7), order(2, false), order(3, 8)] };
        asked.push(body);
        // The user may not see the partner 8.
        return { body: [{ id: 7, name: false, commercial_partner_id: [3, "ACME"] }] };
      },
      {},
      { model: "sale.order", fields: ["partner_id.commercial_partner_id", "partner_id.name"] },
    );
    const { changes } = await poll(stream);
    expect(changes.map((change) => change.kind === "upsert" && change.row)).toMatchObject([
      {
        partner_id: 7,
        partner_id_commercial_partner_id: 3,
        partner_id_commercial_partner_id_label: "ACME",
        partner_id_name: null,
      },
      { partner_id: null, partner_id_commercial_partner_id: null },
      { partner_id: 8, partner_id_commercial_partner_id: null },
    ]);
    expect(asked.map((body) => JSON.parse(body))).toEqual([
      {
        domain: [["id", "in", [7, 8]]],
        fields: ["commercial_partner_id", "name"],
        limit: 2,
        context: { active_test: false },
      },
    ]);
  });

  it("has the records that a field leads to in a list, in their order and without those that the user may not see", async () => {
    const orders = {
      id: { type: "integer" },
      order_line: { type: "one2many", relation: "sale.order.line" },
      write_date: { type: "datetime" },
    };
    const lines = { name: { type: "text" }, product_id: { type: "many2one" }, qty: { type: "float" } };
    const stream = await partners(
      ({ path, body }) => {
        if (path.endsWith("sale.order.line/fields_get")) return { body: lines };
        if (path.endsWith("fields_get")) return { body: orders };
        if (body.includes('["id",">",2]')) return { body: [] };
        if (!path.includes("sale.order.line")) return { body: [withLines(1, [12, 11, 13]), withLines(2, [])] };
        return {
          body: [
            { id: 11, name: "Fahrt", product_id: false, qty: 1 },
            { id: 12, name: "Wartung", product_id: [5, "Service"], qty: 2.5 },
          ],
        };
      },
      {},
      { model: "sale.order", fields: ["order_line.name", "order_line.product_id", "order_line.qty"] },
    );
    const { changes } = await poll(stream);
    expect(changes.map((change) => change.kind === "upsert" && change.row["order_line"])).toEqual([
      [
        { id: 12, name: "Wartung", product_id: 5, product_id_label: "Service", qty: 2.5 },
        { id: 11, name: "Fahrt", product_id: null, product_id_label: null, qty: 1 },
      ],
      [],
    ]);
  });

  it("is asked for by at most 1,000 ids of one request, however many lines the orders of a page have", async () => {
    const asked: number[] = [];
    const ids = Array.from({ length: 2_001 }, (_, at) => at + 1);
    const stream = await partners(
      ({ path, body }) => {
        if (path.endsWith("sale.order.line/fields_get")) return { body: { name: { type: "text" } } };
        if (path.endsWith("fields_get"))
          return { body: { ...types, order_line: { type: "one2many", relation: "sale.order.line" } } };
        if (body.includes('["id",">",1]')) return { body: [] };
        if (!path.includes("sale.order.line")) return { body: [withLines(1, ids)] };
        const some: number[] = JSON.parse(body).domain[0][2];
        asked.push(some.length);
        return { body: some.map((id) => ({ id, name: `Zeile ${id}` })) };
      },
      {},
      { model: "sale.order", fields: ["order_line.name"] },
    );
    const { changes } = await poll(stream);
    expect(asked).toEqual([1_000, 1_000, 1]);
    expect(changes.map((change) => change.kind === "upsert" && change.row["order_line"])).toEqual([
      ids.map((id) => ({ id, name: `Zeile ${id}` })),
    ]);
  });

  it("has no field behind what is no link, or that the other model lacks", async () => {
    await expect(poll(await partners(linked, {}, { fields: ["name.x"] }))).rejects.toMatchObject({
      message: expect.stringContaining("name leads to no other record"),
    });
    await server[Symbol.asyncDispose]();
    await expect(poll(await partners(linked, {}, { fields: ["parent_id.cty"] }))).rejects.toMatchObject({
      message: expect.stringContaining("other has no field cty; was city meant?"),
    });
  });

  it("is never asked for by `>` or `=` on its stamp", async () => {
    await poll(await partners(json2), { read: Date.parse("2026-03-01T09:05:00Z") });
    const domains = server.asked.flatMap(({ body }) => JSON.parse(body).domain ?? []);
    const stamps = domains.filter(
      ([field, , value]: [string, string, unknown]) => field === "write_date" && value !== false,
    );
    expect(new Set(stamps.map(([, operator]: [string, string]) => operator))).toEqual(new Set([">=", "<"]));
  });
});

const rpc =
  (name: string, message: string) =>
  (asked: Asked): Told =>
    asked.body.includes('"common"')
      ? { body: { result: 7 } }
      : { body: { error: { code: 200, message: "Odoo Server Error", data: { name, message } } } };

describe("an error of Odoo", () => {
  it("that comes of JSON-2 at version 18 and earlier names what these speak", async () => {
    const body = "<!DOCTYPE html><title>404 Not Found</title>";
    await expect(poll(await partners(() => ({ status: 404, body })))).rejects.toMatchObject({
      code: "E_SOURCE_NOT_FOUND",
      message: expect.stringMatching(/begins with version 19: for 16 to 18 set `protocol: jsonrpc`.*odoo18/),
    });
  });

  const protocol = { protocol: "jsonrpc" };

  it.each([
    ["odoo.exceptions.AccessDenied", "E_SOURCE_LOGIN"],
    ["odoo.exceptions.AccessError", "E_SOURCE_FORBIDDEN"],
    ["builtins.ValueError", "E_SOURCE_REQUEST"],
    ["psycopg2.errors.SerializationFailure", "E_SOURCE_FAILED"],
    // What a restart of PostgreSQL is called that Odoo notices at different moments.
    ["psycopg2.errors.AdminShutdown", "E_SOURCE_FAILED"],
    ["psycopg2.InterfaceError", "E_SOURCE_FAILED"],
  ])("%s in a 200 is %s", async (name, code) => {
    await expect(poll(await partners(rpc(name, "why"), protocol))).rejects.toMatchObject({ code });
  });

  it("is a wrong password where the login is answered with false", async () => {
    const failing = partners(() => ({ body: { result: false } }), protocol);
    await expect(poll(await failing)).rejects.toMatchObject({
      code: "E_SOURCE_LOGIN",
      message: expect.not.stringContaining("s3cret"),
    });
  });

  it("about a user who has another id by now ends with the next login", async () => {
    let id = 7;
    const stream = await partners(({ body }) => {
      const { service, args } = JSON.parse(body).params;
      if (service === "common") return { body: { result: id } };
      if (args[1] !== id) return { body: { error: { data: { name: "odoo.exceptions.AccessDenied", message: "" } } } };
      return { body: { result: args[4] === "fields_get" ? types : [] } };
    }, protocol);
    await poll(stream);
    id = 8;
    await expect(poll(stream)).rejects.toMatchObject({ code: "E_SOURCE_LOGIN" });
    expect((await poll(stream)).keys).toEqual([]);
  });

  it("names the field that was meant", async () => {
    await expect(poll(await partners(json2, {}, { fields: ["emial"] }))).rejects.toMatchObject({
      message: expect.stringContaining("was email meant?"),
    });
  });

  it("is refused at once when jsonrpc has no user", async () => {
    await expect(partners(json2, { ...protocol, username: undefined })).rejects.toMatchObject({
      code: "E_SOURCE_SETTINGS",
    });
  });
});
