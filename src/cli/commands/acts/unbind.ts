import { recordLabel, type RecordId } from "#model";
import { labelOf, recordWord, unbind } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { positiveInteger, recordArgument } from "../../arguments.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

interface UnbindOptions extends ActOptions {
  readonly from?: number;
}

export const registerUnbind: Registration = (cli) =>
  withActor(
    cli
      .command("unbind", "Unbind a record that is bound to the wrong record in the service")
      .addArgument(recordArgument())
      .option("--from <id>", "only if it is bound to this record of the service", positiveInteger),
  )
    .addHelpText("after", nextWords)
    .action(cli.action(run));

const nextWords = `
What happens next: the record in the service stays as it is, with the values that were written to it. The record of the ERP is
parked (E_UNBOUND) and stays held, whatever changes in the ERP: nothing is bound, created or deleted for it until you answer with
"svcsync resolve STREAM/KEY --bind ID", --create or --skip. Records that refer to it wait when they change, and are written with
the new id once it is bound again.
`;

/**
 * `svcsync unbind RECORD`: removes a wrong binding. The record is then held until a person resolves it: the service
 * record may have its natural key by now, and without such a key a create would duplicate it.
 */
async function run(id: RecordId, options: UnbindOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [id.stream]);
  const binding = await unbind(context, { id, serviceId: options.from }, actorOf(options));
  if (options.json) printJson(io.stdout, { id, unbound: binding });
  else
    io.stdout.write(
      `${recordLabel(id)} is no longer bound to ${labelOf(binding)}, which stays in the service as it is.
Nothing is sent for the record until you resolve it: "svcsync resolve ${recordWord(id)} --bind ID", --create or --skip.
`,
    );
  return exitCode.ok;
}
