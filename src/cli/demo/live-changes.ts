import { sleep, type JsonObject } from "#model";
import type { SampleErp } from "#sandbox";
import type { ServiceReader } from "./service-reader.ts";

/** A change of the ERP, and how to verify its arrival in the service. */
export interface LiveChange {
  readonly what: string;
  readonly make: () => void | Promise<void>;
  /** Describes the change once it has arrived; undefined until then. */
  readonly seen: () => Promise<string | undefined>;
}

const LOOK_MS = 100;
/** Far longer than a poll interval and a delivery, even on a busy machine. */
const PATIENCE_MS = 60_000;

/** A customer that the service refuses, because its name is empty. */
export const REFUSED_CUSTOMER = "99002";

/** The changes of the demo, one of each kind that real ERPs make. */
export function liveChanges(
  erp: SampleErp,
  service: ServiceReader,
  isParked: (stream: string, key: string) => Promise<string | undefined>,
): LiveChange[] {
  const customer = erp.all("customers").find(({ deleted, status }) => !deleted && status === "A")!;
  const gone = erp.all("customers").findLast(({ deleted, status }) => !deleted && status === "A")!;
  const ticket = erp.all("tickets").find(({ deleted, status }) => !deleted && status === "open")!;
  const renamed = 'Grün & Söhne "Kälte" GmbH';
  const find = async (resource: string, field: string, value: string) =>
    (await service.all(resource)).find((record) => record[field] === value);
  return [
    {
      what: `customer ${customer.customer_no} is renamed`,
      make: () => erp.change("customers", [customer.customer_no], { name1: renamed, name2: null }),
      seen: async () => {
        const found = await find("customer", "customerId", customer.customer_no);
        return found?.["name"] === renamed ? `customer ${id(found)} is now called ${renamed}` : undefined;
      },
    },
    {
      what: "a contact is entered before its customer",
      make: () => {
        erp.insertContact({ customer_no: "99001", contact_no: 1, first_name: "Zoë", last_name: "Ångström" });
        erp.insertCustomer({ customer_no: "99001", name1: "Neukunde Übersee AG" });
      },
      seen: async () => {
        const parent = await find("customer", "customerId", "99001");
        const child = parent && (await find("customerContact", "name", "Zoë Ångström"));
        return child && child["customer"] === parent["id"]
          ? `customer ${id(parent)} and its contact ${id(child)} are there, in this order`
          : undefined;
      },
    },
    {
      what: `ticket ${ticket.ticket_no} is closed`,
      make: () => erp.change("tickets", [ticket.ticket_no], { status: "closed" }),
      seen: async () => {
        const found = await find("ticket", "erpReferenceNumber", ticket.ticket_no);
        const statuses = await service.all("ticketStatus");
        const status = statuses.find((record) => record["id"] === found?.["ticketStatus"])?.["name"];
        return found && status === "Closed" ? `ticket ${id(found)} is closed` : undefined;
      },
    },
    {
      what: `customer ${gone.customer_no} is flagged as deleted`,
      make: () => erp.flagDeleted("customers", [gone.customer_no]),
      seen: async () => {
        const found = await find("customer", "customerId", gone.customer_no);
        const statuses = await service.all("customerStatus");
        const status = statuses.find((record) => record["id"] === found?.["customerStatus"])?.["name"];
        return found && status === "Inactive" ? `customer ${id(found)} is inactive, not gone` : undefined;
      },
    },
    {
      what: "a customer without a name is entered, which the service refuses",
      make: () => erp.insertCustomer({ customer_no: REFUSED_CUSTOMER, name1: "" }),
      seen: () => isParked("customers", REFUSED_CUSTOMER),
    },
  ];
}

/** Makes the change and waits until it arrives. Returns how long that took in milliseconds; undefined if it never arrived. */
export async function show(
  change: LiveChange,
  signal: AbortSignal,
): Promise<{ seen: string; afterMs: number } | undefined> {
  const startedAt = Date.now();
  await change.make();
  while (!signal.aborted && Date.now() - startedAt < PATIENCE_MS) {
    const seen = await change.seen();
    if (seen !== undefined) return { seen, afterMs: Date.now() - startedAt };
    await sleep(LOOK_MS, signal);
  }
  return undefined;
}

function id(record: JsonObject): string {
  return typeof record["id"] === "number" ? String(record["id"]) : "?";
}
