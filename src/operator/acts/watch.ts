import { DAY_MS, MINUTE_MS, ParkError, type Actor, type RecordId } from "#model";
import type { Store } from "#store";
import { duration } from "../text/figures.ts";
import { z } from "zod";
import { defineAct } from "./act.ts";
import { number } from "./inputs.ts";

/** Keeps the requests of a record and their answers for a while. */
export const watchAct = defineAct({
  name: "watch",
  target: "record",
  needs: "store",
  help: "Record the requests and answers of one record for a while; explain and its page show them",
  input: { minutes: number(z.number("a number of minutes")) },
  inputHelp: "`minutes`",
  audit: "watch",
  run: (systems, { target: id, input: { minutes } }, by) =>
    watchRecord(systems, { id, forMs: minutes * MINUTE_MS }, by),
  forms: () => [
    {
      label: "Watch its requests",
      means: "svcsync records the requests for this record with their answers, and shows them here for 7 days.",
      fields: [
        {
          kind: "choice",
          name: "minutes",
          label: "For",
          values: [
            [10, "10 minutes"],
            [60, "1 hour"],
            [1440, "1 day"],
          ],
        },
      ],
    },
  ],
  command: "watch",
});

/** A longer watch would collect more than anyone reads. */
export const longestWatchMs = DAY_MS;
/** Records that can be watched at once. */
const MOST = 20;

export interface WatchInput {
  readonly id: RecordId;
  /** How long it lasts, in milliseconds. */
  readonly forMs: number;
}

/**
 * Makes a running daemon keep a record's requests and answers, starting within a second, until the time is over. The
 * record need not exist yet: then its first delivery is kept.
 * @throws {ParkError} E_WATCH_REFUSED for no duration, more than a day, or more than twenty records at once.
 */
export async function watchRecord(
  { store }: { readonly store: Pick<Store, "record" | "watches" | "clock"> },
  { id, forMs }: WatchInput,
  by: Actor,
): Promise<{ readonly until: number; readonly isKnown: boolean }> {
  if (!(forMs > 0 && forMs <= longestWatchMs))
    throw new ParkError(
      "E_WATCH_REFUSED",
      `found ${forMs > 0 ? duration(forMs) : "no time"} to watch for, expected up to ${duration(longestWatchMs)}. Nothing is watched`,
    );
  const now = store.clock.now();
  const others = (await store.watches.watches(now)).filter(
    ({ id: { stream, key } }) => stream !== id.stream || key !== id.key,
  );
  if (others.length >= MOST)
    throw new ParkError("E_WATCH_REFUSED", `${MOST} records are watched already: wait until one of the watches ends`);
  const until = now + forMs;
  await store.watches.watch({ id, until, by });
  return { until, isKnown: (await store.record(id)) !== undefined };
}
