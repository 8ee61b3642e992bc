import { expectKnownService, KnownSources, openSources, type Configuration, type Sources } from "#daemon";
import { isLoopback, systemClock, type Finding, type StreamName } from "#model";
import { remedyOf, unlistedStreams } from "#operator";
import type { Service } from "#service";
import { loadSettings, storeLocation } from "#settings";
import { openStore } from "#store";
import { openLogger } from "#telemetry";
import { attempt, orStopped } from "../../check/attempt.ts";
import { checkFields, checkFieldNames } from "../../check/check-fields.ts";
import { environmentFindings } from "../../check/environment-findings.ts";
import { checkEdits } from "../../check/check-edits.ts";
import { checkInboxes } from "../../check/check-inboxes.ts";
import { checkView } from "../../check/check-views.ts";
import { checkMail } from "../../check/check-mail.ts";
import { findingsText, syncFileFindings } from "../../check/findings-text.ts";
import { checkQueue } from "../../check/check-queue.ts";
import { checkMapping } from "../../check/check-mapping.ts";
import { notCheckedOffline, offlineFindings } from "../../check/offline.ts";
import type { StreamSample } from "../../check/sample.ts";
import { refusedFindings } from "../../check/refused-findings.ts";
import { openUncached } from "../../check/uncached-service.ts";
import { readFiles, type JsonOptions, type Registration } from "../../command-context.ts";
import { canBeAsked, Interview } from "../../interview.ts";
import { exitCode, printJson, UsageError, type Io } from "../../output/io.ts";
import { wrapped } from "../../output/wrapped.ts";

interface CheckOptions extends JsonOptions {
  /** Probes the tenant's dialect too. */
  readonly service?: boolean;
  /** Only checks that need neither network nor store. */
  readonly offline?: boolean;
  /** Asks a person to change records in the ERP, and tells whether polls notice. */
  readonly edits?: boolean;
  /** Leaves out what marks the store or the queue. */
  readonly writesNothing?: boolean;
}

const dialectNotChecked =
  'whether the DIALECT settings fit the tenant (brand, paths, lists, paging). "svcsync check --service" reads a few records to find out.';

const writesNotChecked =
  'whether the store can be written, and the queue, because nothing may be written from here. "svcsync check" verifies both.';

const stoppedEarly = "the rest, because svcsync was told to stop. Check again.";

export const registerCheck: Registration = (cli) =>
  cli
    .command("check", "Verify settings, sync file, store, ERP, queue and service before running")
    .option(
      "--service",
      "probe the tenant, with reads and two logins, and report which dialect settings and which fence fit",
    )
    .option("--offline", "verify only settings and sync file, without secrets (for continuous integration)")
    .option("--edits", "ask you to change and delete records in the ERP, and tell whether polls notice it")
    .option("--json", "the findings as JSON")
    .action(cli.action(check));

/**
 * `svcsync check`: verifies everything that a run needs and says how to fix problems. Leaves nothing behind in any system: rows in an
 * inbox are tried out in transactions that are rolled back.
 */
export async function check(options: CheckOptions, io: Io): Promise<number> {
  if (options.offline && options.service)
    throw new UsageError("--offline and --service exclude each other: the dialect can only be read from the service.");
  const { isStopped, ...facts } = await readFindings(options, io);
  const code = report(facts, options, io);
  return isStopped ? exitCode.again : code;
}

