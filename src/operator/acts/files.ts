import { ParkError, type Actor, type StreamName } from "#model";
import { refusedFiles, settleFile as settle } from "#pipeline";
import type { ActStore, NoteStore } from "#store";
import { z } from "zod";
import { defineAct } from "./act.ts";

/** How many refused files can be settled on the page at a time. */
const FILES_SHOWN = 5;

/** Settles a refused file. */
export const settleFileAct = defineAct({
  name: "files",
  target: "stream",
  needs: "store",
  help: "Settle a refused file",
  input: { name: z.string("the name of a refused file").min(1, "the name of a refused file") },
  inputHelp: "`name`, the refused file that is settled",
  isFinal: true,
  audit: "files",
  run: (systems, { target: stream, input: { name } }, by) => settleFile(systems, { stream, name }, by),
  forms: ({ refusedFiles = [] }) =>
    refusedFiles.slice(0, FILES_SHOWN).map(({ name }) => ({
      label: `Settle ${name}`,
      means:
        "Do this if the rows of the file are not needed, or were delivered in another file. A later file of the same name settles it, too.",
      fields: [{ kind: "hidden", name: "name", value: name }],
    })),
  answersAttention: true,
  command: "files --settle",
});

/**
 * Settles a refused file: its rows are not needed, or they were delivered in another way.
 * @throws {ParkError} E_NOT_RESOLVABLE when the stream has no such file; nothing is changed then.
 */
export async function settleFile(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  { stream, name }: { readonly stream: StreamName; readonly name: string },
  by: Actor,
): Promise<void> {
  const known = await refusedFiles(store, stream);
  if (!known.some((file) => file.name === name)) {
    const names = known.map((file) => file.name).join(", ");
    const others = names === "" ? "no refused file of it waits for a person" : `expected one of ${names}`;
    throw new ParkError("E_NOT_RESOLVABLE", `${stream} has no refused file ${name}: ${others}. Nothing was changed`);
  }
  await store.acts.save(stream, { action: "files", outcome: `settled the refused file ${name}` }, by);
  await settle(store, stream, name);
}
