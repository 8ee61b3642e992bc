import { recordLabel, type RecordId, type RecordState } from "#model";
import type { RecordView } from "#store";
import { openStoreContext, type GlobalOptions } from "./command-context.ts";
import { exitCode, type Io } from "./io.ts";
import { areKnown, unknownStream } from "./known-streams.ts";
import { table } from "./table.ts";

export interface RecordsOptions extends GlobalOptions {
  readonly state?: readonly RecordState[];
  readonly limit: number;
  readonly json?: boolean;
}

/** `svcsync records [STREAM]`: the records in some states with their reasons; parked and uncertain ones unless told. */
export async function records(stream: string | undefined, options: RecordsOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  if (!areKnown([stream], context.syncFile.streams, io)) return unknownStream;
  const states = options.state ?? ["parked", "uncertain"];
  const found = await context.store.records({
    ...(stream === undefined ? {} : { stream }),
    states,
    limit: options.limit,
  });
  if (options.json) for (const view of found) io.stdout.write(`${JSON.stringify(view)}\n`);
  else io.stdout.write(found.length === 0 ? `No record is ${states.join(" or ")}.\n` : asTable(found));
  return exitCode.ok;
}

function asTable(found: readonly RecordView[]): string {
  return table(
    ["record", "state", "attempts", "reason"],
    found.map(({ id, state, attempts, error }) => [
      recordLabel(id),
      state,
      attempts,
      error ? `${error.message} (${error.code})` : "",
    ]),
  );
}

/** `customers/10023` as a record; a key may hold slashes. */
export function parseRecord(label: string): RecordId | undefined {
  const at = label.indexOf("/");
  return at > 0 && at < label.length - 1 ? { stream: label.slice(0, at), key: label.slice(at + 1) } : undefined;
}
