import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { SetClock } from "../../../kit/clock.ts";
import { ask, type Heard } from "../server/asking.ts";
import { S4Hana } from "../server/s4hana.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let hana: S4Hana;

beforeEach(async () => {
  hana = await S4Hana.start(clock);
  for (let n = 0; n < 5; n++) {
    const BusinessPartner = `100001${n}`;
    const changed = n === 0 ? { LastChangeDate: null, LastChangeTime: "00:00:00" } : hana.stamp("LastChange");
    hana.partners.put({
      BusinessPartner,
      Customer: BusinessPartner,
      BusinessPartnerFullName: `Muster ${n} GmbH`,
      IsMarkedForArchiving: false,
      ETag: "20260302",
      ...hana.stamp("Creation"),
      ...changed,
    });
    hana.customers.put({ Customer: BusinessPartner, VATRegistration: `DE${n}`, DeletionIndicator: false });
    hana.addresses.put({
      BusinessPartner,
      AddressID: `2000${n}`,
      CityName: "Bonn",
      ValidityEndDate: "9999-12-31T23:59:59Z",
    });
    hana.serviceOrders.put({
      ServiceOrder: `800000${n}`,
      SoldToParty: BusinessPartner,
      ServiceDocChangedDateTime: hana.instant(),
      ServiceDocNetAmount: "10.500",
    });
  }
});
afterEach(() => hana[Symbol.asyncDispose]());

const PARTNERS = "API_BUSINESS_PARTNER/A_BusinessPartner";

function get(path: string, { password = "Geheim123", accept = "application/json" } = {}): Promise<Heard> {
  const authorization = `Basic ${Buffer.from(`SVCSYNC:${password}`).toString("base64")}`;
  return ask(`${hana.server.url}/sap/opu/odata/sap/${path}`, { headers: { authorization, accept } });
}
const results = async (query: string, set = PARTNERS) => (await get(`${set}?${query}`)).json().d.results;
const refusal = async (path: string) => {
  const { status, json } = await get(path);
  return [status, json().error];
};
const fault = (status: number, code: string, words: string) => [
  status,
  expect.objectContaining({ code, message: { lang: "en", value: expect.stringContaining(words) } }),
];

