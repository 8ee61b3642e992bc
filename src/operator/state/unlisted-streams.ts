import type { Stream } from "#mapping";
import type { StreamName } from "#model";
import type { Store } from "#store";

/** A stream of which the store has records, although the sync file does not have it. */
export interface UnlistedStream {
  readonly name: StreamName;
  readonly message: string;
  readonly remedy: string;
}

/**
 * Finds streams that the sync file no longer has. Their records are not delivered; if such a stream was renamed, its records would be
 * looked for, or created, again under the new name.
 */
export async function unlistedStreams(
  store: Pick<Store, "storedStreams">,
  streams: readonly Pick<Stream, "name">[],
): Promise<UnlistedStream[]> {
  const stored = await store.storedStreams();
  const listed = streams.map(({ name }) => name);
  const fresh = listed.filter((name) => !stored.includes(name));
  const to = fresh.length === 1 ? fresh[0]! : "NEW";
  return stored
    .filter((name) => !listed.includes(name))
    .map((name) => ({
      name,
      message: `the store has records of the stream ${name}, which is not in the sync file: was it renamed?`,
      remedy: `If so, stop svcsync and run "svcsync rename-stream ${name} ${to}" before the next poll. If it was removed on purpose, nothing: its records stay as they are.`,
    }));
}
