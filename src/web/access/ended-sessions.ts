import { z } from "zod";
import type { Clock } from "#model";
import type { Note, NoteStore } from "#store";

const endsById = z.record(z.string(), z.number());

/** Sessions that were ended before their time, with the instant at which each would have expired. */
const note: Note<z.infer<typeof endsById>> = { name: "page/ended-sessions", schema: endsById, isOfNames: true };

/**
 * The sessions that people ended by logging out. They are kept in the store, so that a copy of their cookie is refused by every
 * process and after a restart, until it would have expired anyway.
 */
export class EndedSessions {
  readonly #notes: NoteStore;
  readonly #clock: Clock;

  constructor(notes: NoteStore, clock: Clock) {
    this.#notes = notes;
    this.#clock = clock;
  }

  async has(id: string): Promise<boolean> {
    return Object.hasOwn((await this.#notes.note(note)) ?? {}, id);
  }

  /** Durable when resolved. */
  async add(id: string, endsAt: number): Promise<void> {
    for (;;) {
      const known = await this.#notes.note(note);
      const now = this.#clock.now();
      const kept = Object.entries(known ?? {}).filter(([, end]) => end > now);
      if (await this.#notes.replaceNote(note, known, Object.fromEntries([...kept, [id, endsAt]]))) return;
    }
  }
}
