import { counted, oneLine } from "#model";
import { confirmDeletions } from "#operator";
import { heldDeletions } from "#pipeline";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

interface DeletionsOptions extends ActOptions {
  readonly confirm?: boolean;
}

export const registerDeletions: Registration = (cli) =>
  withActor(
    cli
      .command("deletions", "Show the deletions that the guard holds")
      .argument("[stream]", "one stream (default: all)")
      .option("--confirm", "let the next sweep delete them, at most as many as are shown"),
  ).action(cli.action(deletions));

/** `svcsync deletions [STREAM] [--confirm]`: deletions that the guard holds, and a person's word that they are meant. */
async function deletions(stream: string | undefined, options: DeletionsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [stream]);
  const streams = context.syncFile.streams.filter(({ name }) => stream === undefined || name === stream);
  const found: object[] = [];
  const say = (sentence: string) => {
    if (!options.json) io.stdout.write(`${oneLine(sentence)}\n`);
  };
  for (const { name } of streams) {
    const held = await heldDeletions(context.store, name);
    if (!held) continue;
    const { count, known, examples, isEmptied } = held;
    found.push({ stream: name, ...held, confirmed: options.confirm ?? false });
    say(
      isEmptied
        ? `${name}: the ERP shows no record, and ${count.toLocaleString("en")} are known`
        : `${name}: ${count.toLocaleString("en")} of ${counted(known, "record")} are missing in the ERP or marked as deleted, for example ${examples.join(", ")}`,
    );
    if (!options.confirm) continue;
    await confirmDeletions(
      { store: context.store, clock: context.store.clock },
      { stream: name, count },
      actorOf(options),
    );
    say(
      isEmptied
        ? `${name}: confirmed; two further sweeps that find no record delete at most ${count}.`
        : `${name}: confirmed; ${counted(count, "record")} will be deleted next.`,
    );
  }
  if (options.json) printJson(io.stdout, { held: found });
  else if (found.length === 0) say("No deletion is waiting for confirmation.");
  return found.length > 0 && !options.confirm ? exitCode.needsPerson : exitCode.ok;
}
