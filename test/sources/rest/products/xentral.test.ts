import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebServer, startWebServer } from "../../../kit/http.ts";
import { ask, miscounted, unsourced, queryOf, type Behaviour } from "./asking.ts";
import { XentralInstance } from "./xentral/instance.ts";

const OPENAPI =
  "Xentral Business Documents API v3, github.com/xentral/api-spec-public, openapi/xentral-documents-api.openapi-3.1.0.json";
const LISTS = "https://developer.xentral.com/reference/v3-filterung-ordering-pagination";
const LIMITS = "https://developer.xentral.com/reference/rate-limiting";
const STRICTER = "the documents list what is allowed and not what else is answered: the stricter reading";

let xentral: XentralInstance;
let server: WebServer;
const noon = Date.parse("2026-03-02T12:00:00Z");

beforeEach(async () => {
  xentral = new XentralInstance(() => noon);
  server = await startWebServer((asked) => xentral.answer(asked));
});
afterEach(() => server[Symbol.asyncDispose]());

const get = (path: string, parameters: Record<string, string | number> = {}, headers: Record<string, string> = {}) =>
  ask(server, `/api/v3/${path}?${queryOf(parameters)}`, { authorization: "Bearer pat", ...headers });
const list = async (parameters: Record<string, string | number> = {}) => (await get("customers", parameters)).json.data;
const ids = async (parameters: Record<string, string | number> = {}) =>
  (await list(parameters)).map((row: { id: string }) => row.id);
const by = (key: string, op: string, value: string, index = 0) => ({
  [`filter[${index}][key]`]: key,
  [`filter[${index}][op]`]: op,
  [`filter[${index}][value]`]: value,
});
const customer = (values = {}, options = {}) =>
  xentral.put("customers", { number: "700042", primaryAddress: { name: "Muster GmbH" }, ...values }, options);

