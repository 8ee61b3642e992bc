import { z } from "zod";

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration as people write it in the sync file (`90s`, `5m`, `12h`, `7d`), parsed to milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, "a duration is a whole number and a unit: 500ms, 90s, 5m, 12h or 7d")
  .transform((text) => {
    const unit = text.replace(/^\d+/, "");
    return Number.parseInt(text, 10) * (unitsMs as Record<string, number>)[unit]!;
  });

const DAY_MS = unitsMs.d;

/** A duration that bounds one exchange. A longer one is a slip, and past 24.8 days a timer would fire at once. */
export const timeLimit = duration.refine((ms) => ms > 0 && ms <= DAY_MS, "a time limit is between 1ms and 1d");
