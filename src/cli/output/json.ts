import { withIsoTimes } from "#operator";
import type { TextOutput } from "./io.ts";

/** Prints one value as one line of JSON, its instants in ISO 8601. */
export function printJson(output: TextOutput, value: unknown): void {
  output.write(`${JSON.stringify(withIsoTimes(value))}\n`);
}
