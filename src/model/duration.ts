import { z } from "zod";

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DAY_MS = 86_400_000;
const spelling = "a duration such as 500ms, 90s, 5m, 12h or 7d";

/** A duration as the sync file spells it (`90s`, `5m`, `12h`, `7d`), in milliseconds. */
export const duration = z
  .string({ error: spelling })
  .regex(/^\d{1,9}(ms|s|m|h|d)$/, `expected ${spelling}`)
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.replace(/^\d+/, "")] ?? Number.NaN));

/** A duration that limits one exchange. Node.js fires a timer of more than 24.8 days at once; a day is long enough. */
export const timeLimit = duration.refine((ms) => ms > 0 && ms <= DAY_MS, "a time limit is between 1ms and 1d");