const behaviours: readonly Behaviour[] = [
  {
    what: "takes a personal access token as Bearer",
    source: `${OPENAPI}, securitySchemes`,
    shows: async () => expect((await get("customers")).status).toBe(200),
  },
  {
    what: "answers 401 to any other",
    source: `${OPENAPI}, responses of GET /api/v3/customers`,
    shows: async () => expect((await get("customers", {}, { authorization: "Bearer old" })).status).toBe(401),
  },
  {
    what: "answers 403 to a token without the scope of the list",
    source: `${OPENAPI}, "requires the following scopes"`,
    shows: async () => {
      xentral.scopes = ["customer:read"];
      expect([(await get("customers")).status, (await get("salesOrders")).status]).toEqual([200, 403]);
    },
  },
  {
    what: "answers 404 to an unknown id",
    source: `${OPENAPI}, responses of GET /api/v3/customers/{id}`,
    shows: async () => expect((await get("customers/9")).status).toBe(404),
  },
  {
    what: "gives 15 rows unless told otherwise",
    source: LISTS,
    shows: async () => {
      for (let at = 0; at < 20; at++) customer();
      expect(await list()).toHaveLength(15);
    },
  },
  {
    what: "gives 100 customers at most, and 1000 documents",
    source: `${OPENAPI}, perPage; ${STRICTER}`,
    shows: async () => {
      expect([
        (await get("customers", { perPage: 100 })).status,
        (await get("customers", { perPage: 101 })).status,
      ]).toEqual([200, 400]);
      expect((await get("salesOrders", { perPage: 1000 })).status).toBe(200);
    },
  },
  {
    what: "counts pages from 1 and tells of the next in links",
    source: `${OPENAPI}, Paginated Response: simple`,
    shows: async () => {
      const [first, second] = [customer(), customer()];
      expect(await ids({ sort: "id", perPage: 1 })).toEqual([first]);
      expect(await ids({ sort: "id", perPage: 1, page: 2 })).toEqual([second]);
      expect((await get("customers", { sort: "id", perPage: 1, page: 2 })).json.links.next).toBeNull();
    },
  },
  {
    what: "counts the rows only where x-pagination says table",
    source: LISTS,
    shows: async () => {
      customer();
      expect((await get("customers")).json.meta).not.toHaveProperty("total");
      expect((await get("customers", {}, { "x-pagination": "table" })).json.meta.total).toBe(1);
    },
  },
  {
    what: "joins filters by and, each with key, op and value",
    source: LISTS,
    shows: async () => {
      const found = customer({ number: "2" });
      customer({ number: "1" });
      expect(await ids({ ...by("number", "equals", "2"), ...by("name", "startsWith", "Muster", 1) })).toEqual([found]);
    },
  },
  {
    what: "filters by a name that stands inside the primary address",
    source: `${OPENAPI}, filter key name; Customer.primaryAddress.name`,
    shows: async () => {
      customer();
      expect(await list(by("name", "equals", "Muster GmbH"))).toEqual([
        expect.not.objectContaining({ name: expect.anything() }),
      ]);
    },
  },
  {
    what: "compares ids for equality only",
    source: `${OPENAPI}, "Supported filter operators by key", id`,
    shows: async () => {
      const id = customer();
      customer();
      expect(await ids(by("id", "equals", id))).toEqual([id]);
      expect((await get("customers", by("id", "greaterThan", id))).status).toBe(400);
    },
  },
  {
    what: "refuses a key that the list does not name",
    source: `${OPENAPI}, enum of filter.key; ${STRICTER}`,
    shows: async () => expect((await get("customers", by("status", "equals", "x"))).status).toBe(400),
  },
  {
    what: "filters by updatedAt with both ends",
    source: `${OPENAPI}, "Supported filter operators by key", updatedAt`,
    shows: async () => {
      const id = customer();
      const [from, below] = ["2026-03-02T12:00:00Z", "2026-03-02T12:00:01Z"];
      expect(
        await ids({ ...by("updatedAt", "greaterThanOrEquals", from), ...by("updatedAt", "lessThan", below, 1) }),
      ).toEqual([id]);
      expect(await ids(by("updatedAt", "greaterThan", from))).toEqual([]);
    },
  },
  {
    what: "writes instants in whole seconds with Z",
    source: `${OPENAPI}, TimestampsResource`,
    shows: async () => {
      customer({}, { stamp: noon + 789 });
      expect((await list())[0].updatedAt).toBe("2026-03-02T12:00:00Z");
    },
  },
  {
    what: "sorts by the named keys, a minus before one turns it round",
    source: LISTS,
    shows: async () => {
      const [old, late] = [customer({}, { stamp: noon - 5000 }), customer()];
      expect(await ids({ sort: "updatedAt" })).toEqual([old, late]);
      expect(await ids({ sort: "-updatedAt" })).toEqual([late, old]);
    },
  },
  {
    what: "refuses to sort by another key",
    source: `${OPENAPI}, enum of sort; ${STRICTER}`,
    shows: async () => expect((await get("customers", { sort: "email" })).status).toBe(400),
  },
  {
    what: "promises no order among rows of one second",
    source: `${LISTS} (none is named)`,
    shows: async () => {
      const all = [customer(), customer(), customer()];
      expect(await ids({ sort: "updatedAt" })).not.toEqual(all);
    },
  },
  {
    what: "shows contact persons and delivery addresses only where include names them",
    source: `${OPENAPI}, include of GET /api/v3/customers`,
    shows: async () => {
      customer({ contactPersons: [{ id: "1", name: "Änne" }] });
      expect((await list())[0]).not.toHaveProperty("contactPersons");
      expect((await list({ include: "contactPersons,deliveryAddresses" }))[0].contactPersons).toEqual([
        { id: "1", name: "Änne" },
      ]);
    },
  },
  {
    what: "refuses to include anything else",
    source: `${OPENAPI}, enum of include; ${STRICTER}`,
    shows: async () => expect((await get("customers", { include: "contacts" })).status).toBe(400),
  },
  {
    what: "keeps a customer's stamp when a contact person changes",
    source: `${OPENAPI}: nothing says that it moves; the stricter reading`,
    shows: async () => {
      const id = customer({ contactPersons: [] }, { stamp: noon - 5000 });
      xentral.put("customers", { id, contactPersons: [{ id: "1", name: "Änne" }] }, { touched: false });
      expect((await list())[0].updatedAt).toBe("2026-03-02T11:59:55Z");
    },
  },
  {
    what: "forgets a deleted record: no list tells of it",
    source: `${OPENAPI}: there is no list of deletions`,
    shows: async () => {
      const id = customer();
      xentral.remove("customers", id);
      expect(await list()).toEqual([]);
    },
  },
  {
    what: "tells with each answer how many requests the minute allows and has left",
    source: LIMITS,
    shows: async () => {
      const { headers } = await get("customers");
      expect([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")]).toEqual(["100", "99"]);
    },
  },
  {
    what: "answers 429 above that, with Retry-After and X-RateLimit-Reset",
    source: `${LIMITS}; ${OPENAPI}, 429`,
    shows: async () => {
      xentral.left = 0;
      const { status, json, headers } = await get("customers");
      expect([status, json, headers.get("retry-after")]).toEqual([429, { message: "Too Many Requests" }, "1"]);
      expect(Number(headers.get("x-ratelimit-reset"))).toBeGreaterThan(noon / 1000);
    },
  },
];

describe(`a local Xentral with ${behaviours.length} documented behaviours`, () => {
  it.each(behaviours)("$what", async (behaviour) => {
    await expect(behaviour.shows().then(() => "shown")).resolves.toBe("shown");
  });

  it("names the source of each", () => {
    expect(unsourced(behaviours)).toEqual([]);
  });

  it("is counted in the field guide and the table of what was proven", () => {
    expect(miscounted("xentral", behaviours)).toEqual([]);
  });
});
