import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { RECORD_STATES, type RecordId } from "#model";
import { adopt, type AdoptOptions } from "./commands/adopt.ts";
import { backup, type BackupOptions } from "./commands/backup.ts";
import { check, type CheckOptions } from "./commands/check.ts";
import { deletions, type DeletionsOptions } from "./commands/deletions.ts";
import { demo, type DemoOptions } from "./demo/index.ts";
import { explain, type ExplainOptions } from "./commands/explain.ts";
import { failureCode, failureText, isSettingsError } from "./output/failure-text.ts";
import { init, presetNames, zoneObjection, type InitOptions } from "./init/index.ts";
import { exitCode, exitCodes } from "./output/exit-code.ts";
import { safeIo, type Io, type ProcessIo } from "./output/io.ts";
import { parseRecord, records, type RecordsOptions } from "./commands/records.ts";
import { peek, type PeekOptions } from "./commands/peek.ts";
import { rebuild, type RebuildOptions } from "./commands/rebuild.ts";
import { reconcile, type ReconcileOptions } from "./commands/reconcile.ts";
import { reread, type RereadOptions } from "./commands/reread.ts";
import { resolve, type ResolveOptions } from "./commands/resolve.ts";
import { retry, type RetryOptions } from "./commands/retry.ts";
import { run } from "./commands/run.ts";
import { sandbox } from "./commands/sandbox.ts";
import { sandboxOptionsOf, withSandboxOptions, type SandboxArguments } from "./sandbox-options.ts";
import { skip, type SkipOptions } from "./commands/skip.ts";
import { schema } from "./commands/schema.ts";
import { unbind, type UnbindOptions } from "./commands/unbind.ts";
import { status, type StatusOptions } from "./commands/status.ts";
import { sync, type SyncOptions } from "./commands/sync.ts";
import type { GlobalOptions } from "./command-context.ts";
import { version } from "#daemon";

/**
 * Runs one command line and resolves to the exit code. Never throws: what a command threw is one clear message on stderr.
 */
