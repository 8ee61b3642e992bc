import type { SyncFile } from "#mapping";
import { codeOf, counted, messageOf, ParkError, StopError, systemClock, grouped, type StreamName } from "#model";
import { loadLocalSettings, storeLocation } from "#settings";
import { openStore, type Store, type StoredStream } from "#store";
import { commandActor, withActor, type ActOptions } from "../../actor.ts";
import { operatorLogger, readFiles, type Registration } from "../../command-context.ts";
import { confirmed, expectTerminal } from "../../interview.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";

interface RenameOptions extends ActOptions {
  readonly yes?: boolean;
}

export const registerRenameStream: Registration = (cli) =>
  withActor(
    cli
      .command("rename-stream", "Give the records of a stream that was renamed in the sync file to its new name")
      .argument("<old>", "the name under which the store has the records")
      .argument("<new>", "the name in the sync file")
      .option("--yes", "do not ask for confirmation"),
  )
    .addHelpText("after", words)
    .action(cli.action(run));

const words = `
Rename the stream in the sync file, stop svcsync (all processes), run this command, and start svcsync again. Records, bindings,
history, and the position of the next poll move to the new name. Nothing is sent to the service. Without a terminal it needs --yes.
`;

/** `svcsync rename-stream OLD NEW`: moves everything that the store holds of a stream to its new name. */
async function run(from: StreamName, to: StreamName, options: RenameOptions, io: Io): Promise<number> {
  if (!options.yes) expectTerminal(io, "rename the stream");
  const { settings, secrets } = loadLocalSettings(options);
  const syncFile = await readFiles(settings, secrets, io);
  const stream = expectRenamed(from, to, syncFile);
  const logger = operatorLogger(settings, io);
  const { redact } = io.redaction;
  // As a daemon, so that none can run meanwhile.
  const opening = openStore(storeLocation(settings, secrets), { as: "daemon", clock: systemClock, logger, redact });
  await using store = await opening.catch(notWhileRunning);
  const held = await store.storedStream(from);
  expectResource(from, to, stream.resource, held);
  if (!options.yes && held.records > 0 && !(await isMeant(from, to, held, store, io))) {
    io.stderr.write("Nothing was renamed.\n");
    return exitCode.needsPerson;
  }
  await store.renameStream(from, to, commandActor(options));
  if (options.json) printJson(io.stdout, { from, to, ...held });
  else io.stdout.write(`${heldText(held)} of ${from} now belong to ${to}. Start svcsync again.\n`);
  return exitCode.ok;
}

/** The stream's new words in the sync file. @throws {UsageError} when the file does not have exactly the new name. */
function expectRenamed(from: StreamName, to: StreamName, { streams }: SyncFile) {
  const names = streams.map(({ name }) => name).join(", ");
  if (streams.some(({ name }) => name === from))
    throw new UsageError(`The sync file still has the stream ${from}: rename it there first. It has ${names}.`);
  const stream = streams.find(({ name }) => name === to);
  if (stream === undefined) throw new UsageError(`The sync file has no stream ${to}: it has ${names}.`);
  return stream;
}

/** @throws {ParkError} E_RENAME_REFUSED when the records are bound to another resource than the new stream writes. */
function expectResource(from: StreamName, to: StreamName, resource: string, { bound }: StoredStream): void {
  const others = Object.keys(bound).filter((each) => each !== resource);
  if (others.length === 0) return;
  const found = `records of ${from} are bound to ${others.join(", ")}, and ${to} writes ${resource}`;
  throw new ParkError("E_RENAME_REFUSED", `${from} cannot be renamed to ${to}: ${found}`);
}

function notWhileRunning(thrown: unknown): never {
  if (codeOf(thrown) !== "E_STORE_BUSY") throw thrown;
  const message = `${messageOf(thrown)}. Stop svcsync (all processes), then rename the stream`;
  throw new StopError("E_STORE_BUSY", message, { cause: thrown });
}

async function isMeant(from: StreamName, to: StreamName, held: StoredStream, store: Store, io: Io): Promise<boolean> {
  const { records } = await store.storedStream(to);
  // It is refused below, without a question.
  if (records > 0) return true;
  io.stdout.write(`The store has ${heldText(held)} of ${from}.\n`);
  return (await confirmed(io, `Give them to ${to}? (yes/no)`)) === true;
}

function heldText({ records, bound }: StoredStream): string {
  const sum = Object.values(bound).reduce((total, each) => total + each, 0);
  return `${counted(records, "record")} (${grouped(sum)} bound)`;
}
