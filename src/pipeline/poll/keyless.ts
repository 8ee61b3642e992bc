import { isJsonObject, type StreamName } from "#model";
import type { KeylessRows } from "#sources";
import type { NoteStore } from "#store";

function noteName(stream: StreamName): string {
  return `keyless/${stream}`;
}

/** The rows without a key that the stream's last poll told of: no record stands for them, and they hold deletions back. */
export async function keylessRows(store: NoteStore, stream: StreamName): Promise<KeylessRows[]> {
  const note = await store.note(noteName(stream));
  if (!Array.isArray(note)) return [];
  return note.flatMap((rows) => {
    if (!isJsonObject(rows)) return [];
    const { place, reason } = rows;
    return typeof place === "string" && typeof reason === "string" ? [{ place, reason }] : [];
  });
}

export async function saveKeylessRows(
  store: NoteStore,
  stream: StreamName,
  rows: readonly KeylessRows[],
): Promise<void> {
  await store.saveNote(
    noteName(stream),
    rows.map(({ place, reason }) => ({ place, reason })),
  );
}
