import { z } from "zod";

/** The zone in which an ERP writes stamps that carry none, as an IANA name. */
export const timezone = z.string().refine(isZone, "a time zone is an IANA name such as Europe/Berlin or UTC");

function isZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}
