import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Io } from "../output/io.ts";

const LINES = 1_000;

/** The last lines of a log: a file, or `-` for stdin. Memory stays flat however long it is. */
export async function lastLines(log: string, { stdin }: Pick<Io, "stdin">): Promise<string> {
  const input = log === "-" && stdin !== undefined ? stdin : createReadStream(log);
  const lines: string[] = [];
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    lines.push(`${line}\n`);
    if (lines.length >= 2 * LINES) lines.splice(0, LINES);
  }
  return lines.slice(-LINES).join("");
}
