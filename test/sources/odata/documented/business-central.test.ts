import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { SetClock } from "../../../kit/clock.ts";
import { ask, type Heard } from "../server/asking.ts";
import { BusinessCentral, compareGuids } from "../server/business-central.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let central: BusinessCentral;
let token: string;

beforeEach(async () => {
  central = await BusinessCentral.start(clock);
  for (let n = 0; n < 7; n++) {
    const id = central.newId();
    central.customers.put({
      id,
      number: `${10_000 + n}`,
      displayName: `Kunde ${n}`,
      city: n < 3 ? "Bonn" : "Ulm",
      blocked: "_x0020_",
      balanceDue: "0.10",
      lastModifiedDateTime: central.stamp(),
    });
    central.contacts.put({
      id: central.newId(),
      number: `KT${n}`,
      displayName: `Person ${n}`,
      type: "Person",
      mobilePhoneNumber: `0170 ${n}`,
      "→customer": id,
    });
  }
  token = String((await logIn()).json()["access_token"]);
});
afterEach(() => central[Symbol.asyncDispose]());

function logIn(more: Record<string, string> = {}, url = central.environment["ERP_TOKEN_URL"]!): Promise<Heard> {
  const form = {
    grant_type: "client_credentials",
    client_id: "svcsync",
    client_secret: "s3cr3t",
    scope: "https://api.businesscentral.dynamics.com/.default",
    ...more,
  };
  return ask(url, { method: "POST", body: new URLSearchParams(form) });
}

