import { recordLabel, type RecordId } from "#model";
import { forget, forgettable, labelOf, otherPlaces, type Forgettable } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { recordArgument } from "../../arguments.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { confirmed } from "../../interview.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface ForgetOptions extends ActOptions {
  readonly yes?: boolean;
}

export const registerForget: Registration = (cli) =>
  withActor(
    cli
      .command("forget", "Overwrite the personal data that svcsync keeps of a record, and keep its binding")
      .addArgument(recordArgument())
      .option("--yes", "do not ask for confirmation"),
  )
    .addHelpText("after", words)
    .action(cli.action(run));

const words = `
Overwritten: the ERP's row and its hash, what was written to the service, errors, recorded requests, and in the history what was
written and the reasons that people gave. Kept: key, binding, who did what and when. Do not repeat personal data in --why.
It cannot be undone. The file of the store is rewritten: seconds per gigabyte, in which a running daemon waits.
`;

/** `svcsync forget RECORD`: overwrites the contents in the store and its history, in the database files too. */
async function run(id: RecordId, options: ForgetOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  // Records of a stream that is no longer in the sync file can be forgotten too.
  const record = await forgettable(context.store, id);
  if (!options.yes) {
    io.stderr.write(`${placesText(record)}\n`);
    const answer = await confirmed(io, `Forget ${recordLabel(id)}? This cannot be undone. (yes/no)`);
    if (answer === undefined)
      throw new UsageError("No terminal to ask on: add --yes to forget it without confirmation.");
    if (!answer) {
      io.stderr.write("Nothing was forgotten.\n");
      return exitCode.needsPerson;
    }
  }
  await forget(context, id, actorOf(options));
  if (options.json) printJson(io.stdout, { ...record, otherPlaces: otherPlaces(record) });
  else {
    const { binding } = record;
    io.stdout.write(`Forgot ${recordLabel(id)}${binding ? `; it stays bound to ${labelOf(binding)}` : ""}.\n`);
    if (options.yes) io.stdout.write(placesText(record));
  }
  return exitCode.ok;
}

function placesText(record: Forgettable): string {
  const lines = otherPlaces(record).map((place) => `- ${place}\n`);
  return `Its contents are also elsewhere:\n${lines.join("")}`;
}
