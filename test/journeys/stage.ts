import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "#cli";
import { Closing, readSyncFile, startDaemon, type Configuration, type Daemon } from "#daemon";
import { sleep, systemClock, type JsonObject, type RecordId } from "#model";
import { createSampleErp, DEFAULT_TOKEN, startSandbox, type SampleErp, type Sandbox } from "#sandbox";
import type { SandboxOptions, StoredRecord } from "#sandbox";
import { loadSettings, secretTexts, storeLocation } from "#settings";
import { openStore, type RecordView, type Store } from "#store";
import { openLogger, Redaction } from "#telemetry";
import { heldNote } from "../../src/pipeline/notes.ts";
import { TextSink } from "./text-sink.ts";

export interface StageOptions {
  /** Rows that the sample ERP generates; a stage that names none begins with an empty ERP. */
  readonly rows?: { customers?: number; contacts?: number; tickets?: number; orders?: number };
  /** Another sync file than the one that comes with svcsync. */
  readonly syncFile?: string;
  readonly service?: SandboxOptions;
  /** Settings beside those of every stage. An empty text takes one away. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a command ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A daemon that runs in this process, with what it logs. */
export interface Running extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly store: Store;
  readonly log: TextSink;
}

/** A service, an ERP and a folder for a store: what a story is played on. */
export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly envFile: string;
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  readonly erp: SampleErp;
  /** Starts the daemon: it polls at its interval until it is disposed. */
  start(more?: Pick<Configuration, "breaker" | "clock" | "elapsed" | "upkeepEveryMs">): Promise<Running>;
  /** Runs a command line of svcsync on this stage. */
  command(...argv: string[]): Promise<Ended>;
  /** The record as the store has it. */
  view(id: RecordId): Promise<RecordView | undefined>;
  /** Reads and answers beside whatever else uses the store. */
  store(): Promise<Store>;
  /** Adds settings to those of the stage. An empty text takes one away. */
  set(more: Readonly<Record<string, string>>): Promise<void>;
  /** Edits the sync file. */
  edit(change: (text: string) => string): Promise<void>;
}

/** Beyond what a loaded machine needs: a story that fails should say so instead of hanging. */
const PATIENCE_MS = 240_000;
const LOOK_MS = 20;

