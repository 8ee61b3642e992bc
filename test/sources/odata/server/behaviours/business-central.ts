import type { Behaviours } from "./behaviour.ts";

const LEARN = "learn.microsoft.com/dynamics365/business-central/dev-itpro";
const ERRORS = `"Troubleshooting REST API/OData calls", ${LEARN}/webservices/dynamics-error-codes`;
const LIMITS = `"Operational limits for Business Central online", ${LEARN}/administration/operational-limits-online`;
const FILTERS = `"Use filter expressions in OData URIs", ${LEARN}/webservices/use-filter-expressions-in-odata-uris`;
const KNOWN = `"OData known limitations", ${LEARN}/webservices/odata-known-limitations`;
const PAGING = `"Server-driven paging in OData web services", ${LEARN}/webservices/server-driven-paging-in-odata-web-services`;
const STATUS = `"Troubleshooting web service errors: HTTP status codes", ${LEARN}/webservices/web-service-troubleshooting`;
const ENDPOINTS = `"API endpoint structure", ${LEARN}/webservices/api-endpoint-structure`;
const CUSTOMER = `"customer resource type", ${LEARN}/api-reference/v2.0/resources/dynamics_customer`;
const INFORMATION = `"contactInformation resource type" and "Get contactInformation", ${LEARN}/api-reference/v2.0/resources/dynamics_contactinformation`;
const CONTACT_PAGE = 'page "APIV2 - Contacts", github.com/microsoft/ALAppExtensions, Apps/W1/APIV2';
const INFORMATION_PAGE = 'page "APIV2 - Contacts Information", github.com/microsoft/ALAppExtensions, Apps/W1/APIV2';
const ENTRA =
  '"Microsoft identity platform error codes", learn.microsoft.com/entra/identity-platform/reference-error-codes';
const TOKENS =
  '"OAuth 2.0 client credentials flow", learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow';
const CONNECTOR = "github.com/amp-labs/connectors, tests of the provider dynamicsbusinesscentral (recorded answers)";
const THROTTLED =
  "public client tests of 429 with Application_TooManyRequests and Retry-After (BusinessCentralAdapterTests, TestHttpPlumbing)";
const SQL_GUIDS =
  '"Comparing GUID and uniqueidentifier values", learn.microsoft.com/dotnet/framework/data/adonet/sql/comparing-guid-and-uniqueidentifier-values';
const SQL_DATETIME =
  '"datetime (Transact-SQL)": rounded to .000, .003 or .007 seconds, learn.microsoft.com/sql/t-sql/data-types/datetime-transact-sql';
const SYSTEM_FIELDS = `"System fields" (SystemModifiedAt), ${LEARN}/developer/devenv-table-system-fields`;
const JSON_FORMAT =
  '"OData JSON Format 4.01", docs.oasis-open.org/odata/odata-json-format/v4.01 (IEEE754Compatible, odata.etag, odata.count)';
const SEEN_BLANK =
  'recorded answers of API v2.0 with "blocked": "_x0020_" in public integrations (Shopify connector documents, recorder of Power Platform)';

/** What Business Central online does, as far as a reader of its API v2.0 meets it. */
export const businessCentral = {
  token: { says: "exchanges client credentials for a token of 3599 seconds", source: TOKENS },
  wrongSecret: { says: "refuses a wrong secret with 401, invalid_client and AADSTS7000215", source: ENTRA },
  wrongScope: { says: "refuses another scope with 400, invalid_scope and AADSTS70011", source: ENTRA },
  unknownTenant: { says: "refuses an unknown tenant with AADSTS90002", source: ENTRA },
  expired: {
    says: "answers an expired or unknown token with 401 and Authentication_InvalidCredentials",
    source: ERRORS,
  },
  environment: { says: "has tenant and environment in the path, and no other", source: ENDPOINTS },
  company: { says: "has the company in the path, and names Internal_CompanyNotFound otherwise", source: ERRORS },
  segment: { says: "answers an entity set that it does not have with BadRequest_ResourceNotFound", source: ERRORS },
  record: { says: "answers a deleted record with Internal_RecordNotFound, and lists it no more", source: ERRORS },
  permission: { says: "names the table that the permission sets do not cover", source: ERRORS },
  select: { says: "refuses a property in $select that the type does not have", source: CUSTOMER },
  filterField: { says: "refuses a property in $filter that the type does not have", source: CUSTOMER },
  literal: { says: "refuses a literal that does not fit its property", source: ERRORS },
  syntax: { says: 'refuses a filter that it cannot parse with "Error in query syntax"', source: ERRORS },
  mixedOr: { says: "refuses `or` over two properties with 501 and BadRequest_MethodNotImplemented", source: KNOWN },
  or: { says: "takes `or` over one property", source: FILTERS },
  functions: { says: "knows startswith, endswith and contains", source: FILTERS },
  inList: { says: "knows `in` with $schemaversion=2.1 alone", source: FILTERS },
  lambda: { says: "ignores a filter with a lambda operator", source: KNOWN },
  pageSize: { says: "gives pages of Prefer: odata.maxpagesize and a next link", source: PAGING },
  nextLink: { says: "continues a list by aid=FIN and $skiptoken, which is the last id", source: CONNECTOR },
  mostPerPage: { says: "refuses pages of more than 20,000 entities with 413", source: LIMITS },
  rate: { says: "answers the request after 6,000 in five minutes with 429", source: LIMITS },
  retryAfter: { says: "says Application_TooManyRequests and Retry-After where it throttles", source: THROTTLED },
  unavailable: { says: "says retry-after beside a 503", source: STATUS },
  stamps: { says: "stamps each change with lastModifiedDateTime, in UTC with milliseconds", source: SYSTEM_FIELDS },
  ticks: {
    says: "compares stamps as SQL Server's datetime keeps them, in ticks of 1/300 second",
    source: SQL_DATETIME,
  },
  guids: { says: "compares and sorts ids as SQL Server does, by their last bytes first", source: SQL_GUIDS },
  decimals: { says: "gives decimals as text where IEEE754Compatible=true is asked for", source: JSON_FORMAT },
  etags: { says: "shows an etag of each entity, which changes with it", source: JSON_FORMAT },
  count: { says: "counts with $count=true", source: JSON_FORMAT },
  blank: { says: "writes the blank value of an enumeration as _x0020_", source: SEEN_BLANK },
  contactLink: { says: "has no link from a contact to a customer", source: CONTACT_PAGE },
  information: {
    says: "shows the contacts of a customer by $expand=contactsInformation, and inside it the contact",
    source: INFORMATION,
  },
  informationAlone: {
    says: "refuses contactsInformation without a filter on relatedId and relatedType",
    source: INFORMATION_PAGE,
  },
} as const satisfies Behaviours;
