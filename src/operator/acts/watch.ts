import { DAY_MS, localTime, MINUTE_MS, ParkError, recordLabel, type RecordId } from "#model";
import { z } from "zod";
import { roughDuration } from "../text/figures.ts";
import { recordWord } from "../text/shell.ts";
import { defineAct } from "./act.ts";
import type { Ended } from "./command.ts";
import { numberInput } from "./inputs.ts";

/** A longer watch would collect more than anyone reads. */
const LONGEST_MS = DAY_MS;
/** Records that can be watched at once. */
const MOST = 20;

export const watchAct = defineAct({
  name: "watch",
  target: "record",
  help: "Record the requests and answers of one record for a while; explain and its page show them",
  input: { minutes: numberInput(z.number("a number of minutes")) },
  inputHelp: "`minutes`",
  audit: "watch",
  /**
   * A running daemon starts within a second. The record need not exist yet: then its first delivery is kept.
   * @throws {ParkError} E_WATCH_REFUSED for no duration, more than a day, or more than twenty records at once.
   */
  async run({ store }, { target: id, input: { minutes } }, by) {
    const forMs = Math.round(minutes * MINUTE_MS);
    if (!(forMs > 0 && forMs <= LONGEST_MS))
      throw new ParkError(
        "E_WATCH_REFUSED",
        `found ${forMs > 0 ? roughDuration(forMs) : "no time"} to watch for, expected up to ${roughDuration(LONGEST_MS)}. Nothing is watched`,
      );
    const now = store.clock.now();
    const watched = await store.watches.watches(now);
    const others = watched.filter(({ id: { stream, key } }) => stream !== id.stream || key !== id.key);
    if (others.length >= MOST)
      throw new ParkError("E_WATCH_REFUSED", `${MOST} records are watched already: wait until one of the watches ends`);
    const until = now + forMs;
    await store.watches.watch({ id, until, by });
    return { until, isKnown: (await store.record(id)) !== undefined };
  },
  forms: () => [
    {
      label: "Watch its requests",
      means: "svcsync records the requests for this record with their answers, and shows them here for 7 days.",
      fields: [
        {
          kind: "choice",
          name: "minutes",
          label: "For",
          values: { 10: "10 minutes", 60: "1 hour", 1440: "1 day" },
        },
      ],
    },
  ],
  command: {
    arguments: { "<record>": "" },
    options: [
      {
        flags: "--for <duration>",
        help: "how long, as 10m or 2h, up to 1d",
        takes: "duration",
        preset: [10 * MINUTE_MS, "10m"],
      },
    ],
    objection: ({ for: forMs }: { for: number }) => (forMs > LONGEST_MS ? "--for: expected up to 1d" : undefined),
    async run(systems, [id]: [RecordId], { for: forMs }: { for: number }, { by, signal }): Promise<Ended> {
      const input = { minutes: forMs / MINUTE_MS };
      const { until, isKnown } = await watchAct.run(systems, { target: id, input, isConfirmed: true, signal }, by);
      const text = `Watching ${recordLabel(id)} until ${localTime(until)}, for ${roughDuration(forMs)}: a running daemon keeps its requests and answers.
${isKnown ? "" : "No poll has returned this key yet: its first delivery will be kept.\n"}"svcsync explain ${recordWord(id)}" shows them.
`;
      return { json: { id, endsAt: until, isKnown }, text };
    },
  },
});
