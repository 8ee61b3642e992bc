import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import iconv from "iconv-lite";
import { RetryError } from "#model";
import { FileFault } from "../file-fault.ts";
import type { FilesRead } from "../schema.ts";
import { Utf8Watch } from "./utf8-watch.ts";

/**
 * Yields the text of a file in pieces, without a byte order mark. `hash` receives every byte.
 * @throws {FileFault} on a wrong encoding · {RetryError}
 */
export async function* decoded(
  bytes: Readable,
  encoding: FilesRead["encoding"],
  hash: Hash = createHash("sha256"),
): AsyncGenerator<string> {
  const isUnicode = encoding === "utf8" || encoding === "utf16le";
  const decoder = isUnicode ? strict(encoding) : strictTable(encoding);
  let lines = 1;
  let isBegun = false;
  try {
    for await (const chunk of bytes) {
      const buffer = Buffer.from(chunk);
      if (!isBegun && encoding !== "utf16le") expectNoUtf16(buffer);
      isBegun ||= buffer.length > 0;
      hash.update(buffer);
      const text = decoder.write(buffer, lines);
      lines += text.split("\n").length - 1;
      if (text !== "") yield text;
    }
  } catch (thrown) {
    if (thrown instanceof FileFault) throw thrown;
    throw new RetryError("E_SOURCE_UNREACHABLE", "a file could not be read to its end", { cause: thrown });
  }
  const rest = decoder.end(lines);
  if (rest !== undefined && rest !== "") yield rest;
}

const ENCODINGS: Readonly<Record<string, string>> = { utf8: "UTF-8", utf16le: "UTF-16", cp1252: "Windows-1252" };

function fault(encoding: string, line: number, cause?: unknown): FileFault {
  const hint = encoding === "utf8" ? "; say `encoding: cp1252` if it comes from Windows" : "; correct `encoding`";
  return new FileFault(`the file is not ${ENCODINGS[encoding] ?? encoding}${hint}`, line, cause);
}

/** A file of UTF-16 begins with its mark, or has a zero beside its first letter. @throws {FileFault} */
function expectNoUtf16(begin: Buffer): void {
  const mark = begin.toString("latin1", 0, 2);
  if (mark === "\xFE\xFF" || (begin[0] === 0 && begin.length > 1))
    throw new FileFault("the file is in UTF-16 with the high byte first; let the ERP write UTF-8", 1);
  if (mark === "\xFF\xFE" || begin[1] === 0) throw new FileFault("the file is in UTF-16; say `encoding: utf16le`", 1);
}

/** A decoder of Unicode that refuses every invalid byte. */
function strict(encoding: "utf8" | "utf16le") {
  const label = encoding === "utf8" ? "utf-8" : "utf-16le";
  const decoder = new TextDecoder(label, { fatal: true });
  const decode = (line: number, bytes?: Buffer): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      const [before = ""] = new TextDecoder(label).decode(bytes).split("\uFFFD", 1);
      throw fault(encoding, line + before.split("\n").length - 1, cause);
    }
  };
  return {
    write: (bytes: Buffer, line: number) => decode(line, bytes),
    end: (line: number): string | undefined => decode(line),
  };
}

/** The byte order mark of UTF-8 when it is decoded by a table. */
const UTF8_MARK = "\u00EF\u00BB\u00BF";

/** A decoder by a table of 256 characters. It refuses a byte without a character, which would otherwise become U+FFFD. */
function strictTable(encoding: "cp1252" | "latin1") {
  const watch = new Utf8Watch(encoding);
  const decoder = iconv.getDecoder(encoding);
  let begin = "";
  return {
    write(bytes: Buffer, line: number): string {
      const text = decoder.write(bytes);
      begin = (begin + text.slice(0, UTF8_MARK.length)).slice(0, UTF8_MARK.length);
      if (begin === UTF8_MARK) throw new FileFault("the file begins with the mark of UTF-8; say `encoding: utf8`", 1);
      const at = text.indexOf("\uFFFD");
      if (at >= 0) throw fault(encoding, line + text.slice(0, at).split("\n").length - 1);
      watch.write(bytes);
      return text;
    },
    end(_line: number): string | undefined {
      watch.end();
      return decoder.end();
    },
  };
}
