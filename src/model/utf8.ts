/** Where bytes stop being UTF-8. */
export interface Utf8Fault {
  /** Counts from 1. */
  readonly line: number;
  /** The byte's place in its line, from 1. */
  readonly column: number;
  /** The byte, as people write it: `0xfc`. */
  readonly byte: string;
  /** The encoding that the text seems to be in. */
  readonly seems: "UTF-16" | "Windows-1252";
}

const NEWLINE = 0x0a;

/**
 * Finds the first byte that is no text in UTF-8, such as an umlaut in Windows-1252. Undefined if all are. A zero is no text either: Windows
 * consoles write UTF-16.
 */
export function utf8Fault(bytes: Uint8Array): Utf8Fault | undefined {
  const seems = bytes.includes(0) ? "UTF-16" : "Windows-1252";
  let line = 1;
  for (let begin = 0; begin < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const end = newline < 0 ? bytes.length : newline;
    const at = firstFault(bytes.subarray(begin, end));
    if (at !== undefined)
      return { line, column: at + 1, byte: `0x${bytes[begin + at]!.toString(16).padStart(2, "0")}`, seems };
    begin = end + 1;
  }
  return undefined;
}

/** The place of the first character that is not whole, or zero; undefined if there is none. */
function firstFault(line: Uint8Array): number | undefined {
  const zero = line.indexOf(0);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(line);
    return zero < 0 ? undefined : zero;
  } catch {
    const broken = placeIn(line);
    return zero < 0 ? broken : Math.min(zero, broken);
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
