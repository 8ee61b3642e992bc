import { recordLabel, type RecordId } from "#model";
import { knownRecord, labelOf, recordWord, unbind } from "#operator";
import { shownAs } from "#pipeline";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { positiveInteger, recordArgument } from "../../arguments.ts";
import { openStoreContext, type Registration, type StoreContext } from "../../command-context.ts";
import { confirmed } from "../../interview.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { sideText } from "../../output/sides.ts";

interface UnbindOptions extends ActOptions {
  readonly from?: number;
  readonly yes?: boolean;
}

export const registerUnbind: Registration = (cli) =>
  withActor(
    cli
      .command("unbind", "Unbind a record that is bound to the wrong record in the service")
      .addArgument(recordArgument())
      .option("--from <id>", "only if it is bound to this record of the service", positiveInteger)
      .option("--yes", "do not ask for confirmation"),
  )
    .addHelpText("after", nextWords)
    .action(cli.action(run));

const nextWords = `
It shows both sides of the binding and asks. Without a terminal it needs --yes.
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
  if (!options.yes && !(io.isTerminal && io.stdin))
    throw new UsageError("No terminal to ask on: add --yes to end the binding without confirmation.");
  await using context = await openStoreContext(options, io, [id.stream]);
  const serviceId = await meant(id, options, context, io);
  if (serviceId === "no") {
    io.stderr.write("The binding was not ended.\n");
    return exitCode.needsPerson;
  }
  const binding = await unbind(context, { id, serviceId }, actorOf(options));
  if (options.json) printJson(io.stdout, { id, unbound: binding });
  else
    io.stdout.write(
      `${recordLabel(id)} is no longer bound to ${labelOf(binding)}, which stays in the service as it is.
Nothing is sent for the record until you resolve it: "svcsync resolve ${recordWord(id)} --bind ID", --create or --skip.
`,
    );
  return exitCode.ok;
}

/** Shows what is bound and asks. Returns the record of the service that the person means; undefined means whichever it is. */
async function meant(
  id: RecordId,
  { yes, from }: UnbindOptions,
  { store, syncFile }: StoreContext,
  io: Io,
): Promise<number | "no" | undefined> {
  const { binding, applied } = await knownRecord(store, id);
  // What cannot be ended is refused below, without a question.
  if (yes || binding === undefined || (from !== undefined && from !== binding.serviceId)) return from;
  const stream = syncFile.streams.find(({ name }) => name === id.stream)!;
  io.stdout.write(`${sideText(recordLabel(id), shownAs(stream, applied ?? {}))} is bound to ${labelOf(binding)}.\n`);
  return (await confirmed(io, "End this binding? (yes/no)")) === true ? binding.serviceId : "no";
}