function get(
  path: string,
  headers: Record<string, string> = {},
  root = central.environment["ERP_URL"]!,
): Promise<Heard> {
  return ask(`${root}/${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
}

const list = async (query: string): Promise<string[]> => {
  const { value } = (await get(`customers?${query}`)).json();
  return value.map((row: JsonObject) => jsonText(row["number"]));
};
const refusal = async (path: string) => {
  const { status, json } = await get(path);
  return [status, json().error];
};
const fault = (status: number, code: string, words: string) => [
  status,
  { code, message: expect.stringContaining(words) },
];

describe("the local server of Business Central", () => {
  it("exchanges client credentials for a token of 3599 seconds", async () => {
    expect((await logIn()).json()).toMatchObject({
      token_type: "Bearer",
      expires_in: 3599,
      access_token: expect.any(String),
    });
  });

  it("refuses a wrong secret with 401, invalid_client and AADSTS7000215", async () => {
    const heard = await logIn({ client_secret: "hunter2" });
    expect([heard.status, heard.json()]).toEqual([
      401,
      expect.objectContaining({ error: "invalid_client", error_codes: [7_000_215] }),
    ]);
  });

  it("refuses another scope with 400, invalid_scope and AADSTS70011", async () => {
    const heard = await logIn({ scope: "https://graph.microsoft.com/.default" });
    expect([heard.status, heard.json()]).toEqual([
      400,
      expect.objectContaining({ error: "invalid_scope", error_codes: [70_011] }),
    ]);
  });

  it("refuses an unknown tenant with AADSTS90002", async () => {
    expect((await logIn({}, `${central.server.url}/other/oauth2/v2.0/token`)).json().error_codes).toEqual([90_002]);
  });

  it("answers an expired or unknown token with 401 and Authentication_InvalidCredentials", async () => {
    clock.advance(3_600_000);
    expect(await refusal("customers")).toEqual(
      fault(401, "Authentication_InvalidCredentials", "rejected the client credentials"),
    );
    token = "never";
    expect(await refusal("customers")).toEqual(
      fault(401, "Authentication_InvalidCredentials", "rejected the client credentials"),
    );
  });

  it("has tenant and environment in the path, and no other", async () => {
    const root = central.environment["ERP_URL"]!.replace("/Production/", "/Sandbox/");
    expect((await get("customers", {}, root)).status).toBe(404);
  });

  it("has the company in the path, and names Internal_CompanyNotFound otherwise", async () => {
    const root = central.environment["ERP_URL"]!.replace(
      /companies\(.*/,
      "companies(00000000-0000-0000-0000-000000000000)",
    );
    expect((await get("customers", {}, root)).json().error.code).toBe("Internal_CompanyNotFound");
  });

  it("answers an entity set that it does not have with BadRequest_ResourceNotFound", async () =>
    expect(await refusal("customer")).toEqual(
      fault(404, "BadRequest_ResourceNotFound", "Resource not found for the segment 'customer'"),
    ));

  it("answers a deleted record with Internal_RecordNotFound, and lists it no more", async () => {
    const id = jsonText(central.customers.list()[0]!["id"]);
    expect((await get(`customers(${id})`)).json()).toMatchObject({ id, number: "10000" });
    central.customers.remove(id);
    expect(await refusal(`customers(${id})`)).toEqual(fault(404, "Internal_RecordNotFound", "does not exist"));
    expect(await list("")).toHaveLength(6);
  });

  it("names the table that the permission sets do not cover", async () => {
    central.denied.set("customers", "18 Customer");
    expect(await refusal("customers")).toEqual(fault(400, "Internal_ServerError", "TableData 18 Customer Read"));
  });

  it("refuses a property in $select that the type does not have", async () =>
    expect(await refusal("customers?$select=number,name2")).toEqual(
      fault(400, "BadRequest", "Could not find a property named 'name2' on type 'Microsoft.NAV.customer'"),
    ));

  it("refuses a property in $filter that the type does not have", async () =>
    expect(await refusal("customers?$filter=name2 eq 'x'")).toEqual(fault(400, "BadRequest", "named 'name2'")));

  it("refuses a literal that does not fit its property", async () =>
    expect(await refusal("customers?$filter=lastModifiedDateTime ge '2026-01-01'")).toEqual(
      fault(400, "BadRequest", "Error in query syntax"),
    ));

  it('refuses a filter that it cannot parse with "Error in query syntax"', async () => {
    for (const filter of ["number eq", "(number eq '1'", "number like '1'", "number eq '1' and"])
      expect(await refusal(`customers?$filter=${filter}`)).toEqual(fault(400, "BadRequest", "Error in query syntax"));
  });

  it("refuses `or` over two properties with 501 and BadRequest_MethodNotImplemented", async () =>
    expect(await refusal("customers?$filter=city eq 'Bonn' or number eq '10005'")).toEqual(
      fault(501, "BadRequest_MethodNotImplemented", "distinct fields"),
    ));

  it("takes `or` over one property", async () => {
    expect(await list("$filter=number eq '10001' or number eq '10004'&$orderby=number")).toEqual(["10001", "10004"]);
  });

  it("knows startswith, endswith and contains", async () => {
    const asked = ["startswith(city,'Bo')", "endswith(city,'nn')", "contains(city,'on')"];
    for (const filter of asked) expect(await list(`$filter=${filter}`)).toHaveLength(3);
  });

  it("knows `in` with $schemaversion=2.1 alone", async () => {
    expect(await refusal("customers?$filter=number in ('10001','10002')")).toEqual(
      fault(400, "BadRequest", "Error in query syntax"),
    );
    expect(await list("$schemaversion=2.1&$filter=number in ('10001','10002')")).toHaveLength(2);
  });

  it("ignores a filter with a lambda operator", async () => {
    expect(await list("$filter=contactsInformation/any(c:c/relatedType eq 'Vendor')")).toHaveLength(7);
  });

  it("gives pages of Prefer: odata.maxpagesize and a next link", async () => {
    const { value, ...rest } = (await get("customers", { prefer: "odata.maxpagesize=3" })).json();
    expect([value.length, "@odata.nextLink" in rest]).toEqual([3, true]);
  });

  it("continues a list by aid=FIN and $skiptoken, which is the last id", async () => {
    const seen: string[] = [];
    let page = (await get("customers?$select=number", { prefer: "odata.maxpagesize=3" })).json();
    for (;;) {
      seen.push(...page.value.map((row: JsonObject) => jsonText(row["number"])));
      const link: string | undefined = page["@odata.nextLink"];
      if (link === undefined) break;
      expect(new URL(link).searchParams.get("aid")).toBe("FIN");
      page = (await get(`customers${new URL(link).search}`, { prefer: "odata.maxpagesize=3" })).json();
    }
    expect(seen.toSorted()).toEqual(["10000", "10001", "10002", "10003", "10004", "10005", "10006"]);
  });

  it("refuses pages of more than 20,000 entities with 413", async () => {
    expect((await get("customers", { prefer: "odata.maxpagesize=20001" })).status).toBe(413);
  });

  it("answers the request after 6,000 in five minutes with 429", async () => {
    central.limit = 2;
    const statuses = [await get("customers"), await get("customers"), await get("customers")].map(
      ({ status }) => status,
    );
    clock.advance(300_001);
    expect([...statuses, (await get("customers")).status]).toEqual([200, 200, 429, 200]);
  });

  it("says Application_TooManyRequests and Retry-After where it throttles", async () => {
    central.limit = 0;
    const heard = await get("customers");
    expect([heard.headers.get("retry-after"), heard.json().error.code]).toEqual(["1", "Application_TooManyRequests"]);
  });

  it("says retry-after beside a 503", async () => {
    central.pause = 20;
    const heard = await get("customers");
    expect([heard.status, heard.headers.get("retry-after")]).toEqual([503, "20"]);
  });

  it("stamps each change with lastModifiedDateTime, in UTC with milliseconds", async () => {
    expect((await get("customers")).json().value[0].lastModifiedDateTime).toMatch(/^2026-03-02T1\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("compares stamps as SQL Server's datetime keeps them, in ticks of 1/300 second", async () => {
    const id = jsonText(central.customers.list()[0]!["id"]);
    central.customers.edit(id, { lastModifiedDateTime: "2026-03-02T12:00:00.457Z" });
    expect(await list("$filter=lastModifiedDateTime ge 2026-03-02T12:00:00.458Z")).toEqual(["10000"]);
  });

  it("compares and sorts ids as SQL Server does, by their last bytes first", async () => {
    const ids = (await get("customers?$orderby=id")).json().value.map((row: JsonObject) => jsonText(row["id"]));
    expect(ids).toEqual(ids.toSorted(compareGuids));
    expect(ids).not.toEqual(ids.toSorted());
    expect((await get(`customers?$filter=id gt ${ids[3]}`)).json().value).toHaveLength(3);
  });

  it("gives decimals as text where IEEE754Compatible=true is asked for", async () => {
    const accept = "application/json;odata.metadata=minimal;IEEE754Compatible=true";
    expect((await get("customers", { accept })).json().value[0].balanceDue).toBe("0.10");
    expect((await get("customers")).json().value[0].balanceDue).toBe(0.1);
  });

  it("shows an etag of each entity, which changes with it", async () => {
    const etag = async () => (await get("customers")).json().value[0]["@odata.etag"];
    const before = await etag();
    const id = (await get("customers")).json().value[0].id;
    central.customers.edit(id, { lastModifiedDateTime: "2026-03-03T00:00:00.000Z" });
    expect(await etag()).not.toBe(before);
  });

  it("counts with $count=true", async () => {
    expect((await get("customers?$count=true")).json()["@odata.count"]).toBe(7);
  });

  it("writes the blank value of an enumeration as _x0020_", async () => {
    expect((await get("customers")).json().value[0].blocked).toBe("_x0020_");
  });

  it("has no link from a contact to a customer", async () =>
    expect(await refusal("contacts?$expand=contactsInformation")).toEqual(
      fault(400, "BadRequest", "named 'contactsInformation' on type 'Microsoft.NAV.contact'"),
    ));

  it("shows the contacts of a customer by $expand=contactsInformation, and inside it the contact", async () => {
    const [row] = (await get("customers?$filter=number eq '10002'&$expand=contactsInformation($expand=contact)")).json()
      .value;
    expect(row.contactsInformation).toEqual([
      expect.objectContaining({
        contactName: "Person 2",
        contactType: "Person",
        relatedId: row.id,
        contact: expect.objectContaining({ mobilePhoneNumber: "0170 2" }),
      }),
    ]);
    const [bare] = (await get("customers?$expand=contactsInformation")).json().value;
    expect(Object.keys(bare.contactsInformation[0])).not.toContain("contact");
  });

  it("refuses contactsInformation without a filter on relatedId and relatedType", async () =>
    expect(await refusal("contactsInformation")).toEqual(fault(400, "BadRequest", "id type not specified.")));
});
