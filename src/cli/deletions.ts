import { isJsonObject } from "#model";
import { guardNote } from "#pipeline";
import { openStoreContext, type GlobalOptions } from "./command-context.ts";
import { exitCode, type Io } from "./io.ts";

export interface DeletionsOptions extends GlobalOptions {
  readonly confirm?: boolean;
}

/** `svcsync deletions [STREAM] [--confirm]`: deletions that the guard holds, and a person's word that they are meant. */
export async function deletions(stream: string | undefined, options: DeletionsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const streams = context.syncFile.streams.filter(({ name }) => stream === undefined || name === stream);
  let held = 0;
  for (const { name } of streams) {
    const note = await context.store.note(guardNote(name));
    if (!isJsonObject(note) || typeof note["count"] !== "number") continue;
    held += 1;
    const examples = Array.isArray(note["examples"]) ? note["examples"].join(", ") : "";
    io.stdout.write(
      `${name}: ${note["count"]} of ${String(note["known"])} records are missing in the ERP: ${examples} …\n`,
    );
    if (!options.confirm) continue;
    await context.store.saveNote(guardNote(name), { ...note, confirmed: note["count"] });
    io.stdout.write(`${name}: confirmed; the next sweep deletes at most ${note["count"]} records.\n`);
  }
  if (held === 0) io.stdout.write("No deletion waits for a person.\n");
  return held > 0 && !options.confirm ? exitCode.needsPerson : exitCode.ok;
}
