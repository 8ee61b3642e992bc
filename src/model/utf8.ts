/** Where bytes stop being UTF-8. */
export interface Utf8Fault {
  /** Counts from 1. */
  readonly line: number;
  /** The byte's place in its line, from 1. */
  readonly column: number;
  /** The byte, as people write it: `0xfc`. */
  readonly byte: string;
}

const NEWLINE = 0x0a;

/** Finds the first byte that is not UTF-8, such as an umlaut in Windows-1252. Undefined if all bytes are. */
export function utf8Fault(bytes: Uint8Array): Utf8Fault | undefined {
  let line = 1;
  for (let begin = 0; begin < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const end = newline < 0 ? bytes.length : newline;
    const at = firstFault(bytes.subarray(begin, end));
    if (at !== undefined)
      return { line, column: at + 1, byte: `0x${bytes[begin + at]!.toString(16).padStart(2, "0")}` };
    begin = end + 1;
  }
  return undefined;
}

/** The place of the first character that is not whole; undefined if all are. */
function firstFault(line: Uint8Array): number | undefined {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(line);
    return undefined;
  } catch {
    return placeIn(line);
  }
}

function placeIn(line: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let begin = 0;
  try {
    for (const [at, byte] of line.entries())
      if (decoder.decode(Uint8Array.of(byte), { stream: true }) !== "") begin = at + 1;
  } catch {
    // The character that begins here is broken.
  }
  return begin;
}
