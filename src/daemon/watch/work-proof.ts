import { z } from "zod";
import type { Clock } from "#model";
import type { Queue } from "#queue";
import type { Note, NoteStore } from "#store";
import type { PollWatch } from "./poll-watch.ts";

/** When this process last proved that the store is writable. */
export const readinessNote: Note<number> = { name: "readiness", schema: z.number() };

interface WorkProofDeps {
  readonly store: Pick<NoteStore, "saveNote">;
  readonly queue: Pick<Queue, "ping">;
  readonly clock: Clock;
  readonly polls: Pick<PollWatch, "check">;
}

/**
 * Resolves when this process works: the store and the queue answered, and polls run. A refusal counts as an answer, because a restart
 * cannot repair a full disk, an unreachable queue, or the polls that are missing without a queue.
 * @throws {RetryError} E_POLL_OVERDUE when polls do not run although the queue works.
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
