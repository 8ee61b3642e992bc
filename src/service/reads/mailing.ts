import { ParkError, type Json, type ResourceName } from "#model";
import type { Service } from "../contract.ts";

/** A boolean of a written record that makes the service send a message to the customer. */
const MESSAGE_FIELDS: Readonly<Record<ResourceName, string>> = { svcDocument: "sendMessage" };
/** A field whose status may make the service send mail to the customer, and the resource of the statuses. */
const STATUS_FIELDS: Readonly<Record<ResourceName, { readonly field: string; readonly resource: ResourceName }>> = {
  ticket: { field: "ticketStatus", resource: "ticketStatus" },
};

/** What in a resource's records makes the service send mail to customers. */
export interface Mailing {
  /** The field that does it when it is true. */
  readonly flag?: string;
  /** The field that holds a status, and the statuses that do it; undefined if the user may not read them. */
  readonly status?: { readonly field: string; readonly mailing: ReadonlyMap<Json, string> | undefined };
}

/** Finds out what makes the service send mail when these fields of the resource are written. Asks for the statuses, if any is. */
export async function mailingOf(
  service: Pick<Service, "list">,
  { resource, ownedFields }: { readonly resource: ResourceName; readonly ownedFields: readonly string[] },
  signal: AbortSignal,
): Promise<Mailing> {
  const flag = MESSAGE_FIELDS[resource];
  const status = STATUS_FIELDS[resource];
  return {
    ...(flag !== undefined && ownedFields.includes(flag) && { flag }),
    ...(status !== undefined &&
      ownedFields.includes(status.field) && {
        status: { field: status.field, mailing: await mailingStatuses(service, status.resource, signal) },
      }),
  };
}

async function mailingStatuses(
  service: Pick<Service, "list">,
  resource: ResourceName,
  signal: AbortSignal,
): Promise<ReadonlyMap<Json, string> | undefined> {
  const mailing = new Map<Json, string>();
  try {
    for await (const rows of service.list(resource, { fields: ["id", "name", "sendCustomerMail"] }, signal))
      for (const { id, name, sendCustomerMail } of rows)
        if (sendCustomerMail === true && id !== undefined)
          mailing.set(id, typeof name === "string" ? name : JSON.stringify(id));
  } catch (thrown) {
    if (thrown instanceof ParkError) return undefined;
    throw thrown;
  }
  return mailing;
}
