import { recordLabel, type RecordId } from "#model";
import { openStoreContext, type GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { areKnown, unknownStream } from "./known-streams.ts";

export interface ResolveOptions extends GlobalOptions {
  readonly bind?: number;
  readonly create?: boolean;
  readonly skip?: boolean;
}

/** `svcsync resolve RECORD --bind ID | --create | --skip`: answers a create whose result nobody could know. */
export async function resolve(id: RecordId, options: ResolveOptions, io: Io): Promise<number> {
  const { bind, create, skip } = options;
  if ([bind !== undefined, create, skip].filter(Boolean).length !== 1) {
    io.stderr.write("Give exactly one answer: --bind ID, --create or --skip.\n");
    return exitCode.usage;
  }
  await using context = await openStoreContext(options, io);
  if (!areKnown([id.stream], context.syncFile.streams, io)) return unknownStream;
  const { resource } = context.syncFile.streams.find(({ name }) => name === id.stream)!;
  if (!(await context.store.record(id))) {
    io.stderr.write(`${recordLabel(id)} is not in the store: no poll of ${id.stream} has shown this key.\n`);
    return exitCode.needsPerson;
  }
  if (bind !== undefined) {
    const binding = { resource, serviceId: bind };
    const owner = await context.store.boundTo(binding);
    if (owner) {
      io.stderr.write(`${resource} ${bind} already belongs to ${recordLabel(owner)}.\n`);
      return exitCode.needsPerson;
    }
    await context.store.resolve(id, { kind: "bind", binding });
    io.stdout.write(`${recordLabel(id)} is bound to ${resource} ${bind}; what differs is sent next.\n`);
  } else if (create) {
    await context.store.resolve(id, { kind: "create" });
    io.stdout.write(
      `${recordLabel(id)} will be created anew, by a running daemon within seconds, else by the next sync.\n`,
    );
  } else {
    await context.store.resolve(id, { kind: "skip" });
    io.stdout.write(`${recordLabel(id)} is left out until the ERP changes it.\n`);
  }
  return exitCode.ok;
}
