import { readFile } from "node:fs/promises";
import { loadSyncFile, type SyncFile, type SyncFileContext } from "#mapping";
import { codeOf, StopError, utf8Fault, type ResourceName } from "#model";
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
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const reason = codeOf(cause) ?? "unreadable";
    throw new StopError("E_SYNC_FILE", `${path} cannot be read (${reason}); SYNC_FILE names the file`, { cause });
  }
  const resources = new Set(resourceNames);
  const text = textOf(bytes, path);
  return loadSyncFile(text, { file: path, environment, mayLackVariables, adapters, resources, embeds });
}

/** @throws {StopError} E_SYNC_FILE where a byte is not UTF-8: it would become another letter in every record. */
function textOf(bytes: Buffer, file: string): string {
  const fault = utf8Fault(bytes);
  if (fault === undefined) return bytes.toString("utf8").replace(/^\uFEFF/, "");
  const { line, column, byte, seems } = fault;
  const message = `found the byte ${byte}, expected UTF-8: save the file in UTF-8, it seems to be in ${seems}`;
  const details = { file, problems: [{ line, column, path: "", message }] };
  throw new StopError("E_SYNC_FILE", `${file}:${line}:${column} ${message}`, { details });
}

function embeds(resource: ResourceName): readonly string[] {
  return resourceFacts(resource).embeds;
}
