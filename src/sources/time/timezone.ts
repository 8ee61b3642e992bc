import { z } from "zod";
import { isTimeZone } from "#model";

/** The zone in which an ERP writes stamps without a zone, as an IANA name. */
export const timezone = z.string().refine(isTimeZone, "a time zone is an IANA name such as Europe/Berlin or UTC");
