import { access, constants, mkdir } from "node:fs/promises";
import { errorFacts, systemClock, type Finding } from "#model";
import { Closing, openSources, queueLocation, readSyncFile, version, type Sources } from "#daemon";
import { openQueue } from "#queue";
import { openService } from "#service";
import { loadSettings, secretTexts, type Secrets, type Settings } from "#settings";
import { openStore } from "#store";
import type { Stream, SyncFile } from "#mapping";
import { openLogger, type Logger } from "#telemetry";
import { checkNames } from "./check-names.ts";
import type { GlobalOptions } from "./command-context.ts";
import { exitCode, type Io } from "./io.ts";
import { nextChanges } from "./next-changes.ts";
import { linesToSet } from "./lines-to-set.ts";

export interface CheckOptions extends GlobalOptions {
  /** Probe the tenant's dialect too. */
  readonly service?: boolean;
  readonly json?: boolean;
}

/** What each part's failure usually wants, by error code or by part. */
const remedies: Record<string, string> = {
  E_LIST_UNSTABLE: '"svcsync check --service" finds out which DIALECT settings hold.',
  E_SERVICE_ANSWER: '"svcsync check --service" finds out which DIALECT settings hold.',
  E_RESOURCE_UNKNOWN: '"svcsync check --service" finds out which DIALECT settings hold.',
  E_SERVICE_LOGIN: "Check SERVICE_TOKEN, or SERVICE_USERNAME and SERVICE_PASSWORD.",
  service: "Check SERVICE_URL, the network and a proxy between.",
  queue: "Check QUEUE_URL; without it svcsync starts its own Redis.",
  store: "DATA_DIR must be a folder that this user may write to.",
  mapping: 'Correct the field in the sync file; "svcsync peek" shows rows as they are read and mapped.',
  erp: "Check the source's settings in the sync file and that the ERP can be reached from here.",
};

/** `svcsync check`: is everything that a run needs there, and what to do where it is not. Writes nothing to any system. */
export async function check(options: CheckOptions, io: Io): Promise<number> {
  const { settings, secrets } = loadSettings(options.envFile === undefined ? {} : { envFile: options.envFile });
  const syncFile = await readSyncFile(settings.syncFile, settings.environment);
  const logger = openLogger({
    level: "error",
    format: settings.log.format,
    secrets: secretTexts(secrets, settings.environment),
    destination: io.stderr,
  });
  const findings: Finding[] = [
    { subject: "settings", verdict: "ok", message: "the environment is complete" },
    {
      subject: "sync file",
      verdict: "ok",
      message: `${settings.syncFile} maps ${syncFile.streams.map(({ name }) => name).join(", ")}`,
    },
  ];
  findings.push(...(await checkStore(settings, logger)));
  findings.push(...(await checkSources(syncFile, logger, io.signal)));
  findings.push(...(await checkQueue(settings, secrets, logger)));
  findings.push(...(await checkService(settings, secrets, syncFile, logger, options.service ?? false, io.signal)));
  io.stdout.write(options.json ? `${JSON.stringify({ findings })}\n` : asText(findings));
  return findings.some(({ verdict }) => verdict === "problem") ? exitCode.needsPerson : exitCode.ok;
}

async function checkStore(settings: Settings, logger: Logger): Promise<Finding[]> {
  return attempt("store", async () => {
    await mkdir(settings.dataDir, { recursive: true });
    await access(settings.dataDir, constants.W_OK);
    await using store = await openStore(settings.dataDir, { as: "operator", clock: systemClock, logger });
    await store.check();
    return [{ subject: "store", verdict: "ok", message: `${settings.dataDir} can be written` }];
  });
}

