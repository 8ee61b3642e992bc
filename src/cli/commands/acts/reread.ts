import { counted, oneLine, recordLabel, type Key } from "#model";
import { rereadKeys, rereadStream } from "#operator";
import { actorOf, withActor, type ActOptions } from "../../actor.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { openPartsContext } from "../../parts-context.ts";
import { exitCode, printJson, type Io } from "../../output/io.ts";

export const registerReread: Registration = (cli) =>
  withActor(
    cli
      .command("reread", "Have the next poll read a stream from its beginning, or read single records now")
      .argument("<stream>", "the stream")
      .argument("[keys...]", "keys of records to read now (default: the whole stream)"),
  ).action(cli.action(reread));

/**
 * `svcsync reread STREAM [KEY…]`: makes the next poll read the stream from its beginning, or reads these records now.
 * Unchanged rows cost no request to the service.
 */
async function reread(stream: string, keys: readonly Key[], options: ActOptions, io: Io): Promise<number> {
  return keys.length === 0 ? wholeStream(stream, options, io) : singleRecords(stream, keys, options, io);
}

async function wholeStream(stream: string, options: ActOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [stream]);
  await rereadStream(context, stream, actorOf(options));
  if (options.json) printJson(io.stdout, { stream, whole: true });
  else
    io.stdout.write(
      `The next poll reads ${stream} from its beginning. Unchanged rows cost no request to the service.\n`,
    );
  return exitCode.ok;
}

async function singleRecords(stream: string, keys: readonly Key[], options: ActOptions, io: Io): Promise<number> {
  await using context = await openPartsContext(options, io, [stream]);
  const { store, sources } = context.parts;
  const source = sources.streams.get(stream)!;
  const read = await rereadKeys({ store, source }, { stream, keys, signal: io.signal }, actorOf(options));
  if (options.json) printJson(io.stdout, { stream, ...read });
  else io.stdout.write(`${counted(read.changed, "changed record")} will be delivered, ${read.unchanged} unchanged.\n`);
  for (const key of read.missing) io.stderr.write(`The ERP does not have ${oneLine(recordLabel({ stream, key }))}.\n`);
  return read.missing.length === 0 ? exitCode.ok : exitCode.needsPerson;
}