export async function runCommand(argv: readonly string[], processIo: ProcessIo): Promise<number> {
  const io = safeIo(processIo);
  let code: number = exitCode.ok;
  const program = new Command("svcsync")
    .description("Keeps a service system in step with the ERP that leads it.")
    .version(version)
    .option(
      "--env-file <path>",
      "file with settings; the process environment goes before it (default: .env if there is one)",
    )
    .configureOutput({ writeOut: (text) => io.ownWords.write(text), writeErr: (text) => io.stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(svcsync --help lists the commands)")
    .exitOverride()
    .addHelpText("after", () => helpEnd);
  const command = (name: string, description: string) =>
    program.command(name).description(description).showHelpAfterError(`(svcsync ${name} --help explains it)`);
  const ended = (result: Promise<number>) => result.then((value) => void (code = value));
  const globals = () => program.opts<GlobalOptions>();

  command("init", "Ask for the ERP and the service, write .env and config/sync.yaml, then check them")
    .addOption(new Option("--erp <name>", "the ERP").choices(presetNames))
    .option("--service-url <url>", "address of the service")
    .option("--set <name=value...>", "a line of .env (ERP_URL=…), or a table or column (customers.table=…)", setting)
    .option("--timezone <zone>", "time zone of the ERP's clock (default: this machine's)", zone)
    .option("--yes", "ask nothing; values that are not given stay empty in .env")
    .option("--force", "overwrite existing files")
    .option("--no-check", "write the files without checking them")
    .action((options: InitOptions) => ended(init({ ...globals(), ...options }, io)));
  command("run", "Run the daemon: poll the ERP and keep the service in step until stopped").action(() =>
    ended(run(globals(), io)),
  );
  command("sync", "Run one round: poll every stream, deliver until nothing is due, exit (for cron)")
    .option("--timeout <seconds>", "exit with 75 after this long without progress (default: 300)", positiveInteger)
    .option("--json", "the result as one line of JSON")
    .action((options: SyncOptions) => ended(sync({ ...globals(), ...options }, io)));
  command("check", "Verify settings, sync file, store, ERP, queue and service before running")
    .option("--service", "probe the tenant, with reads only, and report which dialect settings fit")
    .option("--json", "the findings as JSON")
    .action((options: CheckOptions) => ended(check({ ...globals(), ...options }, io)));
  command("status", "Show the state of each stream, what needs a person, and the health of service and queue")
    .option("--json", "the status as JSON, from the store alone")
    .addHelpText("after", streamWords)
    .action((options: StatusOptions) => ended(status({ ...globals(), ...options }, io)));
  command("records", "List records by cause, with counts and what to do; by default those that need a person")
    .argument("[stream]", "one stream (default: all)")
    .addOption(new Option("--state <state...>", "states to list").choices(RECORD_STATES))
    .option("--code <code>", "only those that met this error")
    .option("--each", "each record, instead of one entry per cause")
    .option("--limit <count>", "with --each or --json: at most this many", positiveInteger, 100)
    .option("--json", "one line of JSON per record")
    .action((stream: string | undefined, options: RecordsOptions) =>
      ended(records(stream, { ...globals(), ...options }, io)),
    );
  command("explain", "Show the history of a record: what the ERP showed, what was written, when, with what result")
    .addArgument(recordArgument())
    .option("--json", "as JSON")
    .action((id: RecordId, options: ExplainOptions) => ended(explain(id, { ...globals(), ...options }, io)));
  command("peek", "Show the next rows of a stream as the ERP returns them and as they are mapped; write nothing")
    .argument("<stream>", "the stream")
    .option("--rows <count>", "how many", positiveInteger, 3)
    .option("--json", "one line of JSON per row")
    .action((stream: string, options: PeekOptions) => ended(peek(stream, { ...globals(), ...options }, io)));
  command("retry", "Retry parked and waiting records: a running daemon does so within seconds, otherwise the next sync")
    .argument("[target]", "a stream, or one record as stream/key (default: everything)")
    .option("--code <code>", "only those that met this error")
    .option("--json", "as JSON")
    .action((target: string | undefined, options: RetryOptions) =>
      ended(retry(target, { ...globals(), ...options }, io)),
    );
  command("skip", "Leave a record out until the ERP changes it, or all records of a stream that met the same error")
    .argument("<target>", "one record as stream/key, or a stream with --code")
    .option("--code <code>", "the records of the stream that met this error")
    .option("--json", "as JSON")
    .action((target: string, options: SkipOptions) => ended(skip(target, { ...globals(), ...options }, io)));
  command("resolve", "Answer a create whose result is unknown, or a record with several candidates")
    .addArgument(recordArgument())
    .option("--bind <id>", "bind it to this record of the service", positiveInteger)
    .option("--create", "create it: the service does not have it")
    .option("--skip", "leave it out until the ERP changes it")
    .option("--yes", "with --bind: do not ask for confirmation")
    .option("--json", "as JSON")
    .addHelpText("after", resolveWords)
    .action((id: RecordId, options: ResolveOptions) => ended(resolve(id, { ...globals(), ...options }, io)));

  command("unbind", "End the binding of a record to the wrong record of the service")
    .addArgument(recordArgument())
    .option("--json", "as JSON")
    .addHelpText("after", unbindWords)
    .action((id: RecordId, options: UnbindOptions) => ended(unbind(id, { ...globals(), ...options }, io)));

  command("adopt", "Show which records of the service match the ERP's; with --confirm, release the streams")
    .argument("[streams...]", "these streams (default: all)")
    .option("--csv <file>", "write the whole list; its serviceId column can be filled in where records are ambiguous")
    .option("--answers <file>", "read the filled-in list and bind what it says")
    .option("--confirm", "release the streams: bind matches, create new records, park ambiguous ones")
    .option("--create-all", "release the streams without matching: create every record")
    .option("--json", "as JSON")
    .addHelpText("after", verdictWords)
    .action((streams: string[], options: AdoptOptions) => ended(adopt(streams, { ...globals(), ...options }, io)));
  command("reconcile", "Read the service and the ERP's keys, and report what differs from the store")
    .argument("[streams...]", "these streams (default: all)")
    .option("--repair", "write owned fields that differ once more, and read rows that were not read")
    .option("--json", "as JSON")
    .action((streams: string[], options: ReconcileOptions) =>
      ended(reconcile(streams, { ...globals(), ...options }, io)),
    );
  command("deletions", "Show the deletions that the guard holds")
    .argument("[stream]", "one stream (default: all)")
    .option("--confirm", "let the next sweep delete them, at most as many as are shown")
    .option("--json", "as JSON")
    .action((stream: string | undefined, options: DeletionsOptions) =>
      ended(deletions(stream, { ...globals(), ...options }, io)),
    );
  command("reread", "Read a stream from its beginning with the next poll, or single records now")
    .argument("<stream>", "the stream")
    .argument("[keys...]", "keys of records to read now (default: the whole stream)")
    .option("--json", "as JSON")
    .action((stream: string, keys: string[], options: RereadOptions) =>
      ended(reread(stream, keys, { ...globals(), ...options }, io)),
    );
  command("backup", "Copy the store; the daemon may be running")
    .argument("<file>", "file to write; it must not exist")
    .option("--json", "as JSON")
    .action((path: string, options: BackupOptions) => ended(backup(path, { ...globals(), ...options }, io)));
  command("rebuild", "Rebuild a lost store by matching the ERP's records with the service's")
    .option("--csv <file>", "write the whole list")
    .option("--confirm", "bind what matches, create what is new")
    .option("--json", "one line of JSON per step")
    .action((options: RebuildOptions) => ended(rebuild({ ...globals(), ...options }, io)));
  command("schema", "Print the JSON Schema of the sync file, for editors").action(() => ended(schema(io)));
  withSandboxOptions(
    command("sandbox", "Run a stand-in for the service: a real HTTP server with records in memory"),
  ).action((given: SandboxArguments) => ended(sandbox(sandboxOptionsOf(given), io)));
  command("demo", "Run a sample ERP and the sandbox: first load, live changes, counts")
    .option("--keep", "leave everything running until Ctrl-C")
    .action((options: DemoOptions) => ended(demo(options, io)));

  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (thrown) {
    return failed(thrown, io);
  }
}

const streamWords = `
Stream states: loading (first load in progress), following (changes are followed), failing (the last poll failed; the next
one tries again), held (nothing is delivered until a person decides: svcsync adopt).
Records: in sync (the service holds what the ERP showed last), due (in progress), waiting (for another record), parked and
uncertain (a person must act), left out (by the rules of the stream or by a person), deleted (in the ERP).
`;

const resolveWords = `
--bind reads the record from the service, shows its name and match fields beside those of the ERP's record and the fields that the
first write changes, and asks. Without a terminal it needs --yes. An id that the service does not have is refused.
`;

const unbindWords = `
What happens next: the record of the service stays as it is, with the values that were written to it. The record of the ERP is
parked (E_UNBOUND) and held through every change: nothing is bound, created or deleted for it until you answer with
"svcsync resolve STREAM/KEY --bind ID", --create or --skip. Records that refer to it wait when they change, and are written with
the new id once it is bound again.
`;

const verdictWords = `
Verdicts: bound (already linked), matched (exactly one record of the service has this natural key), new (none has),
ambiguous (several have), left out (nothing to create: deleted in the ERP, or the stream's rules), unclear (the record could
not be compared). "only in the service": records that no row of the ERP matches; they are never touched.
`;

const helpEnd = `
Getting started:
  svcsync init                        writes the settings for your ERP
  svcsync check                       verifies the settings before anything is written
  svcsync run                         runs the daemon
  svcsync status                      shows how far each stream is and what needs a person
  svcsync explain customers/10023     shows why one record is the way it is
Settings come from the environment; .env.example lists all of them.
Exit codes, the same in every command:
${exitCodes.map(({ code, meaning }) => `  ${String(code).padEnd(4)}${meaning}`).join("\n")}
`;

function failed(thrown: unknown, io: Io): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCode.ok : exitCode.usage;
  io.stderr.write(failureText(thrown));
  if (isSettingsError(thrown))
    io.stderr.write(
      'Correct it, then "svcsync check"; .env.example and docs/sync-file.md explain every word, "svcsync init" writes the first files.\n',
    );
  return failureCode(thrown);
}

function recordArgument(): Argument {
  return new Argument("<record>", "the record as stream/key, for example customers/10023").argParser((text: string) => {
    const id = parseRecord(text);
    if (!id) throw new InvalidArgumentError(`found ${JSON.stringify(text)}, wanted stream/key`);
    return id;
  });
}

function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("wanted a whole number above 0");
  return number;
}

function setting(text: string, before: readonly string[] = []): string[] {
  if (!/^([A-Z][A-Z0-9_]*|[a-z]+\.[A-Za-z]+)=/.test(text))
    throw new InvalidArgumentError("wanted NAME=value or STREAM.PART=column");
  if (/[\r\n]/.test(text)) throw new InvalidArgumentError("wanted a single line");
  return [...before, text];
}

function zone(text: string): string {
  const objection = zoneObjection(text);
  if (objection !== undefined) throw new InvalidArgumentError(objection);
  return text;
}
