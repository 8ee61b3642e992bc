import type { Stream } from "#mapping";
import { counted, oneLine, grouped } from "#model";
import { deletionsAct } from "#operator";
import { heldDeletions } from "#pipeline";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { positiveInteger } from "../../arguments.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface DeletionsOptions extends ActOptions {
  readonly confirm?: boolean;
  readonly count?: number;
}

export const registerDeletions: Registration = (cli) =>
  withActor(
    cli
      .command("deletions", "Show the deletions that the deletion guard holds")
      .argument("[stream]", "one stream (default: all)")
      .option("--confirm", "execute the held deletions, at most as many as are shown")
      .option("--count <number>", "with --confirm: only if exactly this many are held", positiveInteger),
  ).action(cli.action(deletions));

/** `svcsync deletions [STREAM] [--confirm]`: shows deletions that the guard holds, and confirms them. */
async function deletions(stream: string | undefined, options: DeletionsOptions, io: Io): Promise<number> {
  if (options.count !== undefined && (stream === undefined || !options.confirm))
    throw new UsageError(
      "--count sets the expected number of deletions of one stream: name the stream, and add --confirm.",
    );
  await using context = await openStoreContext(options, io, [stream]);
  const streams = context.syncFile.streams.filter(({ name }) => stream === undefined || name === stream);
  const found: object[] = [];
  const say = (sentence: string) => {
    if (!options.json) io.stdout.write(`${oneLine(sentence)}\n`);
  };
  for (const { name, deletion } of streams) {
    const held = await heldDeletions(context.store, name);
    if (!held) continue;
    const { count, known, examples, isEmptied } = held;
    found.push({ stream: name, ...held, deletion, confirmed: options.confirm ?? false });
    say(
      isEmptied
        ? `${name}: the ERP returned no record, but ${grouped(count)} are known`
        : `${name}: ${grouped(count)} of ${counted(known, "record")} are missing in the ERP or marked as deleted, for example ${examples.join(", ")}`,
    );
    if (!options.confirm) {
      say(`  if they are intended: "svcsync deletions ${name} --confirm --count ${count}"`);
      continue;
    }
    const given = { target: name, input: { count: options.count ?? count }, isConfirmed: true, signal: io.signal };
    await deletionsAct.run({ ...context, streams, returns: context.syncFile.returns }, given, commandActor(options));
    say(
      isEmptied
        ? `${name}: confirmed; two further sweeps that find no record ${deletion === "set" ? "set the fields of" : "delete"} at most ${count}.`
        : `${name}: confirmed; ${confirmedText(count, deletion)}`,
    );
  }
  if (options.json) printJson(io.stdout, { held: found });
  else if (found.length === 0) say("No deletion is waiting for confirmation.");
  return found.length > 0 && !options.confirm ? exitCode.needsPerson : exitCode.ok;
}

function confirmedText(count: number, deletion: Stream["deletion"]): string {
  const records = counted(count, "record");
  if (deletion === "set") return `the fields of ${records} will be set next, and the records stay.`;
  return `${records} will be deleted next.`;
}
