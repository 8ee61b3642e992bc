import { z } from "zod";
import type { Note } from "#store";

/** Why the last daemon could not continue. Shown while no daemon runs; absent once another one has started. */
export const stopNote: Note<{ at: number; code: string; message: string }> = {
  name: "stopped",
  schema: z.object({ at: z.number(), code: z.string(), message: z.string() }),
};
