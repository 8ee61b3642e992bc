import { z } from "zod";

/** How fine a stamp is on the wire, in microseconds. */
export const PRECISIONS = { day: 86_400_000_000, second: 1_000_000, millisecond: 1000, microsecond: 1 } as const;

export type Precision = keyof typeof PRECISIONS;

export const precisionSchema = z.enum(["day", "second", "millisecond", "microsecond"]);
