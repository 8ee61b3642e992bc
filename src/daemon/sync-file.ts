import { readFile } from "node:fs/promises";
import { loadSyncFile, type SyncFile, type SyncFileContext } from "#mapping";
import { codeOf, StopError, type ResourceName } from "#model";
import { resourceFacts, resourceNames } from "#service";
import { adapters } from "#sources";

/**
 * Reads and checks the sync file.
 * @throws {StopError} E_SYNC_FILE with every problem and its position.
 */
export async function readSyncFile(
  path: string,
  environment: Readonly<Record<string, string>>,
  { mayLackVariables = false }: Pick<SyncFileContext, "mayLackVariables"> = {},
): Promise<SyncFile> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const reason = codeOf(cause) ?? "unreadable";
    throw new StopError("E_SYNC_FILE", `${path} cannot be read (${reason}); SYNC_FILE names the file`, { cause });
  }
  const resources = new Set(resourceNames);
  return loadSyncFile(text, { file: path, environment, mayLackVariables, adapters, resources, embeds });
}

function embeds(resource: ResourceName): readonly string[] {
  return resourceFacts(resource).embeds;
}
