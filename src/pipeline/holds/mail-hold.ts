import { z } from "zod";
import { counted } from "#model";
import { noteOfEach } from "../notes.ts";
import type { Hold } from "./hold.ts";

const shape = z.object({
  /** `open`: deliveries may begin. `counting`: svcsync is finding out. `waiting`: the first load cannot be read. */
  state: z.enum(["open", "counting", "waiting", "held"]),
  /** Identifies what a person may confirm. */
  plan: z.string().default(""),
  /** New records that would make the service send mail, or may do so if the statuses cannot be read. */
  count: z.number().default(0),
  isKnown: z.boolean().default(true),
});

/** Whether the first load of a stream may be delivered although the service sends mail for its records. */
export type FirstMail = z.infer<typeof shape>;

export const firstMailNote = noteOfEach("first-mail", shape);

/** The plan of a first load that a person confirmed. */
export const mailConfirmedNote = noteOfEach("first-mail-confirmed", z.string());

/** Reads the hold that the mail guard stored for a stream. */
export const mailHold: Hold = {
  async find(store, stream) {
    const found = await store.note(firstMailNote(stream));
    if (!found || found.state === "open") return undefined;
    const { state, count, plan, isKnown } = found;
    const common = { kind: "mail", polls: false } as const;
    if (state !== "held")
      return {
        ...common,
        reason: "its first load may make the service send mail to customers, and svcsync is counting the records",
        remedy:
          state === "waiting"
            ? "correct what keeps the stream from being read"
            : "wait; you have to decide only if there are many",
        needsPerson: false,
        ...(state === "counting" && { isCounting: true }),
      };
    const what = isKnown
      ? `its first load would make the service send mail to customers for ${counted(count, "new record")}`
      : `its first load writes statuses for ${counted(count, "new record")}, and whether these make the service send mail cannot be known, because the user may not read the statuses`;
    return {
      ...common,
      reason: what,
      remedy: `switch the mail off in the service ("svcsync check" names where) and restart, or "svcsync plan --confirm ${plan}" loads them as it is`,
      needsPerson: true,
    };
  },
};
