import type { Behaviours } from "./behaviour.ts";

const LIVE =
  '"Testing: service-layer plugin", github.com/ngomezcn/sbo-skills (answers of a Service Layer FP 2608, v1 and v2, word for word)';
const MANUAL = '"Working with SAP Business One Service Layer" 1.22, help.sap.com (sessions, paging, query options)';
const CLIENT = "github.com/bgmulinari/B1SLayer (WithPageSize, retries after 401, next links of both versions)";
const SDK =
  "SAP Business One SDK help, help.sap.com/doc/089315d8d0f8475a9fc84fb919b501a3/10.0/en-US/SDKHelp (UpdateDate, UpdateTime, ServiceCalls.UpdatedTime)";
const DELTA =
  "public integrations that poll by (UpdateDate gt d or (UpdateDate eq d and UpdateTime ge t)) with quoted literals";

/** What the Service Layer does, as far as a reader meets it. */
export const businessOne = {
  login: { says: "opens a session with the cookies B1SESSION and ROUTEID, of 30 minutes", source: LIVE },
  wrongPassword: { says: "answers a wrong password with 401 and -304", source: LIVE },
  wrongCompany: { says: "answers an unknown company with 401 and -306, in the same words", source: LIVE },
  atOnce: { says: 'fails some logins that come at once with 500, 299 and "SAML Login Failed"', source: LIVE },
  noSession: { says: "answers without a session with 401 and 301", source: LIVE },
  idle: { says: "ends a session that was idle for 30 minutes; each use extends it", source: LIVE },
  route: { says: "knows a session on its own node alone, which ROUTEID names", source: MANUAL },
  errorShape: { says: "writes code and message of an error as text in v2, beside details", source: LIVE },
  unknownSet: { says: 'answers an unknown entity set with 400 and "Service Not Found"', source: LIVE },
  missing: { says: "answers a missing key with 404 and -2028", source: LIVE },
  unknownProperty: { says: "refuses an unknown property with 400 and 201", source: LIVE },
  syntax: { says: 'refuses a filter that it cannot parse with "Invalid filter condition"', source: LIVE },
  expand: { says: "refuses to expand a collection inside an entity", source: LIVE },
  collections: { says: "shows collections inside the entity, and selects them by name", source: MANUAL },
  defaultPage: { says: "gives 20 entities a page", source: LIVE },
  maxPageSize: { says: "gives pages of Prefer: odata.maxpagesize", source: LIVE },
  pageSizeHeader: { says: "gives pages of the header B1S-PageSize, and everything for 0", source: CLIENT },
  nextLink: { says: "writes next links relative to the service's root, with $skip", source: LIVE },
  fullPage: { says: "names a next page behind a last page that is full", source: LIVE },
  top: { says: "counts $top down over the pages", source: LIVE },
  counted: { says: "counts with /$count as plain text, and with $count=true in the answer", source: LIVE },
  etags: { says: "shows an etag of each entity", source: LIVE },
  stamps: {
    says: "stamps partners with UpdateDate and UpdateTime, on the server's clock and without a zone",
    source: SDK,
  },
  serviceCalls: { says: "calls the time of change of a service call UpdatedTime", source: SDK },
  quoted: { says: "takes dates and times in quotes, joined by `or` over two properties", source: DELTA },
  types: { says: "gives UpdateDate as an instant at midnight, and UpdateTime as a time of day", source: LIVE },
} as const satisfies Behaviours;
