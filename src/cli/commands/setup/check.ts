import type { Finding } from "#model";
import { loadSettings } from "#settings";
import { openLogger } from "#telemetry";
import { orStopped, type CheckedParts } from "../../check/attempt.ts";
import { checkQueue } from "../../check/check-queue.ts";
import { checkService } from "../../check/check-service.ts";
import { checkErp } from "../../check/check-erp.ts";
import { checkStore } from "../../check/check-store.ts";
import { environmentFindings, findingsText, syncFileFindings } from "../../check/findings-text.ts";
import { notCheckedOffline, offlineFindings } from "../../check/offline.ts";
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
  const looks = [checkStore, checkErp, ...(options.writesNothing ? [] : [checkQueue]), checkService];
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
