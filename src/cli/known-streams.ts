import { exitCode } from "./output/exit-code.ts";
import type { Io } from "./output/io.ts";

interface Named {
  readonly name: string;
}

/**
 * Whether all these streams are in the sync file. If not, says which are not and which there are: a misspelt name would
 * otherwise look like a stream in which nothing is wrong.
 */
export function areKnown(names: readonly (string | undefined)[], streams: readonly Named[], io: Io): boolean {
  const unknown = names.filter((name) => name !== undefined && !streams.some((stream) => stream.name === name));
  if (unknown.length === 0) return true;
  const known = streams.map(({ name }) => name).join(", ");
  io.stderr.write(`${unknown.join(", ")}: no such stream; the sync file has ${known}.\n`);
  return false;
}

/** The exit code for a stream that is not there. */
export const unknownStream = exitCode.usage;