/** What `svcsync check --json` prints, and whether it was stopped before its end. */
export async function readFindings(options: CheckOptions, io: Io): Promise<Findings> {
  using interview = options.edits ? interviewOf(options, io) : undefined;
  if (options.offline) {
    const { findings, unsetVariables } = await offlineFindings(options, io);
    return { findings, notChecked: notCheckedOffline(unsetVariables), isStopped: false };
  }
  const { settings, secrets } = loadSettings(options);
  const syncFile = await readFiles(settings, secrets, io);
  const { format } = settings.log;
  const logger = openLogger({ level: "error", format, secrets: io.redaction, destination: io.stderr });
  const { signal } = io;
  const as = options.writesNothing ? "reader" : "operator";
  const parts: CheckedParts = { settings, secrets, syncFile, logger, as, samples: new Map(), interview, signal };
  const findings: Finding[] = [
    { subject: "settings", verdict: "ok", message: "the environment is complete" },
    ...environmentFindings(options, syncFile),
    ...syncFileFindings(settings.syncFile, syncFile),
  ];
  const isProbe = options.service ?? false;
  const looks = [checkStore, checkSources, ...(options.writesNothing ? [] : [checkQueue]), checkService];
  try {
    for (const look of looks) findings.push(...(await orStopped(look(parts, isProbe), signal)));
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    return { findings, notChecked: [stoppedEarly], isStopped: true };
  }
  const notChecked = [...(options.writesNothing ? [writesNotChecked] : []), ...(isProbe ? [] : [dialectNotChecked])];
  return { findings, notChecked, isStopped: false };
}

function interviewOf({ json, offline }: CheckOptions, io: Io): Interview {
  if (json || offline || !canBeAsked(io))
    throw new UsageError("--edits asks a person: run it in a terminal, without --json and --offline.");
  return new Interview(io, io.stdin);
}

/** What the checks share. */
interface CheckedParts extends Pick<Configuration, "settings" | "secrets" | "syncFile" | "logger"> {
  /** The mapped first rows of the streams, filled once the sources were checked. */
  readonly samples: Map<StreamName, StreamSample>;
  /** Where a person is there to change records. */
  readonly interview: Interview | undefined;
  readonly as: "operator" | "reader";
  readonly signal: AbortSignal;
}

interface Findings {
  readonly findings: readonly Finding[];
  /** What was left out, one sentence each. */
  readonly notChecked: readonly string[];
  readonly isStopped: boolean;
}

function report(
  { findings, notChecked }: Pick<Findings, "findings" | "notChecked">,
  options: Pick<CheckOptions, "json">,
  io: Io,
): number {
  if (options.json) printJson(io.stdout, { findings, notChecked });
  else io.stdout.write(wrapped(findingsText(findings, notChecked), io.width));
  return findings.some(({ verdict }) => verdict === "problem") ? exitCode.needsPerson : exitCode.ok;
}

async function checkStore({ settings, secrets, syncFile, logger, as, signal }: CheckedParts): Promise<Finding[]> {
  return attempt(
    "store",
    async () => {
      const location = storeLocation(settings, secrets);
      await using store = await openStore(location, { as, clock: systemClock, logger });
      await store.check();
      await expectKnownService(store, location, settings.service, false);
      const refused = await refusedFindings(store, syncFile.streams);
      const where = typeof location === "string" ? location : `the schema ${location.schema} in PostgreSQL`;
      const unlisted = (await unlistedStreams(store, syncFile.streams)).map(({ name, message, remedy }): Finding => {
        return { subject: `stream ${name}`, verdict: "warning", message, remedy };
      });
      return [
        { subject: "store", verdict: "ok", message: `${where} can be ${as === "reader" ? "read" : "written"}` },
        ...refused,
        ...unlisted,
      ];
    },
    signal,
  );
}

/** Checks the sources and fills `samples` with the mapped first rows. */
async function checkSources(parts: CheckedParts): Promise<Finding[]> {
  const { syncFile, logger, samples, interview, signal } = parts;
  return attempt(
    "erp",
    async () => {
      await using sources = await openSources(syncFile, { clock: systemClock, logger });
      const findings: Finding[] = [];
      for (const [name, source] of sources.sources)
        findings.push(
          ...within(`source ${name}`, name, await attempt("erp", () => source.check(signal), signal, name)),
        );
      // A source that does not answer would report the same for each of its streams.
      if (findings.some(({ verdict }) => verdict === "problem")) return findings;
      for (const [name, stream] of sources.streams)
        findings.push(
          ...within(`stream ${name}`, name, await attempt("erp", () => stream.check(signal), signal, name)),
        );
      if (findings.some(({ verdict }) => verdict === "problem")) return findings;
      findings.push(...(await checkIdentities(parts, sources)));
      if (parts.as === "operator") findings.push(...(await checkInboxes(syncFile, sources, signal)));
      for (const stream of syncFile.streams) {
        const subject = `stream ${stream.name}`;
        const look = async () => [
          ...(await checkView(stream, sources, signal)),
          ...(await checkMapping(stream, sources, samples, signal)),
        ];
        findings.push(...(await attempt("mapping", look, signal, subject)));
      }
      if (interview)
        for (const stream of syncFile.streams) {
          const look = () => checkEdits(stream, sources.streams.get(stream.name)!, interview, signal);
          findings.push(...(await attempt("erp", look, signal, `stream ${stream.name}, edits`)));
        }
      return findings;
    },
    signal,
  );
}

