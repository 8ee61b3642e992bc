import { ParkError, type Actor, type StreamName } from "#model";
import { refusedFiles, settleFile as settle } from "#pipeline";
import type { ActStore, NoteStore } from "#store";

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
