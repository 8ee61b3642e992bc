import { schemaText } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { version } from "#telemetry";
import type { GlobalOptions, Registration } from "../../command-context.ts";
import { exitCode, type Io } from "../../output/io.ts";

export const registerSchema: Registration = (cli) =>
  cli.command("schema", "Print the JSON Schema of the sync file, for editors").action(cli.action(schema));

/** `svcsync schema`: the JSON Schema of the sync file, for editors. */
function schema(_options: GlobalOptions, io: Io): Promise<number> {
  io.ownWords.write(schemaText(adapters, resourceNames, version));
  return Promise.resolve(exitCode.ok);
}