/** Checks that each stream is read from the data that its records come from. */
async function checkIdentities(parts: CheckedParts, sources: Sources): Promise<Finding[]> {
  const { settings, secrets, syncFile, logger, as, signal } = parts;
  return attempt(
    "store",
    async () => {
      const location = storeLocation(settings, secrets);
      await using store = await openStore(location, { as, clock: systemClock, logger });
      const known = new KnownSources({ store, clock: systemClock, former: settings.polling.formerSources });
      const findings: Finding[] = [];
      for (const { name } of syncFile.streams)
        findings.push(
          ...(await attempt(
            "erp",
            async () => {
              const refused = await known.refusal(name, await sources.identity(name, signal));
              if (refused) throw refused;
              return [];
            },
            signal,
            `stream ${name}, source`,
          )),
        );
      return findings;
    },
    signal,
  );
}

/** Adapters name what they examined (a table, a column, a clock); this adds the stream or source. */
function within(place: string, name: string, findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    const rest = finding.subject.replace(place, "").replace(new RegExp(`^${name}(: |$)`), "");
    const remedy = finding.remedy ?? (finding.code && remedyOf({ code: finding.code }, { stream: name }));
    const subject = rest === "" ? place : `${place}, ${rest}`;
    return { ...finding, subject, ...(remedy === undefined ? {} : { remedy }) };
  });
}

async function checkService(
  { settings, secrets, syncFile: { streams }, samples, logger, signal }: CheckedParts,
  isProbe: boolean,
): Promise<Finding[]> {
  return attempt(
    "service",
    async () => {
      await using service = openUncached(settings.service, secrets, { logger });
      await service.ping(signal);
      const { url } = settings.service;
      const ok: Finding = { subject: "service", verdict: "ok", message: `${url} accepts the credentials` };
      const resources = [...new Set(streams.map(({ resource }) => resource))];
      const probed = isProbe ? await service.probe(resources, signal) : [];
      const fence = isProbe ? await attempt("service", () => checkFence(service), signal, "fence") : [];
      // A wrong dialect fails here too, but the findings of its probe must still be reported.
      const names = await attempt("service", () => checkFieldNames(streams, service, signal), signal, "names");
      const mail = await attempt("service", () => checkMail(streams, samples, service, signal), signal, "mail");
      const fields: Finding[] = [];
      for (const resource of resources) {
        const look = () => checkFields(resource, streams, samples, service, signal);
        fields.push(...(await attempt("service", look, signal, `fields of ${resource}`)));
      }
      return [ok, ...plainFindings(url), ...probed, ...fence, ...names, ...mail, ...fields];
    },
    signal,
  );
}

/** Checks what makes the service refuse a write that a paused daemon sends after another one took over. */
async function checkFence(service: Pick<Service, "proveFence">): Promise<Finding[]> {
  return [{ subject: "fence", verdict: "ok", message: await service.proveFence() }];
}

function plainFindings(address: string): Finding[] {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "http:" || isLoopback(hostname)) return [];
  const message = `the connection to ${hostname} is not encrypted: credentials and records can be read on the way`;
  return [{ subject: "service", verdict: "warning", message, remedy: "Write https in SERVICE_URL." }];
}