async function checkSources(syncFile: SyncFile, logger: Logger, signal: AbortSignal): Promise<Finding[]> {
  return attempt("erp", async () => {
    await using sources = await openSources(syncFile, { clock: systemClock, logger });
    const findings: Finding[] = [];
    for (const [name, source] of sources.sources)
      findings.push(...within(`source ${name}`, name, await attempt("erp", () => source.check(signal), name)));
    // A source that does not answer would say so again for each of its streams.
    if (findings.some(({ verdict }) => verdict === "problem")) return findings;
    for (const [name, stream] of sources.streams)
      findings.push(...within(`stream ${name}`, name, await attempt("erp", () => stream.check(signal), name)));
    if (findings.some(({ verdict }) => verdict === "problem")) return findings;
    for (const stream of syncFile.streams)
      findings.push(
        ...(await attempt("mapping", () => checkMapping(stream, sources, signal), `stream ${stream.name}`)),
      );
    return findings;
  });
}

/** An adapter names what it looked at (a table, a column, a clock): said with the stream or source that it belongs to. */
function within(place: string, name: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    const rest = finding.subject.replace(place, "").replace(new RegExp(`^${name}(: |$)`), "");
    return { ...finding, subject: rest === "" ? place : `${place}, ${rest}` };
  });
}

/** Maps one row of the ERP: a column that the sync file misspells shows here. */
async function checkMapping(stream: Stream, sources: Sources, signal: AbortSignal): Promise<Finding[]> {
  const source = sources.streams.get(stream.name)!;
  const changes = await nextChanges(source, null, 1, signal);
  for (const change of changes) {
    if (change.kind === "delete") continue;
    await stream.map(change.row, false);
    return [{ subject: `stream ${stream.name}`, verdict: "ok", message: `${change.key} can be mapped` }];
  }
  return [{ subject: `stream ${stream.name}`, verdict: "ok", message: "the ERP shows no row to try the mapping on" }];
}

async function checkQueue(settings: Settings, secrets: Secrets, logger: Logger): Promise<Finding[]> {
  return attempt("queue", async () => {
    await using queue = await openQueue(queueLocation(settings, secrets), { clock: systemClock, logger });
    await queue.ping();
    const where = settings.queue.kind === "private" ? "its own Redis can be started" : `${settings.queue.kind} answers`;
    return [{ subject: "queue", verdict: "ok", message: where }];
  });
}

async function checkService(
  settings: Settings,
  secrets: Secrets,
  syncFile: SyncFile,
  logger: Logger,
  isProbe: boolean,
  signal: AbortSignal,
): Promise<Finding[]> {
  const cache = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
  return attempt("service", async () => {
    const closing = new Closing();
    const service = closing.use(
      openService(settings.service, secrets, { clock: systemClock, logger, referenceCache: cache, version }),
    );
    try {
      await service.ping(signal);
      const ok: Finding = { subject: "service", verdict: "ok", message: `${settings.service.url} lets svcsync in` };
      const resources = [...new Set(syncFile.streams.map(({ resource }) => resource))];
      const probed = isProbe ? await service.probe(resources, signal) : [];
      // A dialect that does not fit fails here too: what the probe found of it must be told all the same.
      const names = await attempt("service", () => checkNames(syncFile.streams, service, signal), "names");
      return [ok, ...probed, ...names];
    } finally {
      await closing[Symbol.asyncDispose]();
    }
  });
}

async function attempt(
  part: "store" | "erp" | "mapping" | "queue" | "service",
  look: () => Promise<Finding[]>,
  subject: string = part,
): Promise<Finding[]> {
  try {
    return await look();
  } catch (thrown) {
    const { code, message } = errorFacts(thrown);
    const remedy = remedies[code] ?? remedies[part]!;
    return [{ subject, verdict: "problem", message: `${message} (${code})`, remedy }];
  }
}

const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" } as const;

function asText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ subject, verdict, message, remedy }) => [
    `${marks[verdict]}  ${subject}: ${message}`,
    ...(remedy === undefined || verdict === "ok" ? [] : [`         -> ${remedy}`]),
  ]);
  const settings = linesToSet(findings);
  if (settings.length > 0)
    lines.push("", "To set in the environment, then check again:", ...settings.map((line) => `  ${line}`));
  return `${lines.join("\n")}\n`;
}
