import { z } from "zod";
import { fences, type KeptSession, type SessionCell } from "#service";
import { sessionNoteName, type Note, type NoteStore } from "#store";
import type { Redact } from "#telemetry";

const sessionNote: Note<KeptSession> = {
  name: sessionNoteName,
  isOfNames: true,
  schema: z.object({
    token: z.string().optional(),
    former: z.string().optional(),
    expiresAt: z.number().optional(),
    extendsByMs: z.number().optional(),
    by: z.string().optional(),
    doubted: z.object({ count: z.number(), at: z.number(), message: z.string() }).optional(),
    refusal: z.object({ sealed: z.string(), at: z.number() }).optional(),
    fence: z.enum(fences).optional(),
    revoked: z.boolean().optional(),
    exposedUntil: z.number().optional(),
  }),
};

/** Stores the session for all daemons of the store. A daemon that lost the store cannot read the new token. */
export function keptSession(store: NoteStore, redact: Redact): SessionCell {
  const load = async (): Promise<KeptSession | undefined> => {
    const kept = await store.note(sessionNote);
    // Unlike a read, a step checks that this is still the daemon, even a step that changes nothing.
    return (await store.replaceNote(sessionNote, kept, kept)) ? kept : load();
  };
  return { load, replace: (known, next) => store.replaceNote(sessionNote, known, withoutSecrets(next, redact)) };
}

/** Only this text needs redaction: the other fields are sealed, or are no texts. */
function withoutSecrets({ doubted, ...kept }: KeptSession, redact: Redact): KeptSession {
  return doubted === undefined ? kept : { ...kept, doubted: { ...doubted, message: redact(doubted.message) } };
}
