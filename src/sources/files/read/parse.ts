import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { parseInTurns } from "#http";
import { isJsonObject, nestsTooDeeply, type Json } from "#model";
import { parseLossless } from "../../wire/client/lossless-json.ts";
import { valueAt } from "../../wire/stamps/values.ts";
import { csvRecords } from "./csv.ts";
import { decoded } from "./decode.ts";
import { FileFault } from "../file-fault.ts";
import { linesOf } from "./lines.ts";
import type { Parsed } from "./record.ts";
import type { FilesRead } from "../schema.ts";
import { xmlRecords } from "./xml.ts";

/** The largest JSON or XML document, which is held in memory whole, and the longest NDJSON line, in characters. */
const WHOLE_LIMIT = 64 * 1024 * 1024;

/**
 * Yields the records of a file in order. Closes the file however the reading ends: a parser that does not read it to the end would
 * leave it open.
 * @throws {FileFault} when the file as a whole cannot be read.
 */
export async function* parsed(
  bytes: Readable,
  read: FilesRead,
  hash: Hash = createHash("sha256"),
): AsyncGenerator<Parsed> {
  try {
    yield* records(decoded(bytes, read.encoding, hash), read);
  } finally {
    bytes.destroy();
  }
}

async function* records(text: AsyncIterable<string>, read: FilesRead): AsyncGenerator<Parsed> {
  switch (read.format) {
    case "csv":
      yield* csvRecords(text, read);
      return;
    case "ndjson":
      yield* ndjsonRecords(text);
      return;
    case "json":
      yield* listed(listAt(await jsonDocument(await whole(text)), read.rows));
      return;
    case "xml":
      yield* listed(xmlRecords(await whole(text), read));
      return;
  }
}

async function* ndjsonRecords(text: AsyncIterable<string>): AsyncGenerator<Parsed> {
  let line = 0;
  for await (const one of linesOf(text, WHOLE_LIMIT)) yield* ndjsonRecord(one, ++line);
}

function* ndjsonRecord(text: string, line: number): Generator<Parsed> {
  if (text.trim() === "") return;
  try {
    const record = parseLossless(text);
    yield isJsonObject(record) ? { line, record } : { line, text, reason: "it holds no object" };
  } catch {
    yield { line, text, reason: "it is not JSON" };
  }
}

async function whole(text: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const piece of text) {
    all += piece;
    if (all.length > WHOLE_LIMIT) throw new FileFault("the document is larger than 64 MB; deliver NDJSON or CSV");
  }
  return all;
}

async function jsonDocument(text: string): Promise<Json> {
  try {
    return await parseInTurns(text, parseLossless);
  } catch (cause) {
    throw new FileFault("the file is not JSON", undefined, cause);
  }
}

/** The list at `path`; a single object counts as a list of one. */
function listAt(document: Json, path: string): readonly Json[] {
  const found = valueAt(document, path);
  const rows = Array.isArray(found) ? found : isJsonObject(found) ? [found] : undefined;
  if (rows === undefined) throw new FileFault(`there are no records at ${path === "" ? "the root" : path}`);
  return rows;
}

function* listed(rows: readonly Json[]): Generator<Parsed> {
  for (const [at, record] of rows.entries())
    yield isJsonObject(record)
      ? { line: at + 1, record }
      : { line: at + 1, text: shownText(record), reason: "it holds no object" };
}

/** A record as text, for a report. */
export function shownText(record: Json): string {
  return nestsTooDeeply(record) ? "(nested too deeply to show)" : JSON.stringify(record);
}
