import { schemaText } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { exitCode } from "../output/exit-code.ts";
import type { Io } from "../output/io.ts";

/** `svcsync schema`: the JSON Schema of the sync file, for editors. */
export function schema(io: Io): Promise<number> {
  io.ownWords.write(schemaText(adapters, resourceNames));
  return Promise.resolve(exitCode.ok);
}
