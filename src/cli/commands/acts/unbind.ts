import { recordLabel, type RecordId } from "#model";
import { recordWord } from "#operator";
import { recordArgument } from "../../arguments.ts";
import type { Registration } from "../../command.ts";
import { openStoreContext, type GlobalOptions } from "../../command-context.ts";
import { exitCode } from "../../output/exit-code.ts";
import type { Io } from "../../output/io.ts";
import { printJson } from "../../output/json.ts";
import { areKnown, unknownStream } from "../../known-streams.ts";

interface UnbindOptions extends GlobalOptions {
  readonly json?: boolean;
}

export const registerUnbind: Registration = (cli) =>
  cli
    .command("unbind", "End the binding of a record to the wrong record of the service")
    .addArgument(recordArgument())
    .option("--json", "as JSON")
    .addHelpText("after", nextWords)
    .action(cli.action(unbind));

const nextWords = `
What happens next: the record of the service stays as it is, with the values that were written to it. The record of the ERP is
parked (E_UNBOUND) and held through every change: nothing is bound, created or deleted for it until you answer with
"svcsync resolve STREAM/KEY --bind ID", --create or --skip. Records that refer to it wait when they change, and are written with
the new id once it is bound again.
`;

/**
 * `svcsync unbind RECORD`: ends a binding that is wrong. The record is then held until a person resolves it: the service record
 * it was bound to may have its natural key by now, and without such a key a create would duplicate it.
 */
async function unbind(id: RecordId, options: UnbindOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  if (!areKnown([id.stream], context.syncFile.streams, io)) return unknownStream;
  const view = await context.store.record(id);
  if (!view?.binding) {
    const why = view ? "is not bound: there is nothing to end" : "is not in the store";
    io.stderr.write(`${recordLabel(id)} ${why}.\n`);
    return exitCode.needsPerson;
  }
  await context.store.resolve(id, { kind: "unbind" });
  const { resource, serviceId } = view.binding;
  if (options.json) printJson(io.stdout, { id, unbound: view.binding });
  else
    io.stdout.write(
      `${recordLabel(id)} is no longer bound to ${resource} ${serviceId}, which stays in the service as it is.
Nothing is sent for the record until you resolve it: "svcsync resolve ${recordWord(id)} --bind ID", --create or --skip.
`,
    );
  return exitCode.ok;
}
