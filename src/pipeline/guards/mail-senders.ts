import type { Mailing } from "#service";
import type { PlannedDelivery } from "../plan/planned-delivery.ts";

/** Whether any record of a stream can make the service send mail, as far as that can be known. */
export function maySend({ flag, status }: Mailing): boolean {
  return flag !== undefined || (status !== undefined && status.mailing?.size !== 0);
}

/** Whether this delivery creates a record for which the service sends mail, or may do so. */
export function sends({ flag, status }: Mailing, { verdict, fields }: PlannedDelivery): boolean {
  if (verdict !== "create") return false;
  return fields.some(({ field, after }) => {
    if (field === flag) return after === true;
    return field === status?.field && (status.mailing === undefined || status.mailing.has(after));
  });
}
