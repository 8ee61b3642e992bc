import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebServer, startWebServer } from "../../../kit/http.ts";
import { ask, miscounted, unsourced, queryOf, type Behaviour } from "./asking.ts";
import { BUSY, problem, WeclappTenant } from "./weclapp/tenant.ts";

const DOCUMENT =
  "weclapp REST API v2, https://www.weclapp.com/api/ (printed whole in github.com/kruegge82/weclapp-php-sdk, README.md)";
const OPENAPI = "weclapp OpenAPI v2, github.com/weclapp/sdk, test/openapi_v2.json";
const SDK = "weclapp's own SDK, github.com/weclapp/sdk, src/generator/04-services/endpoints/some.ts";
const CHANGES = "Changelog weclapp API v2, https://www.weclapp.com/api/changelogV2.html";
const PRACTICE = "public client tests, github.com/Wals-pro/weclappy, tests/test_weclappy_unit.py";

let tenant: WeclappTenant;
let server: WebServer;

beforeEach(async () => {
  tenant = new WeclappTenant(() => 1_772_445_600_000);
  server = await startWebServer((asked) => tenant.answer(asked));
});
afterEach(() => server[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = { authenticationtoken: tenant.token }) =>
  ask(server, `/webapp/api/v2/${path}`, headers);
const list = async (path: string) => (await get(path)).json.result;
const ids = async (path: string) => (await list(path)).map((row: { id: string }) => row.id);
const company = (values = {}, options = {}) =>
  tenant.put("party", { partyType: "ORGANIZATION", company: "Muster GmbH", customer: true, ...values }, options);
const errorType = (answer: { json: { type: string } }) => answer.json.type.split("/").at(-1);

const behaviours: readonly Behaviour[] = [
  {
    what: "takes a token in the header AuthenticationToken",
    source: `${DOCUMENT}, Security and Authentication`,
    shows: async () => expect((await get("party")).status).toBe(200),
  },
  {
    what: "takes it as the password of the user * too",
    source: `${DOCUMENT}, Security and Authentication`,
    shows: async () => {
      const authorization = `Basic ${Buffer.from("*:t0ken").toString("base64")}`;
      expect((await get("party", { authorization })).status).toBe(200);
    },
  },
  {
    what: "answers 401 to any other, also to one that a newer token ended",
    source: `${DOCUMENT}, Basic Operations; API error reference, unauthorized`,
    shows: async () => {
      const old = { authenticationtoken: tenant.token };
      tenant.token = "new";
      const answer = await get("party", old);
      expect([answer.status, errorType(answer)]).toEqual([401, "unauthorized"]);
    },
  },
  {
    what: "answers 403 without the privileges for an entity",
    source: `${DOCUMENT}, API error reference, forbidden`,
    shows: async () => {
      tenant.forbidden.add("ticket");
      const answer = await get("ticket");
      expect([answer.status, errorType(answer)]).toEqual([403, "forbidden"]);
    },
  },
  {
    what: "answers 404 to an unknown resource and to an unknown id",
    source: `${DOCUMENT}, API error reference, not_found`,
    shows: async () => {
      for (const path of ["customers", "party/id/1"]) expect(errorType(await get(path))).toBe("not_found");
    },
  },
  {
    what: "has no resource customer or contact any more: both are parties",
    source: `${CHANGES}, General changes, 1`,
    shows: async () => {
      for (const path of ["customer", "contact", "lead", "supplier"]) expect((await get(path)).status).toBe(404);
    },
  },
  {
    what: "describes errors as RFC 7807 does, as application/json, with the older `error` beside it",
    source: `${DOCUMENT}, API error reference`,
    shows: async () => {
      const answer = await get("party?sort=nothing");
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(Object.keys(answer.json)).toEqual(expect.arrayContaining(["type", "title", "status", "detail", "error"]));
    },
  },
  {
    what: "compresses answers, also to a client that does not ask for it",
    source: `${DOCUMENT}, Headers`,
    shows: async () => expect((await get("party")).headers.get("content-encoding")).toBe("gzip"),
  },
  {
    what: "gives 100 rows unless told otherwise",
    source: `${DOCUMENT}, Pagination`,
    shows: async () => {
      for (let at = 0; at < 120; at++) company();
      expect(await list("party")).toHaveLength(100);
    },
  },
  {
    what: "gives 1000 rows at most",
    source: `${DOCUMENT}, Pagination`,
    shows: async () => {
      for (let at = 0; at < 1010; at++) company();
      expect(await list("party?pageSize=5000")).toHaveLength(1000);
    },
  },
  {
    what: "counts pages from 1",
    source: `${DOCUMENT}, Pagination`,
    shows: async () => {
      const [first, second] = [company(), company()];
      expect(await ids("party?sort=id&pageSize=1")).toEqual([first]);
      expect(await ids("party?sort=id&pageSize=1&page=2")).toEqual([second]);
    },
  },
  {
    what: "sorts by several properties, a minus before one turns it round",
    source: `${DOCUMENT}, Sorting`,
    shows: async () => {
      const [old, late] = [company({}, { stamp: 1000 }), company({}, { stamp: 2000 })];
      const later = company({}, { stamp: 2000 });
      expect(await ids("party?sort=-lastModifiedDate,id")).toEqual([late, later, old]);
    },
  },
  {
    what: "refuses to sort by an unknown property, and by one that cannot be sorted by",
    source: `${DOCUMENT}, Sorting`,
    shows: async () => {
      for (const name of ["nothing", "contacts"]) expect(errorType(await get(`party?sort=${name}`))).toBe("validation");
    },
  },
  {
    what: "promises no order among rows of equal rank",
    source: `${DOCUMENT}, Sorting (none is named)`,
    shows: async () => {
      const all = [company(), company(), company()];
      expect(await ids("party?sort=lastModifiedDate")).not.toEqual(all);
    },
  },
  {
    what: "joins filters by and, as property, minus, operator",
    source: `${DOCUMENT}, Filtering`,
    shows: async () => {
      const found = company({ customerNumber: "C2" }, { stamp: 2000 });
      company({ customerNumber: "C1" }, { stamp: 1000 });
      expect(await ids("party?customer-eq=true&lastModifiedDate-gt=1000")).toEqual([found]);
      expect(await ids("party?lastModifiedDate-ge=1000&lastModifiedDate-lt=2000")).toHaveLength(1);
      expect(await ids('party?customerNumber-in=["C2","C9"]')).toEqual([found]);
      expect(await ids("party?customerNumber-like=C_&company-ilike=muster%25")).toHaveLength(2);
      expect(await ids("party?customerNumber-null")).toEqual([]);
    },
  },
  {
    what: "joins filters with the prefix or- by or, within each group",
    source: `${DOCUMENT}, "Or" condition filtering`,
    shows: async () => {
      const all = ["A", "B", "C"].map((customerNumber) => company({ customerNumber }));
      expect(await ids("party?sort=id&or-customerNumber-eq=A&or-customerNumber-eq=B")).toEqual(all.slice(0, 2));
      expect(await ids("party?orOne-customerNumber-eq=A&orTwo-customerNumber-eq=B")).toEqual([]);
    },
  },
  {
    what: "ignores a filter by an unknown property without a word",
    source: `${DOCUMENT}, Filtering`,
    shows: async () => {
      company();
      expect(await list("party?custmer-eq=false")).toHaveLength(1);
    },
  },
  {
    what: "ignores a filter by a property that cannot be filtered, such as commercialLanguageId",
    source: `${OPENAPI}, x-weclapp.filterable`,
    shows: async () => {
      company({ commercialLanguageId: "7" });
      expect(await list("party?commercialLanguageId-eq=8")).toHaveLength(1);
    },
  },
  {
    what: "compares ids as numbers, though they are texts",
    source: `${PRACTICE} (pages by sort=id and id-gt)`,
    shows: async () => {
      company({ id: "99" });
      company({ id: "1000" });
      expect(await ids("party?id-gt=99&sort=id")).toEqual(["1000"]);
    },
  },
  {
    what: "filters along a reference",
    source: `${OPENAPI}, x-weclapp-filterPaths`,
    shows: async () => {
      const open = tenant.put("ticketStatus", { name: "Neu", internalTicketStatus: "UNASSIGNED" });
      const ticket = tenant.put("ticket", { ticketStatusId: open });
      expect(await ids("ticket?ticketStatus.internalTicketStatus-eq=UNASSIGNED")).toEqual([ticket]);
      expect(await ids("ticket?ticketStatus.internalTicketStatus-eq=CLOSED")).toEqual([]);
    },
  },
  {
    what: "gives only the properties that were asked for",
    source: `${DOCUMENT}, Return only specific properties`,
    shows: async () => {
      const id = company({ customerNumber: "C1" });
      expect(await list("party?properties=id,customerNumber")).toEqual([{ id, customerNumber: "C1" }]);
    },
  },
  {
    what: "refuses an unknown property",
    source: `${DOCUMENT}, Return only specific properties`,
    shows: async () => expect(errorType(await get("party?properties=id,customerName"))).toBe("validation"),
  },
  {
    what: "leaves nulls out, unless serializeNulls is there",
    source: `${DOCUMENT}, Querying`,
    shows: async () => {
      company();
      expect((await list("party"))[0]).not.toHaveProperty("company2");
      expect((await list("party?serializeNulls=true"))[0]).toHaveProperty("company2", null);
    },
  },
  {
    what: "keeps no empty texts: they are null",
    source: `${DOCUMENT}, JSON, string`,
    shows: async () => {
      company({ company2: "  " });
      expect((await list("party?serializeNulls=true"))[0].company2).toBeNull();
    },
  },
  {
    what: "writes instants as milliseconds since 1970",
    source: `${DOCUMENT}, JSON, dates and timestamps`,
    shows: async () => {
      company();
      expect((await list("party"))[0].lastModifiedDate).toBe(1_772_445_600_000);
    },
  },
  {
    what: "lists a company's contacts on the company, as ids alone; a person does not name its company",
    source: `${OPENAPI}, party.contacts (onlyId); parentPartyId belongs to customers (customerOrLead of version 1)`,
    shows: async () => {
      const person = tenant.put("party", { partyType: "PERSON", lastName: "Muster" });
      company({ contacts: [{ id: person }] });
      expect((await list("party?customer-eq=true"))[0].contacts).toEqual([{ id: person }]);
      expect(await list("party?partyType-eq=PERSON")).toEqual([
        expect.not.objectContaining({ parentPartyId: expect.anything() }),
      ]);
    },
  },
  {
    what: "puts referenced entities beside the rows, each once",
    source: `${DOCUMENT}, Referenced entities`,
    shows: async () => {
      const open = tenant.put("ticketStatus", { name: "Neu", internalTicketStatus: "UNASSIGNED" });
      for (let at = 0; at < 2; at++) tenant.put("ticket", { ticketStatusId: open });
      const { referencedEntities } = (await get("ticket?includeReferencedEntities=ticketStatusId")).json;
      expect(referencedEntities).toEqual({ ticketStatus: [expect.objectContaining({ id: open, name: "Neu" })] });
    },
  },
  {
    what: "takes a path to ids in a list for such a reference: contacts.id",
    source: `${SDK}, resolveReferences`,
    shows: async () => {
      const person = tenant.put("party", { partyType: "PERSON", lastName: "Muster" });
      company({ contacts: [{ id: person }] });
      const query = queryOf({ "customer-eq": "true", includeReferencedEntities: "contacts.id" });
      const { referencedEntities } = (await get(`party?${query}`)).json;
      expect(referencedEntities.party).toEqual([expect.objectContaining({ id: person, lastName: "Muster" })]);
    },
  },
  {
    what: "counts what a filter finds",
    source: `${DOCUMENT}, Counting`,
    shows: async () => {
      company();
      expect(await list("party/count?customer-eq=true")).toBe(1);
    },
  },
  {
    what: "forgets a deleted record: no list tells of it",
    source: `${DOCUMENT}, Delete a specific instance`,
    shows: async () => {
      const id = company();
      tenant.remove("party", id);
      expect([await list("party"), (await get(`party/id/${id}`)).status]).toEqual([[], 404]);
    },
  },
  {
    what: "answers 429 with the time that a request waited, and without Retry-After",
    source: `${PRACTICE}, X-Weclapp-Wait-Ms and X-Weclapp-Wait-Reason`,
    shows: async () => {
      server.instead.push(BUSY);
      const { status, headers } = await get("party");
      expect([status, headers.get("x-weclapp-wait-reason"), headers.get("retry-after")]).toEqual([
        429,
        "concurrency",
        null,
      ]);
    },
  },
  {
    what: "answers 409 to a conflict in its database that passes",
    source: `${DOCUMENT}, API error reference, persistence`,
    shows: async () => {
      server.instead.push(problem(409, "persistence", "persistence error"));
      expect(errorType(await get("party"))).toBe("persistence");
    },
  },
];

describe(`a local weclapp with ${behaviours.length} documented behaviours`, () => {
  it.each(behaviours)("$what", async (behaviour) => {
    await expect(behaviour.shows().then(() => "shown")).resolves.toBe("shown");
  });

  it("names the source of each", () => {
    expect(unsourced(behaviours)).toEqual([]);
  });

  it("is counted in the field guide and the table of what was proven", () => {
    expect(miscounted("weclapp", behaviours)).toEqual([]);
  });
});
