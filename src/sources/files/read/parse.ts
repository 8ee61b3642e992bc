import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { isJsonObject, messageOf, type Json, type JsonObject } from "#model";
import { parseLossless } from "../../wire/client/lossless-json.ts";
import { valueAt } from "../../wire/stamps/values.ts";
import { csvRecords } from "./csv.ts";
import { decoded } from "./decode.ts";
import { FileFault, type BadLine } from "../file-fault.ts";
import { linesOf } from "./lines.ts";
import type { FilesRead } from "../schema.ts";

/** The largest JSON or XML document, which is held in memory whole, and the longest NDJSON line, in characters. */
const WHOLE_LIMIT = 64 * 1024 * 1024;

/** A record of a file, or a line without one. `line` counts from 1; in JSON and XML it counts records. */
export type Parsed = { readonly line: number; readonly record: JsonObject } | BadLine;

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
      yield* listed(jsonDocument(await whole(text)), read.rows);
      return;
    case "xml":
      yield* listed(xmlDocument(await whole(text), read.encoding), read.rows);
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

function jsonDocument(text: string): Json {
  try {
    return parseLossless(text);
  } catch (cause) {
    throw new FileFault("the file is not JSON", undefined, cause);
  }
}

/** The names by which an XML file may declare each encoding. */
const DECLARED: Readonly<Record<FilesRead["encoding"], RegExp>> = {
  utf8: /^(utf-?8|us-ascii)$/i,
  cp1252: /^(windows-1252|cp1252|iso-8859-1|us-ascii)$/i,
  latin1: /^(iso-8859-1|latin-?1|us-ascii)$/i,
  utf16le: /^utf-?16(le)?$/i,
};

function xmlDocument(text: string, encoding: FilesRead["encoding"]): Json {
  const declared = /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(text)?.[1];
  if (declared !== undefined && !DECLARED[encoding].test(declared))
    throw new FileFault(`the file says that it is ${declared}, the stream says \`encoding: ${encoding}\``, 1);
  if (/<!DOCTYPE/i.test(text)) throw new FileFault("the file has a DOCTYPE, which is refused");
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new FileFault(valid.err.msg, valid.err.line);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
    parseTagValue: false,
    parseAttributeValue: false,
    removeNSPrefix: true,
    ignoreDeclaration: true,
    // Also what has a number: &#252;
    htmlEntities: true,
  });
  try {
    const document: Json = parser.parse(text);
    return document;
  } catch (cause) {
    throw new FileFault(`the file cannot be read as XML: ${messageOf(cause)}`, undefined, cause);
  }
}

/** Yields the records at `path`. A single XML element counts as a list of one. */
function* listed(document: Json, path: string): Generator<Parsed> {
  const found = valueAt(document, path);
  const rows = Array.isArray(found) ? found : isJsonObject(found) ? [found] : undefined;
  if (rows === undefined) throw new FileFault(`there are no records at ${path === "" ? "the root" : path}`);
  for (const [at, record] of rows.entries())
    yield isJsonObject(record)
      ? { line: at + 1, record }
      : { line: at + 1, text: JSON.stringify(record), reason: "it holds no object" };
}
