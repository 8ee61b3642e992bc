import type { Stream } from "#mapping";
import { recordLabel, type Binding, type RecordId } from "#model";
import { bind, labelOf, resolve } from "#operator";
import type { ProposedBinding } from "#pipeline";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { momentArgument, positiveInteger, recordArgument } from "../../arguments.ts";
import { openStoreContext, type Registration } from "../../command-context.ts";
import { openPartsContext } from "../../parts-context.ts";
import { confirmed, expectTerminal } from "../../interview.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { overwriteText, sideText } from "#operator";

interface ResolveOptions extends ActOptions {
  readonly bind?: number;
  readonly create?: boolean;
  readonly begun?: number | "none";
  readonly skip?: boolean;
  readonly yes?: boolean;
}

export const registerResolve: Registration = (cli) =>
  withActor(
    cli
      .command("resolve", "Settle a create whose result is unknown, or choose among several matching records")
      .addArgument(recordArgument())
      .option("--bind <id>", "bind it to this record of the service", positiveInteger)
      .option("--create", "create it: the service does not have it")
      .option(
        "--begun <time>",
        "with --create: only if its last create began at this time, as explain shows; none: only if it had no create",
        (text) => (text === "none" ? text : momentArgument(text)),
      )
      .option("--skip", "leave it out until the ERP changes it")
      .option("--yes", "with --bind: do not ask for confirmation"),
  )
    .addHelpText("after", bindWords)
    .action(cli.action(run));

const bindWords = `
--bind reads the record from the service, shows its name and match fields beside those of the ERP's record and the fields that the
first write changes, and asks. Without a terminal it needs --yes. An id that the service does not have is refused.
`;

/** `svcsync resolve RECORD --bind ID | --create | --skip`: settles a create whose result is unknown. */
async function run(id: RecordId, options: ResolveOptions, io: Io): Promise<number> {
  const { bind, create, skip, begun } = options;
  if ([bind !== undefined, create, skip].filter(Boolean).length !== 1)
    throw new UsageError("Give exactly one of --bind ID, --create and --skip.");
  if (begun !== undefined && !create)
    throw new UsageError("--begun names the create that you looked for: add --create.");
  return bind === undefined ? answer(id, create ? "create" : "skip", options, io) : bindTo(id, bind, options, io);
}

async function answer(id: RecordId, kind: "create" | "skip", options: ResolveOptions, io: Io): Promise<number> {
  await using context = await openStoreContext(options, io, [id.stream]);
  const stream = context.syncFile.streams.find(({ name }) => name === id.stream);
  await resolve(context, { id, answer: kind, begunAt: options.begun, stream }, commandActor(options));
  const text =
    kind === "create"
      ? "will be created, by a running daemon within seconds, otherwise by the next sync"
      : "is left out until the ERP changes it";
  if (options.json) printJson(io.stdout, { id, answer: kind });
  else io.stdout.write(`${recordLabel(id)} ${text}.\n`);
  return exitCode.ok;
}

/** Shows both sides and asks, before anything is bound. */
async function bindTo(id: RecordId, serviceId: number, options: ResolveOptions, io: Io): Promise<number> {
  if (!options.yes) expectTerminal(io, "bind");
  await using context = await openPartsContext(options, io, [id.stream]);
  const stream = context.configuration.syncFile.streams.find(({ name }) => name === id.stream)!;
  const isMeant = async (proposed: ProposedBinding, binding: Binding) => {
    if (!options.json) io.stdout.write(sidesOf(id, binding, proposed, stream));
    return options.yes === true || (await confirmed(io, "Are they the same? (yes/no)")) === true;
  };
  const input = { id, stream, serviceId, isMeant, signal: io.signal };
  const { isBound, binding, ...proposed } = await bind(context.parts, input, commandActor(options));
  if (!isBound) {
    io.stderr.write("Nothing was bound.\n");
    return exitCode.needsPerson;
  }
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