describe("the local server of S/4HANA", () => {
  it("answers a wrong password with 401, a page and the realm of the application server", async () => {
    const heard = await get(PARTNERS, { password: "hunter2" });
    expect([heard.status, heard.headers.get("www-authenticate"), heard.text]).toEqual([
      401,
      expect.stringContaining("SAP NetWeaver"),
      expect.stringContaining("<html>"),
    ]);
  });

  it("answers an unknown service with /IWFND/MED/170", async () =>
    expect(await refusal("API_PARTNER/A_BusinessPartner")).toEqual(fault(404, "/IWFND/MED/170", "No service found")));

  it("answers a service that the user may not use with 403 and /IWFND/CM_CONSUMER/101", async () => {
    hana.denied.add("API_BUSINESS_PARTNER");
    expect(await refusal(PARTNERS)).toEqual(fault(403, "/IWFND/CM_CONSUMER/101", "No authorization to access Service"));
  });

  it("answers an unknown entity set with 404 and where the error log is", async () => {
    expect(await refusal("API_BUSINESS_PARTNER/BusinessPartners")).toEqual(
      fault(404, "/IWFND/CM_MGW/096", "Resource not found for the segment"),
    );
    expect((await get("API_BUSINESS_PARTNER/X")).json().error.innererror.Error_Resolution.SAP_Note).toContain(
      "1797736",
    );
  });

  it("answers a key that it does not have with /IWBEP/CM_MGW_RT/020", async () =>
    expect(await refusal(`${PARTNERS}('0000000')`)).toEqual(
      fault(404, "/IWBEP/CM_MGW_RT/020", "Resource not found for segment 'A_BusinessPartnerType'"),
    ));

  it("refuses to give $metadata as JSON", async () => {
    expect(await refusal("API_BUSINESS_PARTNER/$metadata")).toEqual(
      fault(400, "005056A509B11EE1B9A8FEC11C21D78E", "Invalid system query options value"),
    );
    expect((await get("API_BUSINESS_PARTNER/$metadata", { accept: "application/xml" })).text).toContain(
      'EntitySet Name="A_BusinessPartner"',
    );
  });

  it("wraps entities as d.results, each with __metadata and its etag", async () => {
    expect((await results("$top=1"))[0].__metadata).toMatchObject({
      type: "API_BUSINESS_PARTNER.A_BusinessPartnerType",
      etag: expect.stringContaining("W/"),
    });
  });

  it("shows links that were not expanded as __deferred", async () => {
    expect((await results("$top=1"))[0].to_BusinessPartnerAddress).toEqual({
      __deferred: { uri: expect.stringContaining("to_BusinessPartnerAddress") },
    });
  });

  it("writes dates as /Date(ms)/ and times of day as PT…H…M…S", async () => {
    const row = (await results("$orderby=BusinessPartner desc&$top=1"))[0];
    expect([row.LastChangeDate, row.LastChangeTime]).toEqual([
      `/Date(${Date.parse("2026-03-02T00:00:00Z")})/`,
      "PT11H00M00S",
    ]);
  });

  it("writes instants as /Date(ms+0000)/", async () => {
    expect((await results("$top=1", "API_SERVICE_ORDER_SRV/A_ServiceOrder"))[0].ServiceDocChangedDateTime).toMatch(
      /^\/Date\(\d+\+0000\)\/$/,
    );
  });

  it("takes datetime'…' and time'PT…' in a filter, joined by `or` and `and`", async () => {
    const pair =
      "LastChangeDate gt datetime'2026-03-02T00:00:00' or (LastChangeDate eq datetime'2026-03-02T00:00:00' and LastChangeTime ge time'PT10H59M59S')";
    expect(await results(`$filter=${pair}`)).toHaveLength(4);
  });

  it("takes datetimeoffset'…' with a zone in a filter", async () => {
    const set = "API_SERVICE_ORDER_SRV/A_ServiceOrder";
    expect(
      await results("$filter=ServiceDocChangedDateTime ge datetimeoffset'2026-03-02T09:00:00Z'", set),
    ).toHaveLength(5);
    expect(await refusal(`${set}?$filter=ServiceDocChangedDateTime ge datetimeoffset'2026-03-02T09:00:00'`)).toEqual(
      fault(400, "005056A509B11EE1BB8AF4A65EC3CA20", "Invalid parametertype"),
    );
  });

  it("refuses a literal of another type", async () => {
    for (const literal of ["'/Date(1502841600000)/'", "2026-01-01", "datetimeoffset'2026-01-01T00:00:00Z'"])
      expect(await refusal(`${PARTNERS}?$filter=LastChangeDate eq ${encodeURIComponent(literal)}`)).toEqual(
        fault(400, "005056A509B11EE1BB8AF4A65EC3CA20", "Invalid parametertype used at function"),
      );
  });

  it("refuses a property in $select, $filter or $orderby that the type does not have", async () => {
    for (const query of ["$select=Name", "$filter=Name eq 'x'", "$orderby=Name"])
      expect(await refusal(`${PARTNERS}?${query}`)).toEqual(
        fault(400, "/IWFND/CM_MGW/098", "Property Name not found in type API_BUSINESS_PARTNER.A_BusinessPartnerType"),
      );
  });

  it("knows substringof and startswith, and no function of v4", async () => {
    expect(await results("$filter=substringof('Muster 3',BusinessPartnerFullName)")).toHaveLength(1);
    expect(await results("$filter=startswith(BusinessPartnerFullName,'Muster')")).toHaveLength(5);
    expect((await get(`${PARTNERS}?$filter=contains(BusinessPartnerFullName,'M')`)).status).toBe(400);
  });

  it("pages by $top and $skip", async () => {
    expect(
      (await results("$orderby=BusinessPartner&$top=2&$skip=1")).map((row: JsonObject) => row["BusinessPartner"]),
    ).toEqual(["1000011", "1000012"]);
  });

  it("counts with $inlinecount=allpages, as text", async () => {
    expect((await get(`${PARTNERS}?$inlinecount=allpages&$top=1`)).json().d.__count).toBe("5");
  });

  it("counts with /$count, as plain text", async () => {
    expect((await get(`${PARTNERS}/$count`)).text).toBe("5");
  });

  it("names the next page in __next where the server pages", async () => {
    hana.pageLimit = 3;
    const first = (await get(PARTNERS)).json().d;
    const { search } = new URL(first.__next);
    expect([first.results.length, (await results(search.slice(1))).length]).toEqual([3, 2]);
  });

  it("shows a link to one entity as an object, and a link to many as results", async () => {
    const [row] = await results("$filter=BusinessPartner eq '1000012'&$expand=to_Customer,to_BusinessPartnerAddress");
    expect([row.to_Customer.VATRegistration, row.to_BusinessPartnerAddress.results.length]).toEqual(["DE2", 1]);
  });

  it("has date and time of the last change in two properties, empty until the first change", async () => {
    const [row] = await results("$filter=BusinessPartner eq '1000010'");
    expect([row.LastChangeDate, row.LastChangeTime, row.CreationTime]).toEqual([null, "PT00H00M00S", "PT11H00M00S"]);
  });

  it("has no stamp for addresses and customers", async () => {
    for (const set of ["A_BusinessPartnerAddress", "A_Customer"])
      expect((await get(`API_BUSINESS_PARTNER/${set}?$filter=LastChangeDate eq null`)).status).toBe(400);
  });

  it("stamps service orders with ServiceDocChangedDateTime", async () => {
    expect(
      await results(
        "$filter=ServiceDocChangedDateTime gt datetimeoffset'2026-03-02T10:00:00Z'",
        "API_SERVICE_ORDER_SRV/A_ServiceOrder",
      ),
    ).toEqual([]);
  });

  it("never deletes a partner, but marks it", async () => {
    hana.partners.edit("1000011", { IsMarkedForArchiving: true });
    expect(
      (await results("$filter=IsMarkedForArchiving eq true")).map((row: JsonObject) => row["BusinessPartner"]),
    ).toEqual(["1000011"]);
    expect(await results("")).toHaveLength(5);
  });
});
