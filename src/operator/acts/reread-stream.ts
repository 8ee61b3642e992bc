import type { Actor, StreamName } from "#model";
import { rereadNote } from "#pipeline";
import type { ActStore, NoteStore } from "#store";
import { defineAct } from "./act.ts";

/** Makes the next poll read a stream from its beginning. */
export const rereadStreamAct = defineAct({
  name: "reread",
  target: "stream",
  needs: "store",
  help: "Have the next poll read a stream from its beginning",
  input: {},
  audit: "reread",
  run: (systems, { target }, by) => rereadStream(systems, target, by),
  forms: ({ name }) => [
    {
      label: `Read ${name} again`,
      means: "The next poll reads all rows of the ERP. Unchanged rows cause no request to the service.",
    },
  ],
  command: "reread",
});

/** Makes the next poll read the stream from its beginning. Unchanged rows cost no request to the service. */
export async function rereadStream(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  stream: StreamName,
  by: Actor,
): Promise<void> {
  await store.acts.save(stream, { action: "reread", outcome: "from the beginning" }, by);
  await store.saveNote(rereadNote(stream), true);
}
