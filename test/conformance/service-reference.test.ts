import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, passwordLogin, standIn } from "../service/stand-in.ts";
import { openTenant, rowsOf, type Tenant } from "./service-tenant.ts";
import { never, thrownBy } from "../kit/outcome.ts";

/** What the reference says of the service, in its order, as the client makes use of it. */
describe("the client, sentence by sentence of the reference", () => {
  let tenant: Tenant;
  let customer: number;
  let document: number;
  beforeAll(async () => {
    tenant = await openTenant();
    customer = (await tenant.service.create("customer", tenant.customer(1), never)).serviceId;
    const ticketFields = {
      description: "Heizung fällt aus",
      customer,
      priority: tenant.named("priority", "Low"),
      ticketStatus: tenant.named("ticketStatus", "Open"),
      tags: [tenant.named("tag", "VIP")],
    };
    const ticket = (await tenant.service.create("ticket", ticketFields, never)).serviceId;
    document = (await tenant.service.create("svcDocument", { customer, ticket }, never)).serviceId;
  });
  afterAll(() => tenant[Symbol.asyncDispose]());
  const ticketId = () => tenant.sandbox.records("ticket")[0]?.id ?? 0;
  const tags = () => tenant.sandbox.record("ticket", ticketId())?.["tags"];
  const named = (...names: string[]) => names.map((name) => tenant.named("tag", name));
  const change = (add: number[], remove: number[]) =>
    tenant.service.update("ticket", ticketId(), { fields: {}, arrays: { tags: { add, remove } } }, never);

  describe("section 3, states", () => {
    it("a token is valid until its expiry, and extended by each request where that was asked for", async () => {
      const clock = { at: Date.now(), now: () => clock.at };
      for (const [lifeTimeRefresh, logins] of [
        [true, 1],
        [false, 2],
      ] as const) {
        await using timed = await openTenant({ clock }, {}, { login: { ...passwordLogin, lifeTimeRefresh } }, clock);
        for (let at = 0; at < 3; at++) {
          await timed.service.ping(never);
          clock.at += 40 * 60_000;
        }
        expect(timed.requests("login", "POST")).toBe(logins);
      }
    });
  });

  describe("section 4.1, conventions", () => {
    it("resource endpoints are under {base_url}/restApi/v1/<resource>", () => {
      const urls = tenant.sandbox.ledger.requests({ resource: "customer" }).map(({ url }) => url.split("?")[0]);
      expect(new Set(urls)).toEqual(new Set(["/restApi/v1/customer"]));
    });

    it("every resource call carries Authorization: Bearer", async () => {
      expect(tenant.sandbox.ledger.requests({ status: 401 })).toEqual([]);
      expect(tenant.sandbox.ledger.requests({ resource: "customer" })[0]?.username).toBe("sync");
    });

    it("lists are read by GET with fields and limit, records by GET with fields", async () => {
      await rowsOf(tenant, "department", ["name"]);
      const [department] = tenant.sandbox.records("department");
      await tenant.service.read("department", department?.id ?? 0, ["name"], never);
      const urls = tenant.sandbox.ledger.requests({ resource: "department" }).map(({ method, url }) => [method, url]);
      expect(urls).toEqual([
        ["GET", expect.stringMatching(/^\/restApi\/v1\/department\?(?=.*fields=id%2Cname)(?=.*limit=50)/)],
        ["GET", `/restApi/v1/department/${department?.id}?fields=id%2Cname`],
      ]);
    });

    it("records are created by POST to the resource, edited by PUT and deleted by DELETE at the record", async () => {
      const { serviceId } = await tenant.service.create("away", { name: "Urlaub" }, never);
      await tenant.service.update("away", serviceId, { fields: { name: "Kur" }, arrays: {} }, never);
      await tenant.service.remove("away", serviceId, never);
      const requests = tenant.sandbox.ledger.requests({ resource: "away" });
      expect(requests.map(({ method, url }) => `${method} ${url.split("?")[0]}`)).toEqual([
        "POST /restApi/v1/away",
        `PUT /restApi/v1/away/${serviceId}`,
        `DELETE /restApi/v1/away/${serviceId}`,
      ]);
    });

    it("payloads are JSON, sent and asked for as such; a deletion has none", async () => {
      const sent: string[] = [];
      await using server = await standIn(({ method, headers }) => {
        sent.push(`${method} ${headers.accept} ${headers["content-type"] ?? "-"} ${headers["content-length"] ?? "-"}`);
        return { json: { id: 7, name: "A" } };
      });
      await using client = open(server.url);
      await client.service.read("customer", 7, ["name"], never);
      await client.service.create("customer", { name: "A" }, never);
      await client.service.remove("customer", 7, never);
      expect(sent).toEqual([
        "GET application/json - -",
        "POST application/json application/json 12",
        "DELETE application/json - -",
      ]);
    });

    it("not every resource supports every operation: what is refused is told with its status, and never repeated", async () => {
      const [tag] = tenant.sandbox.records("tag");
      const removal = tenant.service.remove("materialItem", tag?.id ?? 0, never);
      expect(await thrownBy(removal)).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED" });
      const [message] = tenant.sandbox.seed("svcDocumentMessage", [{ svcDocument: document, content: "x" }]);
      const edit = { fields: { content: "y" }, arrays: {} };
      const thrown = await thrownBy(tenant.service.update("svcDocumentMessage", message?.id ?? 0, edit, never));
      expect(thrown).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED", details: { status: 405 } });
      expect(tenant.requests("svcDocumentMessage", "PUT")).toBe(1);
    });

    it("fields absent from the payload of an edit are left unchanged", async () => {
      await tenant.service.update("customer", customer, { fields: { info: "Hinweis" }, arrays: {} }, never);
      expect(tenant.sandbox.record("customer", customer)).toMatchObject({ name: "Kunde 1", info: "Hinweis" });
    });
  });

  describe("section 4.2, limit", () => {
    it("the client asks for 50 records, the maximum, never for the default of 10", async () => {
      for (let at = 0; at < 55; at++) tenant.sandbox.seed("customerStatus", [{ name: `S${at}`, selectable: true }]);
      await rowsOf(tenant, "customerStatus", ["name"]);
      const urls = tenant.sandbox.ledger.requests({ resource: "customerStatus", method: "GET" }).map(({ url }) => url);
      expect(urls).toHaveLength(2);
      for (const url of urls) expect(url).toContain("limit=50");
    });
  });

  describe("section 4.3, fields", () => {
    it("fields=a,b returns only the properties a and b", async () => {
      const record = await tenant.service.read("customer", customer, ["name", "info"], never);
      expect(record).toEqual({ id: customer, name: "Kunde 1", info: "Hinweis" });
    });

    it("fields=<link>.<prop> includes the property of the linked object in the same response", async () => {
      const fields = ["description", "customer.id", "customer.name"];
      const record = await tenant.service.read("ticket", ticketId(), fields, never);
      expect(record).toMatchObject({ customer: { id: customer, name: "Kunde 1" } });
    });

    it("in a URL the commas are percent-encoded", () => {
      const urls = tenant.sandbox.ledger.requests().map(({ url }) => url);
      expect(urls.filter((url) => url.includes("%2C")).length).toBeGreaterThan(0);
      expect(urls.filter((url) => url.includes(","))).toEqual([]);
    });

    it("* is all properties, and -<prop> excludes one of them", async () => {
      const all = await tenant.service.read("ticket", ticketId(), ["*"], never);
      const most = await tenant.service.read("ticket", ticketId(), ["*", "-svcDocuments"], never);
      expect(all).toMatchObject({ svcDocuments: [document] });
      expect(most).not.toHaveProperty("svcDocuments");
      expect(most).toMatchObject({ description: "Heizung fällt aus" });
    });
  });

  describe("section 4.4, array update", () => {
    it("add adds the ids and keeps existing elements", async () => {
      await change(named("Montage"), []);
      expect(tags()).toEqual(named("VIP", "Montage"));
    });

    it("remove removes the ids and keeps the others", async () => {
      await change([], named("VIP"));
      expect(tags()).toEqual(named("Montage"));
    });

    it("set, and the plain array, replace all elements with the ids", async () => {
      for (const value of [{ action: "set", ids: named("VIP") }, named("Garantie", "VIP")]) {
        await tenant.service.update("ticket", ticketId(), { fields: { tags: value }, arrays: {} }, never);
        expect(tags()).toEqual(Array.isArray(value) ? value : value.ids);
      }
    });
  });

  describe("section 5, authentication", () => {
    it("a client obtains a token by POST to /restApi/login and sends it with every other call", async () => {
      await using other = await openTenant({}, {}, { login: passwordLogin });
      await other.service.ping(never);
      expect(other.sandbox.ledger.requests().map(({ method, url }) => `${method} ${url.split("?")[0]}`)).toEqual([
        "POST /restApi/login",
        "GET /restApi/v1/customer",
      ]);
    });

    it("wrong credentials: HTTP status 401", async () => {
      await using other = await openTenant({}, {}, { login: { ...passwordLogin, username: "nobody" } });
      for (let at = 0; at < 3; at++)
        expect(await thrownBy(other.service.ping(never))).toMatchObject({ family: "stop", code: "E_SERVICE_LOGIN" });
      expect(other.requests("login", "POST")).toBe(1);
    });

    it("a token can alternatively be generated in the web interface; the login call is then unnecessary", () => {
      expect(tenant.requests("login", "POST")).toBe(0);
    });

    it("permissions of the API call equal those of the token's user", async () => {
      const permissions = { "*": ["GET"] } as const;
      const account = { username: "reader", password: "p", permissions };
      await using reader = await openTenant({
        accounts: [account],
        tokens: [{ token: "sandbox-token", username: "reader" }],
      });
      expect(await rowsOf(reader, "customer", ["name"])).toEqual([]);
      const thrown = await thrownBy(reader.service.create("customer", reader.customer(1), never));
      expect(thrown).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED", details: { status: 403 } });
    });
  });

  describe("section 7, errors", () => {
    it("login with incorrect credentials: HTTP 401, and the one clear message names the user", async () => {
      await using other = await openTenant({}, {}, { login: { ...passwordLogin, username: "nobody" } });
      const thrown = await thrownBy(other.service.create("customer", {}, never));
      expect(String(thrown)).toMatch(/refused the login of nobody with 401/);
      expect(other.sandbox.ledger.requests().map(({ status }) => status)).toEqual([401]);
    });

    it("other errors carry the service's own words and its status", async () => {
      const thrown = await thrownBy(tenant.service.create("customer", { name: "A" }, never));
      expect(thrown).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED", details: { status: 400 } });
      expect(String(thrown)).toContain("customerStatus");
    });
  });

  describe("section 8, limits", () => {
    it("no list is ever asked for without a limit, or for more than 50 records", async () => {
      await rowsOf(tenant, "customer", ["name"]);
      await tenant.service.lookup("priority", "name", "High", never);
      const lists = tenant.sandbox.ledger.requests({ method: "GET" }).filter(({ url }) => !/\/\d+(\?|$)/.test(url));
      expect(lists.length).toBeGreaterThan(3);
      for (const { url } of lists) expect(Number(/[?&]limit=(\d+)/.exec(url)?.[1])).toBeLessThanOrEqual(50);
    });

    it("the token lives as many minutes as lifeTime says", async () => {
      await using other = await openTenant({}, {}, { login: { ...passwordLogin, lifeTimeMinutes: 7 } });
      await other.service.ping(never);
      const login = other.sandbox.tokens.list().find(({ kind }) => kind === "login");
      expect(((login?.expiresAt ?? 0) - Date.now()) / 60_000).toBeCloseTo(7, 0);
    });
  });
});
