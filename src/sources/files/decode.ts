import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import iconv from "iconv-lite";
import { RetryError } from "#model";
import { FileFault } from "./file-fault.ts";

/** The text of a file in pieces, without a byte order mark; `hash` sees every byte. @throws {FileFault} on a wrong encoding · {RetryError} */
export async function* decoded(
  bytes: Readable,
  encoding: string,
  hash: Hash = createHash("sha256"),
): AsyncGenerator<string> {
  const decoder = encoding === "utf8" ? strictUtf8() : iconv.getDecoder(encoding, { stripBOM: true });
  try {
    for await (const chunk of bytes) {
      const buffer = Buffer.from(chunk);
      hash.update(buffer);
      const text = decoder.write(buffer);
      if (text !== "") yield text;
    }
  } catch (thrown) {
    if (thrown instanceof FileFault) throw thrown;
    throw new RetryError("E_SOURCE_UNREACHABLE", "a file could not be read to its end", { cause: thrown });
  }
  const rest = decoder.end();
  if (rest !== undefined && rest !== "") yield rest;
}

function strictUtf8() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Buffer): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new FileFault("the file is not UTF-8; say `encoding: cp1252` if it comes from Windows", undefined, cause);
    }
  };
  return { write: decode, end: () => decode() };
}
