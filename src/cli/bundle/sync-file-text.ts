import { readFile } from "node:fs/promises";
import { readSyncFile } from "#daemon";
import type { SyncFile } from "#mapping";
import { StopError } from "#model";
import type { LocalSettings } from "#settings";
import type { Redaction } from "#telemetry";

/** A shorter value is not a secret; removing it would damage every number and word that contains it. */
const SHORTEST_SECRET = 4;
const reference = /\$\{(\w+)/g;

/** The sync file, and its text as it was written. */
interface ReadSyncFile {
  readonly syncFile: SyncFile;
  /** @throws {StopError} E_SYNC_FILE when it contains a secret in a spelling that cannot be removed. */
  readonly text: () => string;
}

/**
 * The sync file, as text and parsed. From here on, the redaction knows its secrets and the values of all `${NAME}` in
 * it, whether they are secret or not.
 * @throws {StopError} E_SYNC_FILE
 */
export async function readSyncFileText(
  { syncFile: path, environment }: Pick<LocalSettings, "syncFile" | "environment">,
  redaction: Redaction,
): Promise<ReadSyncFile> {
  // Before the check: its messages may repeat a value.
  const text = await readFile(path, "utf8").catch(() => "");
  const values = [...text.matchAll(reference)].flatMap(([, name = ""]) => environment[name] ?? []);
  redaction.hide(...values.filter(({ length }) => length >= SHORTEST_SECRET));
  const syncFile = await readSyncFile(path, environment);
  redaction.hide(...syncFile.secrets);
  return {
    syncFile,
    text: () => {
      const places = [text, ...values];
      if (syncFile.secrets.every((secret) => places.some((place) => spelled(place, secret)))) return text;
      throw new StopError(
        "E_SYNC_FILE",
        "the text is left out: it contains a secret in a form (several lines, escapes) that cannot be removed; write it as ${NAME}",
      );
    },
  };
}

function spelled(place: string, secret: string): boolean {
  return place.includes(secret) || place.includes(encodeURIComponent(secret));
}
