import { createHash } from "node:crypto";
import { FileFault, type BadLine } from "../file-fault.ts";
import type { Folder } from "../folder/folder.ts";
import { parsed, shownText } from "./parse.ts";
import { KeyWatch, repeatedKeys, type RepeatedKeys } from "./repeated-keys.ts";
import { convert, convertedRows } from "./row.ts";
import type { FilesRead } from "../schema.ts";

/** What a file holds, found out before any of it is used. */
export interface Inspected {
  readonly sha256: string;
  /** Rows that can be used. */
  readonly rows: number;
  /** The first lines that cannot be used. */
  readonly bad: readonly BadLine[];
  /** How many lines cannot be used. */
  readonly badCount: number;
  /** The lines among them whose key cannot be read either. Any record may be in them. */
  readonly keyless: { readonly count: number; readonly first: BadLine } | undefined;
  /** Keys whose rows differ from one another. */
  readonly repeated: RepeatedKeys;
}

const KEPT_BAD_LINES = 10_000;

/**
 * Reads a file to its end without using it.
 * @throws {FileFault} when it cannot be used as a whole.
 */
export async function inspect(
  folder: Folder,
  path: string,
  read: FilesRead,
  zone: string,
  signal: AbortSignal,
): Promise<Inspected> {
  try {
    return await inspected(folder, path, read, zone, signal);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new FileFault(`it cannot be read: ${thrown.message}`, undefined, thrown);
  }
}

async function inspected(
  folder: Folder,
  path: string,
  read: FilesRead,
  zone: string,
  signal: AbortSignal,
): Promise<Inspected> {
  const hash = createHash("sha256");
  const watch = new KeyWatch();
  const bad: BadLine[] = [];
  let keyless: Inspected["keyless"];
  let [rows, badCount] = [0, 0];
  for await (const one of parsed(await folder.open(path), read, hash)) {
    signal.throwIfAborted();
    const fault = "record" in one ? convert(one.record, read, zone) : { ...one, key: undefined };
    if (read.repeated === "park") watch.add({ line: one.line, converted: fault });
    if (!("reason" in fault)) {
      rows++;
      continue;
    }
    badCount++;
    const { line } = one;
    const text = "record" in one ? shownText(one.record) : one.text;
    const badLine = { line, reason: fault.reason, text };
    if (bad.length < KEPT_BAD_LINES) bad.push(badLine);
    if (fault.key === undefined) keyless = { count: (keyless?.count ?? 0) + 1, first: keyless?.first ?? badLine };
  }
  const repeated = await repeatedKeys(convertedRows(folder, path, read, zone), watch.suspects);
  return { sha256: hash.digest("hex"), rows, bad, badCount, keyless, repeated };
}
