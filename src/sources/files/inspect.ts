import { createHash } from "node:crypto";
import type { BadLine } from "./file-fault.ts";
import type { Folder } from "./folder.ts";
import { parsed } from "./parse.ts";
import { convert } from "./row.ts";
import type { FilesRead } from "./schema.ts";

/** What a file holds, found out before any of it is used. */
export interface Inspected {
  readonly sha256: string;
  readonly rows: number;
  readonly bad: readonly BadLine[];
}

const KEPT_BAD_LINES = 10_000;

/** Reads a file to its end without using it. @throws {FileFault} when it cannot be used as a whole. */
export async function inspect(
  folder: Folder,
  path: string,
  read: FilesRead,
  zone: string,
  signal: AbortSignal,
): Promise<Inspected> {
  const hash = createHash("sha256");
  const bad: BadLine[] = [];
  let rows = 0;
  for await (const one of parsed(await folder.open(path), read, hash)) {
    signal.throwIfAborted();
    const fault = "record" in one ? convert(one.record, read, zone) : one;
    if (!("reason" in fault)) rows++;
    else if (bad.length < KEPT_BAD_LINES)
      bad.push({ line: one.line, reason: fault.reason, text: "record" in one ? JSON.stringify(one.record) : one.text });
  }
  return { sha256: hash.digest("hex"), rows, bad };
}
