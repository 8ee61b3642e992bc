import { z } from "zod";
import { noteOfEach } from "../notes.ts";
import type { Hold } from "./hold.ts";

const heldShape = z.object({
  fingerprint: z.string(),
  reason: z.string(),
  remedy: z.string(),
  plan: z.string().nullable(),
});

/**
 * Why a stream with the changed mapping `fingerprint` delivers nothing. `plan` is what a person has to confirm, or null while the
 * changes are still being counted.
 */
export type ChangeHeld = z.infer<typeof heldShape>;

/** Reads the hold that the change guard stored for a stream. */
export const changeHold: Hold = {
  async find(store, stream) {
    const held = await store.note(changeHeldNote(stream));
    if (!held) return undefined;
    const { reason, remedy, plan } = held;
    return { kind: "change", reason, remedy, needsPerson: plan !== null, polls: false };
  },
};

export const changeHeldNote = noteOfEach("change-held", heldShape);

/** A person's confirmation of this many updates by the mapping `fingerprint`. */
export const changeConfirmedNote = noteOfEach(
  "change-confirmed",
  z.object({ fingerprint: z.string(), updates: z.number() }),
  { isOfNames: true },
);