/** Sets a stage in a folder of its own, which goes with it. */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const closing = new Closing();
  try {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-journey-"));
    closing.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const sandbox = closing.use(await startSandbox(options.service));
    const counts = { customers: 0, contacts: 0, tickets: 0, orders: 0, ...options.rows };
    const erp = closing.use(createSampleErp(join(folder, "erp.sqlite"), counts));
    const dataDir = join(folder, "data");
    const syncFile = join(folder, "sync.yaml");
    const envFile = join(folder, "journey.env");
    await writeFile(syncFile, options.syncFile ?? (await shippedSyncFile()));
    await writeFile(envFile, environment({ sandbox, erp, syncFile, dataDir }, options.environment ?? {}));
    const openBeside = () => {
      const { settings, secrets } = loadSettings({ envFile, environment: {} });
      const location = storeLocation(settings, secrets);
      return openStore(location, { as: "operator", clock: systemClock, logger: silent() });
    };
    return {
      folder,
      envFile,
      dataDir,
      sandbox,
      erp,
      start: (more = {}) => start(envFile, more),
      command: (...argv) => command([...argv, "--env-file", envFile]),
      store: openBeside,
      async view(id) {
        await using store = await openBeside();
        return store.record(id);
      },
      set: (more) => appendFile(envFile, lines(more)),
      edit: async (change) => writeFile(syncFile, change(await readFile(syncFile, "utf8"))),
      [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** The sync file that maps the sample ERP. */
export function shippedSyncFile(): Promise<string> {
  return readFile(fileURLToPath(new URL("../../config/svcsync.yaml", import.meta.url)), "utf8");
}

/** Looks until there is something to see, and gives it back. */
export async function until<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
): Promise<Exclude<Seen, undefined | null | false>> {
  const startedAt = Date.now();
  for (;;) {
    const seen = await look();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the three values are just excluded
    if (seen !== undefined && seen !== null && seen !== false) return seen as Exclude<Seen, undefined | null | false>;
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`waited in vain until ${what}`);
    await sleep(LOOK_MS);
  }
}

/** Resolves once the stream is held because the service has records of unknown origin: a person must decide. */
export async function untilHeld(store: Store, stream: string): Promise<void> {
  await until(`${stream} is held`, async () => {
    const hold = await store.note(heldNote(stream));
    return hold?.reason.includes("that svcsync does not know") ?? false;
  });
}

/** Resolves once these records are in this state. */
export async function untilState(store: Store, state: RecordView["state"], ...ids: RecordId[]): Promise<RecordView[]> {
  const views: RecordView[] = [];
  for (const id of ids)
    views.push(
      await until(`${id.stream}/${id.key} is ${state}`, async () => {
        const view = await store.record(id);
        return view?.state === state && view;
      }),
    );
  return views;
}

/** What was sent to change or make records of a resource, oldest first. */
export function sent(sandbox: Sandbox, resource: string, action: "create" | "edit"): JsonObject[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service refuses bodies that are no objects
  return sandbox.ledger.writes({ resource, action }).map((write) => write.sent as JsonObject);
}

/** Requests that write: what counts when nothing should. */
export function writeRequests({ ledger }: Sandbox): number {
  return ledger.count({ method: "POST" }) + ledger.count({ method: "PUT" }) + ledger.count({ method: "DELETE" });
}

/** One text of each record of a resource, sorted: natural keys beside those of the ERP. */
export function texts(sandbox: Sandbox, resource: string, field: string): string[] {
  const found = sandbox.records(resource).map((record) => record[field]);
  return found.filter((text) => typeof text === "string").toSorted(byText);
}

/** Texts as code points order them. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The record of a resource with this value; there must be exactly one. */
export function only(sandbox: Sandbox, resource: string, field: string, value: string | number): StoredRecord {
  const found = sandbox.records(resource).filter((record) => record[field] === value);
  if (found.length !== 1) throw new Error(`${found.length} records of ${resource} have ${field} ${value}`);
  return found[0]!;
}

/** Everything short, so that seconds hold what else takes minutes. */
function environment(
  { sandbox, erp, syncFile, dataDir }: { sandbox: Sandbox; erp: SampleErp; syncFile: string; dataDir: string },
  more: Readonly<Record<string, string>>,
): string {
  const values: Record<string, string> = {
    SERVICE_URL: sandbox.url,
    SERVICE_TOKEN: DEFAULT_TOKEN,
    ERP_URL: `sqlite:${erp.path}`,
    SYNC_FILE: syncFile,
    DATA_DIR: dataDir,
    POLL_INTERVAL_SECONDS: "0.1",
    SWEEP_INTERVAL_SECONDS: "1",
    RETRY_BASE_SECONDS: "0.1",
    RETRY_MAX_SECONDS: "1",
    SETTLE_LAG_SECONDS: "1",
    HEALTH_PORT: "0",
    LOG_LEVEL: "debug",
    LOG_FORMAT: "json",
    ...more,
  };
  return lines(values);
}

function lines(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

async function start(
  envFile: string,
  more: Pick<Configuration, "breaker" | "clock" | "elapsed" | "upkeepEveryMs">,
): Promise<Running> {
  const { settings, secrets } = loadSettings({ envFile, environment: {} });
  const log = new TextSink();
  const syncFile = await readSyncFile(settings.syncFile, settings.environment);
  const redaction = new Redaction([...secretTexts(secrets), ...syncFile.secrets]);
  const logger = openLogger({ ...settings.log, secrets: redaction, destination: log });
  const daemon = await startDaemon(
    { settings, secrets, syncFile, logger, redaction, ...more },
    { polls: "scheduled", web: true },
  );
  return { daemon, store: daemon.parts.store, log, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

async function command(argv: readonly string[]): Promise<Ended> {
  const stdout = new TextSink();
  const stderr = new TextSink();
  const { signal } = new AbortController();
  const code = await runCommand(argv, { stdout, stderr, isTerminal: false, signal });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

function silent() {
  return openLogger({ level: "error", format: "json", secrets: [], destination: new TextSink() });
}
