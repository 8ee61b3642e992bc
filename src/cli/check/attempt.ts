import { codeOf, errorFacts, errorText, messageOf, sleep, whenAborted, type Finding, type StreamName } from "#model";
import { knownRemedyOf } from "#operator";
import type { Configuration } from "#daemon";
import type { Interview } from "../interview.ts";
import type { StreamSample } from "./sample.ts";

/** What the checks share. */
export interface CheckedParts extends Pick<Configuration, "settings" | "secrets" | "syncFile" | "logger"> {
  /** The mapped first rows of the streams, filled once the sources were checked. */
  readonly samples: Map<StreamName, StreamSample>;
  /** Where a person is there to change records. */
  readonly interview: Interview | undefined;
  readonly as: "operator" | "reader";
  readonly signal: AbortSignal;
}

/** What usually fixes the failure of a part, where its error code has no remedy. */
const partRemedies = {
  service: "Check SERVICE_URL, the network and any proxy in between.",
  queue: "Check QUEUE_URL; without it svcsync runs its own queue.",
  store: "DATA_DIR must be a folder that this user may write to.",
  mapping: 'Correct the field in the sync file; "svcsync peek" shows rows as they are read and mapped.',
  erp: "Check the source's settings in the sync file and that the ERP can be reached from here.",
} as const;

/** The system's and SQLite's codes for a disk, or a quota, that is full. */
const fullDisk = /^(ENOSPC|EDQUOT|SQLITE_FULL)$/;

/**
 * Runs one look; a failure becomes a finding.
 * @throws the abort reason once `signal` is aborted: what was interrupted then is no finding.
 */
export async function attempt(
  part: keyof typeof partRemedies,
  look: () => Promise<Finding[]>,
  signal: AbortSignal,
  subject: string = part,
): Promise<Finding[]> {
  try {
    return await look();
  } catch (thrown) {
    signal.throwIfAborted();
    if (fullDisk.test(codeOf(thrown) ?? "")) {
      const message = `the disk is full: ${messageOf(thrown)}`;
      return [{ subject, verdict: "problem", message, remedy: "Free space on that disk, then check again." }];
    }
    const error = errorFacts(thrown);
    const remedy = part === "mapping" ? partRemedies.mapping : (knownRemedyOf(error.code) ?? partRemedies[part]);
    return [{ subject, verdict: "problem", message: errorText(error), remedy }];
  }
}

/** One look at each of several: the failure of one does not keep the others from being looked at. */
export async function attemptEach<T>(
  part: keyof typeof partRemedies,
  all: Iterable<T>,
  look: (each: T) => Promise<Finding[]>,
  signal: AbortSignal,
  subjectOf: (each: T) => string,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const each of all) findings.push(...(await attempt(part, () => look(each), signal, subjectOf(each))));
  return findings;
}

/** How long a part may take to stop after the signal: it closes connections and ends its own Redis. */
const GRACE_MS = 2_000;

/**
 * Resolves as `work` does, but rejects soon after `signal` is aborted, whatever the work waits for.
 * @throws the abort reason.
 */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const ended = new AbortController();
  const stopped = async (): Promise<never> => {
    await whenAborted(signal);
    await sleep(GRACE_MS, ended.signal);
    throw signal.reason;
  };
  try {
    return await Promise.race([work, stopped()]);
  } finally {
    ended.abort();
    // The rest of the work ends with the process.
    work.catch(() => undefined);
  }
}
