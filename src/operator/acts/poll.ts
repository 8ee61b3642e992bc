import type { Actor, StreamName } from "#model";
import { pollNote } from "#pipeline";
import type { ActStore, NoteStore } from "#store";
import { defineAct } from "./act.ts";

/** Polls a stream now. */
export const pollAct = defineAct({
  name: "poll",
  target: "stream",
  needs: "store",
  help: "Have the running daemon poll these streams now",
  input: {},
  audit: "poll",
  wakes: "polls",
  run: (systems, { target }, by) => pollNow(systems, [target], by),
  forms: ({ name, holds }) =>
    holds.some(({ polls }) => polls) ? [] : [{ label: "Poll now", spoken: `Poll ${name} now` }],
  command: "poll",
});

/** Makes the running daemon poll the streams within a second; without one, the next daemon that starts. */
export async function pollNow(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  streams: readonly StreamName[],
  by: Actor,
): Promise<void> {
  for (const stream of streams) {
    await store.acts.save(stream, { action: "poll", outcome: "now" }, by);
    await store.saveNote(pollNote(stream), true);
  }
}
