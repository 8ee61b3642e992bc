import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { InvalidArgumentError } from "commander";
import { schemaText } from "#mapping";
import { resourceNames } from "#service";
import { adapters } from "#sources";
import { usualSyncFile } from "#settings";
import { version } from "#telemetry";
import type { GlobalOptions, Registration } from "../command-context.ts";
import { check } from "../commands/setup/check.ts";
import { failureCode, failureText } from "../output/failure-text.ts";
import { exitCode, UsageError, type Io } from "../output/io.ts";
import { readIfThere, writeWhole } from "../output/whole-file.ts";
import { viewDialectOf, viewDialects, viewStatements } from "../views/view-statements.ts";
import { answers, type AnswerOptions } from "./answers.ts";
import { zoneObjection } from "./ask.ts";
import { envText } from "./env-text.ts";
import { returnsText } from "./returns-text.ts";
import { presetNamed, presetNames, readSampleSyncFile, templateZone, type Preset } from "./presets.ts";

interface InitOptions extends GlobalOptions, AnswerOptions {
  readonly force?: boolean;
  /** False: writes the files without checking them. */
  readonly check?: boolean;
}

const schemaFile = "config/sync.schema.json";
const viewsFile = "config/views.sql";

export const registerInit: Registration = (cli) =>
  cli
    .command("init", "Ask for the ERP and the service, write .env and config/svcsync.yaml, then check them")
    .option("--erp <name>", `the ERP: ${presetNames.join(", ")}`, erp)
    .option("--service-url <url>", "address of the service")
    .option("--set <name=value...>", "a line of .env (ERP_URL=…), or a table or column (customers.table=…)", setting)
    .option("--timezone <zone>", "time zone of the ERP's clock (default: this machine's)", zone)
    .option("--yes", "do not ask; values that are not given stay empty in .env")
    .option("--force", "overwrite existing files")
    .option("--no-check", "write the files without checking them")
    .action(cli.action(init));

/** `svcsync init`: asks which ERP it is, writes its env file and sync file, and runs `check`. */
async function init(options: InitOptions, io: Io): Promise<number> {
  const envFile = options.envFile ?? ".env";
  const { path: syncFile, both } = usualSyncFile();
  if (both !== undefined) throw new UsageError(`${both} exist. Move one away. Nothing was written.`);
  const taken = options.force ? [] : await takenFiles(envFile, syncFile);
  if (taken.length > 0)
    throw new UsageError(
      `${taken.join(" and ")} already ${taken.length > 1 ? "exist" : "exists"}. Move away, or add --force to overwrite. Nothing was written.`,
    );
  const answered = await answers(options, io);
  if (typeof answered === "string") throw new UsageError(`${answered} Nothing was written.`);
  const { preset, settings, zone, zoneIsGuessed, said } = answered;
  for (const file of [envFile, syncFile]) await mkdir(dirname(file), { recursive: true });
  // It holds passwords, so only this user may read it.
  await writeWhole(envFile, envText(preset, settings), 0o600);
  await writeWhole(syncFile, answered.syncFile.replaceAll(templateZone, zone) + returnsText, 0o644);
  await writeWhole(schemaFile, schemaText(adapters, resourceNames, version), 0o644);
  io.stdout.write(`\n${envFile} and ${syncFile} were written for ${preset.title}.\n`);
  if (said !== undefined) io.stdout.write(`${said}\n`);
  if (preset.readsViews) io.stdout.write(await writeViews(settings.get("ERP_URL") ?? ""));
  if (zoneIsGuessed)
    io.stdout.write(
      `The ERP's clock is assumed to be in the zone ${zone}, this machine's. If not, use --timezone or edit ${syncFile}.\n`,
    );
  const open = unanswered(preset, settings);
  if (open.length > 0) {
    io.stdout.write(`Still to fill in ${envFile}: ${open.join(", ")}. Then run "svcsync check".\n`);
    return options.check === false ? exitCode.ok : exitCode.settings;
  }
  if (options.check === false) return exitCode.ok;
  io.stdout.write("\nChecking …\n\n");
  const code = await checked(envFile, io);
  io.stdout.write(
    code === exitCode.ok
      ? '\nReady. "svcsync peek customers" shows what would be written, "svcsync run" starts the daemon.\n'
      : '\nCorrect the problems above, then run "svcsync check" again.\n',
  );
  return code;
}

/** Writes the statements that create the views, for the database of this address. Returns what to do with them. */
async function writeViews(url: string): Promise<string> {
  const dialect = viewDialectOf(url);
  if (dialect === undefined)
    return `The views must be created first: "svcsync views" prints the statements, for ${viewDialects.join(", ")}.\n`;
  await writeWhole(viewsFile, viewStatements(dialect), 0o644);
  return `${viewsFile} has the statements that create the views. Give it to the person who administers the ERP's database.\n`;
}

/** The check's exit code, even if it could not start. */
async function checked(envFile: string, io: Io): Promise<number> {
  try {
    return await check({ envFile, service: true }, io);
  } catch (thrown) {
    io.stderr.write(failureText(thrown));
    return failureCode(thrown);
  }
}

/** Files that a user has edited; the unchanged sample sync file does not count. */
async function takenFiles(envFile: string, syncFile: string): Promise<string[]> {
  const sync = await readIfThere(syncFile);
  const taken = sync === undefined || sync === readSampleSyncFile() ? [] : [syncFile];
  return (await readIfThere(envFile)) === undefined ? taken : [envFile, ...taken];
}

function unanswered({ variables }: Preset, settings: ReadonlyMap<string, string>): string[] {
  const has = (name: string) => (settings.get(name) ?? "") !== "";
  const open = ["SERVICE_URL", ...variables.map(({ name }) => name)].filter((name) => !has(name));
  return has("SERVICE_TOKEN") || (has("SERVICE_USERNAME") && has("SERVICE_PASSWORD"))
    ? open
    : [...open, "SERVICE_TOKEN"];
}

function setting(text: string, before: readonly string[] = []): string[] {
  if (!/^([A-Z][A-Z0-9_]*|[a-z]+\.[A-Za-z]+)=/.test(text))
    throw new InvalidArgumentError("expected NAME=value or STREAM.PART=column");
  if (/[\r\n]/.test(text)) throw new InvalidArgumentError("expected a single line");
  return [...before, text];
}

function erp(typed: string): string {
  const name = presetNamed(typed);
  if (name === undefined) throw new InvalidArgumentError(`expected one of ${presetNames.join(", ")}`);
  return name;
}

function zone(text: string): string {
  const objection = zoneObjection(text);
  if (objection !== undefined) throw new InvalidArgumentError(objection);
  return text;
}
