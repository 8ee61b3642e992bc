import type { Json } from "#model";
import type { Resource } from "../catalogue/resource.ts";
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
    default:
      return {};
  }
}

function userId(tenant: Tenant, caller: Caller): number | null {
  return tenant.database.table("user").find("username", caller.account.username)[0]?.id ?? null;
}
