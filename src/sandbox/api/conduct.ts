import type { Json } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRecord, WriteOrigin } from "../records/version.ts";
import type { Caller, Tenant } from "./tenant.ts";

/** How many digits the running number of a ticket has at least. */
const TICKET_DIGITS = 6;
const DOCUMENT_DIGITS = 5;

/** What the service itself fills in when a record is created. */
export function initialValues(tenant: Tenant, resource: Resource, id: number, caller: Caller): Record<string, Json> {
  switch (resource.name) {
    case "ticket":
      return {
        ticketNumber: `T${String(id).padStart(TICKET_DIGITS, "0")}`,
        creatorSource: "API",
        creatorUser: userId(tenant, caller),
        webLink: `${tenant.url}/app/ticket/${id}`,
      };
    case "svcDocument": {
      const day = tenant.now().slice(0, 10).replaceAll("-", "");
      return {
        documentNumber: `#${day}-${String(id).padStart(DOCUMENT_DIGITS, "0")}`,
        billable: true,
        ...Object.fromEntries(["finished", "preFinished", "approved", "canceled"].map((name) => [name, false])),
        drafted: false,
        canChangeDocument: true,
        webLink: `${tenant.url}/app/document/${id}`,
      };
    }
    case "ticketMessage":
    case "svcDocumentMessage":
      return {
        user: userId(tenant, caller),
        sender: caller.account.username,
        senderType: "USER_REST_API",
        receivedDate: tenant.now(),
      };
    case "invoice":
      return { status: "OPEN" };
    default:
      return {};
  }
}

/** What follows from a write: histories, mirrors, and the parent's stamp where the tenant moves it. */
export function followUp(
  tenant: Tenant,
  resource: Resource,
  before: StoredRecord | undefined,
  after: StoredRecord | undefined,
  origin: WriteOrigin,
): void {
  if (resource.name === "ticket" && after !== undefined) noteStatusChange(tenant, before, after, origin);
  if (resource.name === "invoice" && after !== undefined && before?.["invoiceNumber"] !== after["invoiceNumber"])
    markInvoiced(tenant, after, origin);
  if (tenant.switches.childTouchesParent && resource.nested !== undefined) {
    const { parent, field } = resource.nested;
    const record = tenant.find(parent, Number((after ?? before)?.[field]));
    if (record) tenant.database.put(parent, { ...record, modified: tenant.now() }, { ...origin, action: "edit" });
  }
}

function noteStatusChange(
  tenant: Tenant,
  before: StoredRecord | undefined,
  after: StoredRecord,
  origin: WriteOrigin,
): void {
  const from = before?.["ticketStatus"] ?? null;
  const to = after["ticketStatus"] ?? null;
  if (from === to) return;
  const [last] = tenant.database.table("ticketStatusChange").find("ticket", after.id).slice(-1);
  const since = last?.version.record?.["date"];
  const date = tenant.now();
  const statusTime = typeof since === "string" ? Date.parse(date) - Date.parse(since) : 0;
  const record = {
    id: tenant.database.nextId(),
    ticket: after.id,
    source: "API",
    date,
    fromStatus: from,
    toStatus: to,
  };
  tenant.database.put("ticketStatusChange", { ...record, statusTime }, { action: "create", request: origin.request });
}

/** The number of an invoice flips its state and appears on its service record. */
function markInvoiced(tenant: Tenant, invoice: StoredRecord, origin: WriteOrigin): void {
  const invoiceNumber = invoice["invoiceNumber"] ?? null;
  const status = invoiceNumber === null || invoiceNumber === "" ? "OPEN" : "INVOICED";
  const follows: WriteOrigin = { action: "edit", request: origin.request };
  tenant.database.put("invoice", { ...invoice, status }, follows);
  const document = tenant.find("svcDocument", Number(invoice["svcDocument"]));
  if (document) tenant.database.put("svcDocument", { ...document, invoiceNumber, modified: tenant.now() }, follows);
}

function userId(tenant: Tenant, caller: Caller): number | null {
  return tenant.database.table("user").find("username", caller.account.username)[0]?.id ?? null;
}
