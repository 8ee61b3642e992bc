import { z } from "zod";
import { guardNote } from "#pipeline";
import { openStoreContext, type GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./json.ts";
import { areKnown, unknownStream } from "./known-streams.ts";

export interface DeletionsOptions extends GlobalOptions {
  readonly confirm?: boolean;
  readonly json?: boolean;
}

const heldDeletions = z.object({ count: z.number(), known: z.number(), examples: z.array(z.string()) });

/** `svcsync deletions [STREAM] [--confirm]`: deletions that the guard holds, and a person's word that they are meant. */
export async function deletions(stream: string | undefined, options: DeletionsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  if (!areKnown([stream], context.syncFile.streams, io)) return unknownStream;
  const streams = context.syncFile.streams.filter(({ name }) => stream === undefined || name === stream);
  const held: object[] = [];
  for (const { name } of streams) {
    const parsed = heldDeletions.safeParse(await context.store.note(guardNote(name)));
    if (!parsed.success) continue;
    const { count, known, examples } = parsed.data;
    held.push({ stream: name, count, known, examples, confirmed: options.confirm ?? false });
    if (!options.json)
      io.stdout.write(
        `${name}: ${count} of ${known} records are missing in the ERP, for example ${examples.join(", ")}\n`,
      );
    if (!options.confirm) continue;
    await context.store.saveNote(guardNote(name), { ...parsed.data, confirmed: count });
    if (!options.json) io.stdout.write(`${name}: confirmed; the next sweep deletes at most ${count} records.\n`);
  }
  if (options.json) printJson(io.stdout, { held });
  else if (held.length === 0) io.stdout.write("No deletion waits for a person.\n");
  return held.length > 0 && !options.confirm ? exitCode.needsPerson : exitCode.ok;
}
