import { z } from "zod";
import type { Clock } from "#model";
import type { Queue } from "#queue";
import type { Note, NoteStore } from "#store";
import type { PollWatch } from "./poll-watch.ts";

/** When this process last proved that the store can be written to. */
export const readinessNote: Note<number> = { name: "readiness", schema: z.number() };

interface WorkProofDeps {
  readonly store: Pick<NoteStore, "saveNote">;
  readonly queue: Pick<Queue, "ping">;
  readonly clock: Clock;
  readonly polls: Pick<PollWatch, "check">;
}

/**
 * Resolves when this process does its work: the store and the queue answered, and polls come up. That a part refuses is an answer
 * too: a restart repairs neither a full disk nor a queue that cannot be reached, nor polls that are not due without one.
 * @throws {RetryError} E_POLL_OVERDUE when polls do not come up although the queue works.
 */
export async function proveWork({ store, queue, clock, polls }: WorkProofDeps): Promise<void> {
  const [, queueWorks] = await Promise.all([worked(store.saveNote(readinessNote, clock.now())), worked(queue.ping())]);
  if (queueWorks) polls.check();
}

function worked(answer: Promise<void>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}
