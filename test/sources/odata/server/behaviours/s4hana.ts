import type { Behaviours } from "./behaviour.ts";

const METADATA = "metadata of API_BUSINESS_PARTNER, github.com/SAP-samples/cloud-cap-samples-java, srv/external";
const ORDERS = "metadata of API_SERVICE_ORDER_SRV in CDS form, github.com/rui77-lab/cap-eventmesh, srv/external";
const CAMUNDA = '"SAP OData connector: error of a missing partner", docs.camunda.io (recorded answer of S/4HANA)';
const TRY_OUT =
  "recorded answer of sandbox.api.sap.com to a filter with a wrong literal (\"Invalid parametertype used at function 'eq'\"), volcengine.com/article/1214737";
const ACCEPT =
  'public client test against sandbox.api.sap.com: $metadata asked for as JSON is "Invalid system query options value"';
const AUTHORIZATION = 'public client tests of 403 with /IWFND/CM_CONSUMER/101 "No authorization to access Service"';
const STANDARD = '"OData 2.0: URI conventions" and "JSON format", odata.org/documentation/odata-version-2-0';
const LOGON = 'public fake of S/4HANA (saptest): Basic realm="SAP NetWeaver Application Server" and "Logon failed"';
const SERVICE = 'public fake of S/4HANA (saptest): /IWFND/MED/170 "No service found"';
const HELP =
  '"Business Partner (A2X)", api.sap.com/api/API_BUSINESS_PARTNER and help.sap.com (entities, deletion by marks)';
const SKIPTOKEN = '"Skip token and server-side paging", SAP Gateway Foundation developer guide, help.sap.com';
const SEGMENT =
  'recorded answer "Resource not found for the segment" with innererror and Error_Resolution in SAP Cloud SDK\'s documents of errors';

/** What S/4HANA's gateway does, as far as a reader of its OData v2 services meets it. */
export const s4hana = {
  logon: { says: "answers a wrong password with 401, a page and the realm of the application server", source: LOGON },
  unknownService: { says: "answers an unknown service with /IWFND/MED/170", source: SERVICE },
  authorization: {
    says: "answers a service that the user may not use with 403 and /IWFND/CM_CONSUMER/101",
    source: AUTHORIZATION,
  },
  segment: { says: "answers an unknown entity set with 404 and where the error log is", source: SEGMENT },
  missing: { says: "answers a key that it does not have with /IWBEP/CM_MGW_RT/020", source: CAMUNDA },
  metadataAsJson: { says: "refuses to give $metadata as JSON", source: ACCEPT },
  results: { says: "wraps entities as d.results, each with __metadata and its etag", source: STANDARD },
  deferred: { says: "shows links that were not expanded as __deferred", source: STANDARD },
  dates: { says: "writes dates as /Date(ms)/ and times of day as PT…H…M…S", source: STANDARD },
  instants: { says: "writes instants as /Date(ms+0000)/", source: STANDARD },
  dateLiterals: { says: "takes datetime'…' and time'PT…' in a filter, joined by `or` and `and`", source: STANDARD },
  instantLiterals: { says: "takes datetimeoffset'…' with a zone in a filter", source: STANDARD },
  wrongLiteral: { says: "refuses a literal of another type", source: TRY_OUT },
  unknownProperty: {
    says: "refuses a property in $select, $filter or $orderby that the type does not have",
    source: METADATA,
  },
  substringof: { says: "knows substringof and startswith, and no function of v4", source: STANDARD },
  top: { says: "pages by $top and $skip", source: STANDARD },
  inlinecount: { says: "counts with $inlinecount=allpages, as text", source: STANDARD },
  counted: { says: "counts with /$count, as plain text", source: STANDARD },
  skiptoken: { says: "names the next page in __next where the server pages", source: SKIPTOKEN },
  expand: { says: "shows a link to one entity as an object, and a link to many as results", source: STANDARD },
  stamps: {
    says: "has date and time of the last change in two properties, empty until the first change",
    source: METADATA,
  },
  addresses: { says: "has no stamp for addresses and customers", source: METADATA },
  orders: { says: "stamps service orders with ServiceDocChangedDateTime", source: ORDERS },
  marks: { says: "never deletes a partner, but marks it", source: HELP },
} as const satisfies Behaviours;
