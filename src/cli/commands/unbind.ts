import { recordLabel, type RecordId } from "#model";
import { recordWord } from "#operator";
import { openStoreContext, type GlobalOptions } from "../command-context.ts";
import { exitCode } from "../output/exit-code.ts";
import type { Io } from "../output/io.ts";
import { printJson } from "../output/json.ts";
import { areKnown, unknownStream } from "../known-streams.ts";

export interface UnbindOptions extends GlobalOptions {
  readonly json?: boolean;
}

/**
 * `svcsync unbind RECORD`: ends a binding that is wrong. The record is then held until a person resolves it: the service record
 * it was bound to may have its natural key by now, and without such a key a create would duplicate it.
 */
export async function unbind(id: RecordId, options: UnbindOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  if (!areKnown([id.stream], context.syncFile.streams, io)) return unknownStream;
  const view = await context.store.record(id);
  if (!view?.binding) {
    const why = view ? "is not bound: there is nothing to end" : "is not in the store";
    io.stderr.write(`${recordLabel(id)} ${why}.\n`);
    return exitCode.needsPerson;
  }
  await context.store.resolve(id, { kind: "unbind" });
  const { resource, serviceId } = view.binding;
  if (options.json) printJson(io.stdout, { id, unbound: view.binding });
  else
    io.stdout.write(
      `${recordLabel(id)} is no longer bound to ${resource} ${serviceId}, which stays in the service as it is.
Nothing is sent for the record until you resolve it: "svcsync resolve ${recordWord(id)} --bind ID", --create or --skip.
`,
    );
  return exitCode.ok;
}
