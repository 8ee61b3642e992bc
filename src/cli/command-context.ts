import type { Command } from "commander";
import { readSyncFile, type Configuration } from "#daemon";
import type { SyncFile } from "#mapping";
import { systemClock, type StreamName } from "#model";
import {
  loadLocalSettings,
  loadSettings,
  secretTexts,
  storeLocation,
  type LocalSettings,
  type Secrets,
} from "#settings";
import { openStore, type Store } from "#store";
import { openLogger, type Logger } from "#telemetry";
import { UsageError, type Io, type TextOutput } from "./output/io.ts";

/** Adds one command with its help, options and action. Each command's file exports its own. */
export type Registration = (cli: CommandLine) => void;

/** The command line to which a registration adds its command. */
export interface CommandLine {
  /** A command of this name in the order of registration; the description is an imperative. */
  command(name: string, description: string): Command;
  /**
   * Wraps the function that runs a command. `run` gets the arguments, the options (its own and the global ones) and the
   * outputs, and resolves to the exit code. The library passes what the registration declares, so `run` names the types.
   */
  action(run: (...given: never[]) => Promise<number>): (...given: unknown[]) => Promise<void>;
}

export interface GlobalOptions {
  readonly envFile?: string;
}

/** Options of commands whose output is for a person or a script. */
export interface JsonOptions extends GlobalOptions {
  readonly json?: boolean;
}

/**
 * Reads what the daemon's own commands need: settings with the service, and the sync file. The log goes to standard
 * output by default.
 */
export async function readConfiguration(
  options: GlobalOptions,
  io: Io,
  destination?: TextOutput,
): Promise<Configuration> {
  const { settings, secrets } = loadSettings(options);
  const syncFile = await readFiles(settings, secrets, io);
  const { redaction } = io;
  const logger = openLogger({ ...settings.log, secrets: redaction, destination });
  return { settings, secrets, syncFile, logger, redaction };
}

export interface StoreContext extends AsyncDisposable {
  readonly settings: LocalSettings;
  readonly secrets: Secrets;
  readonly syncFile: SyncFile;
  readonly store: Store;
}

/** Streams that a command line names, if any. */
export type StreamNames = readonly (StreamName | undefined)[];

/**
 * For commands that read the store, with or without a running daemon. Warnings go to stderr. As a `reader`, nothing can be written.
 * @throws {UsageError} when one of `names` is not in the sync file.
 */
export async function openStoreContext(
  options: GlobalOptions,
  io: Io,
  names: StreamNames = [],
  as: "operator" | "reader" = "operator",
): Promise<StoreContext> {
  const { settings, secrets } = loadLocalSettings(options);
  const syncFile = await readFiles(settings, secrets, io);
  expectKnown(names, syncFile);
  const store = await openLocalStore(settings, secrets, io, as);
  return { settings, secrets, syncFile, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** Opens the store that the settings name, with or without a running daemon. */
export async function openLocalStore(
  settings: LocalSettings,
  secrets: Secrets,
  io: Io,
  as: "operator" | "reader" = "operator",
): Promise<Store> {
  const logger = operatorLogger(settings, io);
  const { redact } = io.redaction;
  return openStore(storeLocation(settings, secrets), { as, clock: systemClock, logger, redact });
}

/**
 * For commands that connect to nothing and open no store: secrets and addresses may be unset, as on a machine that only
 * runs checks.
 */
export async function readOfflineContext(
  options: GlobalOptions,
  io: Io,
): Promise<{ readonly settings: LocalSettings; readonly syncFile: SyncFile }> {
  const { settings, secrets } = loadLocalSettings({ ...options, mayLackSecrets: true });
  return { settings, syncFile: await readFiles(settings, secrets, io, { mayLackVariables: true }) };
}

/** Commands print their results on stdout; log messages that matter go to stderr. */
export function operatorLogger({ log }: LocalSettings, io: Io): Logger {
  return openLogger({ level: "warn", format: log.format, secrets: io.redaction, destination: io.stderr });
}

/** Reads the sync file. From here on, nothing that is printed contains a secret of the settings or the sync file. */
export async function readFiles(
  { syncFile: path, environment }: Pick<LocalSettings, "syncFile" | "environment">,
  secrets: Secrets,
  { redaction }: Pick<Io, "redaction">,
  options: { readonly mayLackVariables?: boolean } = {},
): Promise<SyncFile> {
  redaction.hide(...secretTexts(secrets));
  const syncFile = await readSyncFile(path, environment, options);
  redaction.hide(...syncFile.secrets);
  return syncFile;
}

/**
 * Refuses streams that are not in the sync file, and lists the known ones: a misspelt name would otherwise look like a
 * healthy stream.
 * @throws {UsageError}
 */
export function expectKnown(names: StreamNames, { streams }: SyncFile): void {
  const known = streams.map(({ name }) => name);
  const unknown = names.filter((name) => name !== undefined && !known.includes(name));
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")}: no such stream; the sync file has ${known.join(", ")}.`);
}
