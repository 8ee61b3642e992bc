import { oneLine, SyncError, type RecordId, type RecordState } from "#model";
import { counted } from "#operator";
import { parseRecord } from "../../arguments.ts";
import type { Registration } from "../../command.ts";
import { openStoreContext, type GlobalOptions } from "../../command-context.ts";
import { eachRecord } from "../../each-record.ts";
import { exitCode } from "../../output/exit-code.ts";
import type { Io } from "../../output/io.ts";
import { areKnown, unknownStream } from "../../known-streams.ts";
import { printJson } from "../../output/json.ts";

interface SkipOptions extends GlobalOptions {
  /** Those of the stream that met this error. */
  readonly code?: string;
  readonly json?: boolean;
}

/** States that a person may answer. */
const answerable: readonly RecordState[] = ["waiting", "parked", "uncertain"];

export const registerSkip: Registration = (cli) =>
  cli
    .command("skip", "Leave a record out until the ERP changes it, or all records of a stream that met the same error")
    .argument("<target>", "one record as stream/key, or a stream with --code")
    .option("--code <code>", "the records of the stream that met this error")
    .option("--json", "as JSON")
    .action(cli.action(skip));

/** `svcsync skip RECORD`, `svcsync skip STREAM --code CODE`: leaves records out until the ERP changes them. */
async function skip(target: string, options: SkipOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  const id = parseRecord(target);
  if (!areKnown([id?.stream ?? target], context.syncFile.streams, io)) return unknownStream;
  if (id === undefined && options.code === undefined) {
    io.stderr.write(
      `Give the group with --code, as "svcsync records ${target}" shows it, or one record as stream/key.\n`,
    );
    return exitCode.usage;
  }
  const ids = id ? [id] : await groupOf(target, options.code, context.store);
  let count = 0;
  for (const each of ids) count += await leaveOut(each, context.store, io);
  if (options.json) printJson(io.stdout, { skipped: count, refused: ids.length - count });
  else io.stdout.write(`${counted(count, "record")} left out until the ERP changes ${count === 1 ? "it" : "them"}.\n`);
  return count === ids.length && count > 0 ? exitCode.ok : exitCode.needsPerson;
}

type SkipStore = Pick<Awaited<ReturnType<typeof openStoreContext>>["store"], "records" | "resolve">;

async function groupOf(stream: string, code: string | undefined, store: SkipStore): Promise<RecordId[]> {
  const ids: RecordId[] = [];
  for await (const { id, error } of eachRecord(store, { stream, states: answerable }))
    if (error?.code === code) ids.push(id);
  return ids;
}

/** A record that moved on meanwhile is told and keeps none of the others. */
async function leaveOut(id: RecordId, store: SkipStore, io: Io): Promise<number> {
  try {
    await store.resolve(id, { kind: "skip" });
    return 1;
  } catch (thrown) {
    if (!(thrown instanceof SyncError) || thrown.family !== "park") throw thrown;
    io.stderr.write(`${oneLine(thrown.message)} (${thrown.code})\n`);
    return 0;
  }
}
