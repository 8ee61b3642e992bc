import { isInstant } from "../catalogue/field.ts";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRow } from "../records/table.ts";
import type { StoredRecord } from "../records/version.ts";
import { RequestRefusal } from "./answer.ts";
import type { Tenant } from "./tenant.ts";

/** Whether a list shows a row to this request. */
export type RecordFilter = (row: StoredRow) => boolean;

type Test = (record: StoredRecord) => boolean;

/** The words of `status` for service records. */
const REPORT_STATES: Readonly<Record<string, Test>> = {
  open: (record) => record["finished"] !== true && record["canceled"] !== true,
  finished: (record) => record["finished"] === true && record["approved"] !== true,
  allFinished: (record) => record["finished"] === true,
  canceled: (record) => record["canceled"] === true,
  approved: (record) => record["approved"] === true,
  invoiced: (record) => typeof record["invoiceNumber"] === "string" && record["invoiceNumber"] !== "",
  notInvoiced: (record) => record["approved"] === true && !record["invoiceNumber"],
  drafted: (record) => record["drafted"] === true,
  notBillable: (record) => record["billable"] === false,
  preFinish: (record) => record["preFinished"] === true,
};

const INVOICE_STATES: Readonly<Record<string, Test>> = {
  open: (record) => record["status"] === "OPEN",
  invoiced: (record) => record["status"] === "INVOICED",
  notInvoiced: (record) => record["status"] === "NOT_INVOICED",
};

/** The filters of service records and invoices, as this tenant treats them. */
export function filtersOf(tenant: Tenant, resource: Resource, query: URLSearchParams | undefined): RecordFilter[] {
  const states = { svcDocument: REPORT_STATES, invoice: INVOICE_STATES }[resource.name];
  if (states === undefined || query === null || query === undefined) return [];
  const isReport = resource.name === "svcDocument";
  const tests = [
    ...stateTests(tenant, states, query),
    ...ticketTests(tenant, isReport, query),
    ...(isReport ? [...sinceTests(tenant, "approvedSince", query), ...sinceTests(tenant, "finishedSince", query)] : []),
  ];
  return tests.map(
    (test) =>
      ({ version: { record } }) =>
        record !== undefined && test(record),
  );
}

function stateTests(
  { switches: { statusFilter } }: Tenant,
  states: Readonly<Record<string, Test>>,
  query: URLSearchParams,
): Test[] {
  const words = (names: readonly string[]) =>
    names.flatMap((name) => query.get(name)?.split(",") ?? []).filter(Boolean);
  const [wanted, unwanted] = [words(["status", "statuses"]), words(["notStatus", "notStatuses"])];
  if (statusFilter === "ignored" || (wanted.length === 0 && unwanted.length === 0)) return [];
  if (statusFilter === "refused") throw new RequestRefusal(400, "status is not a valid parameter");
  const unknown = [...wanted, ...unwanted].find((word) => states[word] === undefined);
  if (unknown !== undefined) throw new RequestRefusal(400, `status ${unknown} is unknown`);
  const holds = (word: string) => states[statusFilter === "wrong" ? "open" : word]!;
  return [
    ...(wanted.length === 0 ? [] : [(record: StoredRecord) => wanted.some((word) => holds(word)(record))]),
    (record) => !unwanted.some((word) => holds(word)(record)),
  ];
}

function sinceTests({ switches }: Tenant, name: "approvedSince" | "finishedSince", query: URLSearchParams): Test[] {
  const from = query.get(name);
  const mode = switches[name];
  if (!from || mode === "ignored") return [];
  if (mode === "refused") throw new RequestRefusal(400, `${name} is not a valid parameter`);
  if (!isInstant(from)) throw new RequestRefusal(400, `${name} has invalid date format`);
  const [right, wrong] = name === "approvedSince" ? ["approvedDate", "finishedDate"] : ["finishedDate", "created"];
  return [
    (record) => {
      const at = record[mode === "works" ? right : wrong];
      return typeof at === "string" && at >= from;
    },
  ];
}

/** `ticketIds` works on every tenant that was seen. */
function ticketTests(tenant: Tenant, isReport: boolean, query: URLSearchParams): Test[] {
  const ids = query.get("ticketIds");
  if (!ids) return [];
  const wanted = new Set(ids.split(",").map(Number));
  return [
    (record) => {
      const report = isReport ? record : tenant.find("svcDocument", Number(record["svcDocument"]));
      return wanted.has(Number(report?.["ticket"]));
    },
  ];
}
