import { systemClock } from "#model";
import { Closing, openParts, readSyncFile, type Configuration, type Parts } from "#daemon";
import { loadLocalSettings, loadSettings, secretTexts, type LocalSettings, type Secrets } from "#settings";
import { openStore, type Store } from "#store";
import type { SyncFile } from "#mapping";
import { openLogger, type Logger } from "#telemetry";
import type { Io } from "./io.ts";

export interface GlobalOptions {
  readonly envFile?: string;
}

function environmentOptions({ envFile }: GlobalOptions) {
  return envFile === undefined ? {} : { envFile };
}

/** What the daemon's own commands need: settings with the service, the sync file, the log (on standard output unless told). */
export async function readConfiguration(
  options: GlobalOptions,
  destination?: NodeJS.WritableStream,
): Promise<Configuration> {
  const { settings, secrets } = loadSettings(environmentOptions(options));
  const syncFile = await readSyncFile(settings.syncFile, settings.environment);
  const logger = openLogger({ ...settings.log, secrets: secretTexts(secrets, settings.environment), destination });
  return { settings, secrets, syncFile, logger };
}

export interface StoreContext extends AsyncDisposable {
  readonly settings: LocalSettings;
  readonly secrets: Secrets;
  readonly syncFile: SyncFile;
  readonly store: Store;
}

/** For commands that look into the store, beside a running daemon or without one; warnings go to stderr. */
export async function openStoreContext(options: GlobalOptions, io: Io): Promise<StoreContext> {
  const { settings, secrets } = loadLocalSettings(environmentOptions(options));
  const syncFile = await readSyncFile(settings.syncFile, settings.environment);
  const logger = operatorLogger(settings, secrets, io);
  const store = await openStore(settings.dataDir, { as: "operator", clock: systemClock, logger });
  return { settings, secrets, syncFile, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

export interface PartsContext extends AsyncDisposable {
  readonly configuration: Configuration;
  readonly parts: Parts;
}

/** For commands that also talk to the service or the ERP. */
export async function openPartsContext(
  options: GlobalOptions,
  io: Io,
  as: "daemon" | "operator" = "operator",
): Promise<PartsContext> {
  const { settings, secrets } = loadSettings(environmentOptions(options));
  const syncFile = await readSyncFile(settings.syncFile, settings.environment);
  const configuration = { settings, secrets, syncFile, logger: operatorLogger(settings, secrets, io) };
  const closing = new Closing();
  try {
    const parts = await openParts(configuration, as, closing);
    return { configuration, parts, [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose]() };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Commands print their answer on stdout; what the parts have to say goes to stderr, if it matters. */
function operatorLogger(settings: LocalSettings, secrets: Secrets, io: Io): Logger {
  return openLogger({
    level: "warn",
    format: settings.log.format,
    secrets: secretTexts(secrets, settings.environment),
    destination: io.stderr,
  });
}
