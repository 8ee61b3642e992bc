import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SetClock } from "../../../kit/clock.ts";
import { ask, type Heard } from "../server/asking.ts";
import { BusinessOne } from "../server/business-one.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let one: BusinessOne;
let cookie: string;

beforeEach(async () => {
  one = await BusinessOne.start(clock);
  for (let n = 0; n < 45; n++) {
    const CardCode = `C${String(n).padStart(3, "0")}`;
    const ContactEmployees = [{ CardCode, InternalCode: n, Name: "Chef" }];
    one.partners.put({
      CardCode,
      CardName: `Muster ${n}`,
      CardType: "cCustomer",
      ContactEmployees,
      BPAddresses: [],
      ...one.stamp("UpdateDate", "UpdateTime"),
    });
  }
  one.serviceCalls.put({ ServiceCallID: 1, Subject: "Pumpe", ...one.stamp("UpdateDate", "UpdatedTime") });
  cookie = cookiesOf(await logIn());
});
afterEach(() => one[Symbol.asyncDispose]());

const cookiesOf = (heard: Heard) =>
  heard.headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");

function logIn(more: Record<string, string> = {}): Promise<Heard> {
  const body = JSON.stringify({ CompanyDB: "SBODEMODE", UserName: "svcsync", Password: "Geheim1!", ...more });
  return ask(`${one.server.url}/b1s/v2/Login`, { method: "POST", body });
}
const get = (path: string, headers: Record<string, string> = {}): Promise<Heard> =>
  ask(`${one.server.url}/b1s/v2/${path}`, { headers: { cookie, ...headers } });
const refusal = async (heard: Promise<Heard>) => {
  const { status, json } = await heard;
  return [status, json().error];
};
const fault = (status: number, code: string, message: string) => [
  status,
  { code, message, details: [{ code: "", message: "" }] },
];
const page = async (query: string, headers?: Record<string, string>) =>
  (await get(`BusinessPartners?${query}`, headers)).json();

