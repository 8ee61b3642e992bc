import { z } from "zod";
import { counted } from "#model";
import { noteOfEach } from "../notes.ts";
import type { Hold } from "./hold.ts";

const heldShape = z.object({
  /** Identifies what a person has to confirm; null while the updates could not be counted. */
  plan: z.string().nullable(),
  /** Records that would be updated in the service. Without a plan: rows that changed. */
  updates: z.number(),
  /** Records of the stream that are bound. */
  bound: z.number(),
});

/** A round of changes in the ERP that the mass-change guard holds. */
export type MassHeld = z.infer<typeof heldShape>;

export const massHeldNote = noteOfEach("mass-held", heldShape);

/** The plan of a held round that a person confirmed. */
export const massConfirmedNote = noteOfEach("mass-confirmed", z.string());

/** Bound records that were let through lately, a sum for each minute: a mass change may arrive in many small polls. */
export const massRecentNote = noteOfEach(
  "mass-recent",
  z.array(z.object({ at: z.number(), count: z.number() })).readonly(),
);

/** Reads the hold that the mass-change guard stored for a stream. It concerns only the records of the round, so deliveries do not ask. */
export const massHold: Hold = {
  async find(store, stream) {
    const held = await store.note(massHeldNote(stream));
    if (!held) return undefined;
    const { plan, updates, bound } = held;
    const common = { kind: "mass", polls: false, records: updates } as const;
    const share = `${updates.toLocaleString("en")} of ${counted(bound, "bound record")}`;
    if (plan === null)
      return {
        ...common,
        reason: `the ERP changed ${share} at once, and svcsync could not count yet how many of them it would update`,
        remedy: "svcsync counts again every few seconds; see its log if this lasts",
        needsPerson: false,
      };
    return {
      ...common,
      reason: `the ERP changed so many records at once that svcsync would update ${share}, more than the mass-change guard allows; those wait, all others are delivered`,
      remedy: `"svcsync plan ${stream}" shows them; "svcsync plan --confirm ${plan}" writes them. Or correct the ERP: once it shows the old values again, the hold ends`,
      needsPerson: true,
    };
  },
};
