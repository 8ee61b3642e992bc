import { textLines } from "#model";
import { settleFileAct, shellQuoted } from "#operator";
import { refusalText, refusedFiles, type RefusedFile } from "#pipeline";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface FilesOptions extends ActOptions {
  /** The file that a person settles. */
  readonly settle?: string;
}

export const registerFiles: Registration = (cli) =>
  withActor(
    cli
      .command("files", "Show refused files whose rows are missing, and settle them")
      .argument("[stream]", "one stream (default: all)")
      .option("--settle <name>", "this file's rows are not needed, or were delivered in another file"),
  ).action(cli.action(files));

/** `svcsync files [STREAM] [--settle NAME]`: shows the files that were refused, and settles one. */
async function files(stream: string | undefined, options: FilesOptions, io: Io): Promise<number> {
  if (options.settle !== undefined && stream === undefined)
    throw new UsageError("--settle needs the stream of the file: svcsync files STREAM --settle NAME");
  await using context = await openStoreContext(options, io, [stream]);
  const { streams } = context.syncFile;
  if (options.settle !== undefined && stream !== undefined) {
    const given = { target: stream, input: { name: options.settle }, isConfirmed: true, signal: io.signal };
    await settleFileAct.run({ ...context, streams, returns: context.syncFile.returns }, given, commandActor(options));
  }
  const found: (RefusedFile & { readonly stream: string })[] = [];
  for (const { name } of streams)
    if (stream === undefined || name === stream)
      found.push(...(await refusedFiles(context.store, name)).map((file) => ({ stream: name, ...file })));
  if (options.json) printJson(io.stdout, { refused: found });
  else io.stdout.write(asText(found, options.settle));
  return found.length > 0 ? exitCode.needsPerson : exitCode.ok;
}

function asText(found: readonly (RefusedFile & { readonly stream: string })[], settled: string | undefined): string {
  const lines = settled === undefined ? [] : [`${settled} is settled.`];
  if (found.length === 0) lines.push("No refused file waits for a person.");
  for (const file of found)
    lines.push(
      `${file.stream}: ${refusalText(file)}`,
      `  correct it and deliver it again under its name, or: "svcsync files ${shellQuoted(file.stream)} --settle ${shellQuoted(file.name)}"`,
    );
  return textLines(lines);
}