describe("the local server of Business One", () => {
  it("opens a session with the cookies B1SESSION and ROUTEID, of 30 minutes", async () => {
    const heard = await logIn();
    expect(heard.json()).toMatchObject({ SessionId: expect.any(String), SessionTimeout: 30 });
    expect(cookiesOf(heard)).toMatch(/^B1SESSION=\S+; ROUTEID=\.node\d$/);
  });

  it("answers a wrong password with 401 and -304", async () =>
    expect(await refusal(logIn({ Password: "hunter2" }))).toEqual(
      fault(401, "-304", "Fail to NONE-SSO login from SLD."),
    ));

  it("answers an unknown company with 401 and -306, in the same words", async () =>
    expect(await refusal(logIn({ CompanyDB: "OTHER" }))).toEqual(
      fault(401, "-306", "Fail to NONE-SSO login from SLD."),
    ));

  it('fails some logins that come at once with 500, 299 and "SAML Login Failed"', async () => {
    one.samlFailures = 1;
    expect(await refusal(logIn())).toEqual(fault(500, "299", "SAML Login Failed"));
    expect((await logIn()).status).toBe(200);
  });

  it("answers without a session with 401 and 301", async () => {
    cookie = "B1SESSION=garbage";
    expect(await refusal(get("BusinessPartners"))).toEqual(
      fault(401, "301", "Invalid session or session already timeout."),
    );
  });

  it("ends a session that was idle for 30 minutes; each use extends it", async () => {
    for (let used = 0; used < 5; used++) {
      clock.advance(600_000);
      expect((await get("BusinessPartners")).status).toBe(200);
    }
    clock.advance(31 * 60_000);
    expect((await get("BusinessPartners")).status).toBe(401);
  });

  it("knows a session on its own node alone, which ROUTEID names", async () => {
    cookie = cookie.replace(/; ROUTEID=.*/, "");
    expect((await get("BusinessPartners")).status).toBe(401);
  });

  it("writes code and message of an error as text in v2, beside details", async () => {
    const { error } = (await get("BusinessPartners?$filter=x eq 1")).json();
    expect(error).toEqual({ code: "201", message: expect.any(String), details: [{ code: "", message: "" }] });
  });

  it('answers an unknown entity set with 400 and "Service Not Found"', async () =>
    expect(await refusal(get("Partners"))).toEqual(fault(400, "-1000", "Service Not Found")));

  it("answers a missing key with 404 and -2028", async () =>
    expect(await refusal(get("BusinessPartners('nope')"))).toEqual(
      fault(404, "-2028", "No matching records found (ODBC -2028)"),
    ));

  it("refuses an unknown property with 400 and 201", async () => {
    for (const query of ["$select=NoSuchField", "$filter=NoSuchField eq 'x'", "$orderby=NoSuchField"])
      expect(await refusal(get(`BusinessPartners?${query}`))).toEqual(
        fault(400, "201", "Property 'NoSuchField' is invalid"),
      );
  });

  it('refuses a filter that it cannot parse with "Invalid filter condition"', async () => {
    for (const filter of ["CardCode eq", "CardCode is 'x'", "(CardCode eq 'x'", "UpdateDate ge 2026-03-01"])
      expect(await refusal(get(`BusinessPartners?$filter=${filter}`))).toEqual(
        fault(400, "201", "Query string error - Invalid filter condition"),
      );
  });

  it("refuses to expand a collection inside an entity", async () =>
    expect(await refusal(get("BusinessPartners?$expand=ContactEmployees"))).toEqual(
      fault(
        400,
        "201",
        "Cannot expand invalid navigation property 'ContactEmployees' for entity type 'BusinessPartner'",
      ),
    ));

  it("shows collections inside the entity, and selects them by name", async () => {
    const { value } = await page("$select=CardCode,ContactEmployees");
    expect(value[3]).toEqual({
      "@odata.etag": expect.any(String),
      CardCode: "C003",
      ContactEmployees: [{ CardCode: "C003", InternalCode: 3, Name: "Chef" }],
    });
  });

  it("gives 20 entities a page", async () => {
    expect((await page("")).value).toHaveLength(20);
  });

  it("gives pages of Prefer: odata.maxpagesize", async () => {
    expect((await page("", { prefer: "odata.maxpagesize=30" })).value).toHaveLength(30);
  });

  it("gives pages of the header B1S-PageSize, and everything for 0", async () => {
    expect((await page("", { "b1s-pagesize": "5" })).value).toHaveLength(5);
    expect((await page("", { "b1s-pagesize": "0" })).value).toHaveLength(45);
  });

  it("writes next links relative to the service's root, with $skip", async () => {
    const { "@odata.nextLink": link } = await page("$select=CardCode&$orderby=CardCode");
    expect(link).toBe("BusinessPartners?$select=CardCode&$orderby=CardCode&$skip=20");
    expect((await get(link)).json().value[0].CardCode).toBe("C020");
  });

  it("names a next page behind a last page that is full", async () => {
    const { value, "@odata.nextLink": link } = await page("$skip=40", { prefer: "odata.maxpagesize=5" });
    expect([value.length, (await get(link)).json().value]).toEqual([5, []]);
  });

  it("counts $top down over the pages", async () => {
    expect((await page("$top=30"))["@odata.nextLink"]).toContain("$top=10");
  });

  it("counts with /$count as plain text, and with $count=true in the answer", async () => {
    expect((await get("BusinessPartners/$count")).text).toBe("45");
    expect((await page("$count=true"))["@odata.count"]).toBe(45);
  });

  it("shows an etag of each entity", async () => {
    expect((await page("")).value[0]["@odata.etag"]).toMatch(/^W\/"/);
  });

  it("stamps partners with UpdateDate and UpdateTime, on the server's clock and without a zone", async () => {
    // 10:00 in UTC or later is an hour more in Berlin.
    const { UpdateTime } = (await page("$orderby=CardCode")).value[0];
    const hour = (new Date(clock.now()).getUTCHours() + 1) % 24;
    expect(Number(UpdateTime.slice(0, 2))).toBe(hour);
  });

  it("calls the time of change of a service call UpdatedTime", async () => {
    expect((await get("ServiceCalls?$select=UpdatedTime")).status).toBe(200);
    expect(await refusal(get("ServiceCalls?$select=UpdateTime"))).toEqual(
      fault(400, "201", "Property 'UpdateTime' is invalid"),
    );
  });

  it("takes dates and times in quotes, joined by `or` over two properties", async () => {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const filter = `(UpdateDate gt '${day}' or (UpdateDate eq '${day}' and UpdateTime ge '00:00:00'))`;
    expect((await page(`$filter=${filter}`, { prefer: "odata.maxpagesize=100" })).value).toHaveLength(45);
  });

  it("gives UpdateDate as an instant at midnight, and UpdateTime as a time of day", async () => {
    const { UpdateDate, UpdateTime } = (await page("")).value[0];
    expect([UpdateDate, UpdateTime]).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00Z$/),
      expect.stringMatching(/^\d\d:\d\d:\d\d$/),
    ]);
  });
});
