import { recordLabel, type Binding, type RecordId } from "#model";
import type { Stream } from "#mapping";
import { proposeBinding, type ProposedBinding } from "#pipeline";
import { isAnswerable, type RecordView } from "#store";
import { positiveInteger, recordArgument } from "../../arguments.ts";
import type { Registration } from "../../command.ts";
import { openPartsContext, openStoreContext, type GlobalOptions } from "../../command-context.ts";
import { exitCode } from "../../output/exit-code.ts";
import { Interview } from "../../interview.ts";
import type { Io } from "../../output/io.ts";
import { printJson } from "../../output/json.ts";
import { areKnown, unknownStream } from "../../known-streams.ts";
import { overwriteText, sideText } from "../../output/sides.ts";

interface ResolveOptions extends GlobalOptions {
  readonly bind?: number;
  readonly create?: boolean;
  readonly skip?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export const registerResolve: Registration = (cli) =>
  cli
    .command("resolve", "Answer a create whose result is unknown, or a record with several candidates")
    .addArgument(recordArgument())
    .option("--bind <id>", "bind it to this record of the service", positiveInteger)
    .option("--create", "create it: the service does not have it")
    .option("--skip", "leave it out until the ERP changes it")
    .option("--yes", "with --bind: do not ask for confirmation")
    .option("--json", "as JSON")
    .addHelpText("after", bindWords)
    .action(cli.action(resolve));

const bindWords = `
--bind reads the record from the service, shows its name and match fields beside those of the ERP's record and the fields that the
first write changes, and asks. Without a terminal it needs --yes. An id that the service does not have is refused.
`;

/** `svcsync resolve RECORD --bind ID | --create | --skip`: settles a create whose result is unknown. */
async function resolve(id: RecordId, options: ResolveOptions, io: Io): Promise<number> {
  const { bind, create, skip } = options;
  if ([bind !== undefined, create, skip].filter(Boolean).length !== 1) {
    io.stderr.write("Give exactly one answer: --bind ID, --create or --skip.\n");
    return exitCode.usage;
  }
  return bind === undefined ? answer(id, create ? "create" : "skip", options, io) : bindTo(id, bind, options, io);
}

async function answer(id: RecordId, kind: "create" | "skip", options: ResolveOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io);
  if (!areKnown([id.stream], context.syncFile.streams, io)) return unknownStream;
  if (!(await context.store.record(id))) return notInStore(id, io);
  await context.store.resolve(id, { kind });
  const text =
    kind === "create"
      ? "will be created, by a running daemon within seconds, else by the next sync"
      : "is left out until the ERP changes it";
  if (options.json) printJson(io.stdout, { id, answer: kind });
  else io.stdout.write(`${recordLabel(id)} ${text}.\n`);
  return exitCode.ok;
}

/** Shows both sides and asks, before anything is bound. */
async function bindTo(id: RecordId, serviceId: number, options: ResolveOptions, io: Io): Promise<number> {
  if (!options.yes && !(io.isTerminal && io.stdin)) {
    io.stderr.write("No terminal to ask on: add --yes to bind without confirmation.\n");
    return exitCode.usage;
  }
  await using context = await openPartsContext(options, io);
  const { syncFile } = context.configuration;
  const { store } = context.parts;
  if (!areKnown([id.stream], syncFile.streams, io)) return unknownStream;
  const stream = syncFile.streams.find(({ name }) => name === id.stream)!;
  const view = await store.record(id);
  if (!view) return notInStore(id, io);
  const binding = { resource: stream.resource, serviceId };
  const owner = await store.boundTo(binding);
  const isOwn = owner !== undefined && recordLabel(owner) === recordLabel(id);
  if (!isAnswerable(view.state) && (isOwn || !owner)) return settledAlready(view, io);
  if (owner) {
    io.stderr.write(`${labelOf(binding)} already belongs to ${recordLabel(owner)}.\n`);
    return exitCode.needsPerson;
  }
  const proposed = await proposeBinding(context.parts, stream, view, serviceId, io.signal);
  if (!proposed.theirs) {
    io.stderr.write(`The service has no ${labelOf(binding)}. Nothing was bound.\n`);
    return exitCode.needsPerson;
  }
  if (!options.json) io.stdout.write(sidesOf(id, binding, proposed, stream));
  if (!options.yes && !(await isConfirmed(io))) {
    io.stderr.write("Nothing was bound.\n");
    return exitCode.needsPerson;
  }
  await store.resolve(id, { kind: "bind", binding });
  if (options.json) printJson(io.stdout, { id, answer: "bind", binding, ...proposed });
  else io.stdout.write(`${recordLabel(id)} is bound to ${labelOf(binding)}; what differs is sent next.\n`);
  return exitCode.ok;
}

function sidesOf(
  id: RecordId,
  binding: Binding,
  { ours, theirs, overwrites }: ProposedBinding,
  stream: Stream,
): string {
  const changes = overwrites.map((overwrite) => `  ${overwriteText(overwrite)}\n`).join("");
  return `In the ERP:     ${sideText(recordLabel(id), ours)}
In the service: ${sideText(labelOf(binding), theirs!)}
${changes === "" ? `No field of ${stream.name} is known to differ.\n` : `The first write changes:\n${changes}`}`;
}

async function isConfirmed(io: Io): Promise<boolean> {
  using interview = new Interview(io, io.stdin!);
  const reply = await interview.ask({
    text: "Are they the same? (yes/no)",
    objection: (typed) => (/^(y|yes|n|no)$/i.test(typed) ? undefined : "wanted yes or no"),
  });
  return reply?.toLowerCase().startsWith("y") ?? false;
}

function labelOf({ resource, serviceId }: Binding): string {
  return `${resource} ${serviceId}`;
}

/** Told before anything is asked: there is no question left. */
function settledAlready({ id, state, binding }: RecordView, io: Io): number {
  const bound = binding ? ` and bound to ${labelOf(binding)}` : "";
  const next = binding
    ? `"svcsync unbind ${recordLabel(id)}" ends that binding`
    : "only one that is due, waiting, parked or uncertain can be answered";
  io.stderr.write(`${recordLabel(id)} is ${state}${bound}: ${next}. Nothing was bound.\n`);
  return exitCode.needsPerson;
}

function notInStore(id: RecordId, io: Io): number {
  io.stderr.write(`${recordLabel(id)} is not in the store: no poll of ${id.stream} has shown this key.\n`);
  return exitCode.needsPerson;
}
