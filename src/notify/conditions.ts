import { DAY_MS, counted, recordLabel, grouped } from "#model";
import { roughDuration, knownRemedyOf, remedyOf, type BlockedPolicy, type ReturnStatus } from "#operator";
import { refusalText, refusedDeletionsSentence, twinSentence, type StreamStatus } from "#pipeline";
import type { ServiceState } from "#service";
import type { ChannelState } from "#store";
import { careConditions, type CareFacts } from "./care-conditions.ts";
import { causeConditions, type CauseFacts } from "./cause-conditions.ts";
import { failingCondition, PERSON_MS, type Condition } from "./condition.ts";
import { returnConditions } from "./return-conditions.ts";

/** A credential or certificate with a known end. */
export interface Expiry {
  /** Its name for people: `the certificate of erp.example.com`. */
  readonly name: string;
  readonly at: number;
}

/** Current facts, read from the same places as `status` and the page. */
export interface NoticeFacts extends CareFacts, CauseFacts {
  readonly now: number;
  readonly streams: readonly StreamStatus[];
  /** The lane back to the ERP. */
  readonly returns: readonly ReturnStatus[];
  readonly blockedRecords: BlockedPolicy;
  readonly service: Pick<ServiceState, "state">;
  /** Whether the queue answers. */
  readonly isQueueThere: boolean;
  readonly disk: { readonly path: string; readonly freeBytes: number } | undefined;
  readonly expiries: readonly Expiry[];
  /** Streams without any change for longer than expected. */
  readonly silent: readonly { readonly stream: string; readonly lastAt: number; readonly expectedMs: number }[];
  readonly channels: readonly ChannelState[];
}

export interface ConditionPolicy {
  /** How long a retried operation must fail before it is reported, in milliseconds. */
  readonly afterMs: number;
  /** Free space below this is reported; 0: never. */
  readonly diskFreeBytes: number;
}

const EXPIRES_SOON_MS = 21 * DAY_MS;
const EXPIRES_NOW_MS = 3 * DAY_MS;
/** After how many failed attempts of a channel the other channels report it. */
const CHANNEL_ATTEMPTS = 3;
/** How many refused files a message names. */
const FILES_NAMED = 5;
const MEGABYTE = 1024 * 1024;

/** All conditions that people may have to know about now. */
export function conditionsOf(facts: NoticeFacts, policy: ConditionPolicy): Condition[] {
  return [
    ...failing(facts.streams, policy),
    ...facts.streams.flatMap((stream) => refused(stream)),
    ...facts.streams.flatMap((stream) => refusedDeletions(stream)),
    ...facts.streams.flatMap((stream) => guarded(stream)),
    ...facts.streams.flatMap(twins),
    ...causeConditions(facts),
    ...returnConditions(facts.returns, policy.afterMs),
    ...blocked(facts),
    ...facts.silent.map((each) => silence(each, facts.now)),
    ...connections(facts, policy),
    ...disk(facts, policy),
    ...facts.expiries.flatMap((each) => expiry(each, facts.now)),
    ...facts.channels.flatMap(channel),
    ...careConditions(facts),
  ];
}

/** Combines the streams of a source that fail with the same error into one condition. */
function failing(streams: readonly StreamStatus[], { afterMs }: ConditionPolicy): Condition[] {
  const failed = streams.flatMap(({ name, source, cursor: { error }, refusedFiles = [] }) =>
    error && !refusedFiles.some(({ code }) => code === error.code) ? [{ name, source, error }] : [],
  );
  return [...Map.groupBy(failed, ({ source, error }) => `failing/${source}/${error.code}`)].map(([id, alike]) => {
    const { source, error } = alike[0]!;
    const names = alike.map(({ name }) => name);
    const title = `${source}: the polls of ${names.length === 1 ? names[0] : `${names.length} streams`} fail`;
    return failingCondition({ id, title, error, streams: names }, afterMs);
  });
}

function refused({ name, refusedFiles = [] }: StreamStatus): Condition[] {
  const [first] = refusedFiles;
  if (first === undefined) return [];
  const count = refusedFiles.length;
  return [
    {
      id: `refused/${name}`,
      kind: "failing",
      severity: "problem",
      title: `${name}: rows of ${counted(count, "file")} are missing`,
      cause: refusedFiles.slice(0, FILES_NAMED).map(refusalText).join("; "),
      affected: name,
      remedy: remedyOf(first, { stream: name }),
      count,
      patienceMs: PERSON_MS,
    },
  ];
}

/** Deletions are found all the same, by sweeps: so the state of the stream is not "failing". */
function refusedDeletions({ name, deletionsRefused }: StreamStatus): Condition[] {
  if (deletionsRefused === undefined) return [];
  return [
    {
      id: `refused-deletions/${name}`,
      kind: "deletions",
      severity: "warning",
      title: `${name}: the ERP does not show its list of deletions`,
      cause: refusedDeletionsSentence(deletionsRefused),
      affected: name,
      remedy: remedyOf({ code: "E_SOURCE_FORBIDDEN" }, { stream: name }),
      patienceMs: PERSON_MS,
    },
  ];
}

/** A hold that ends without a person is only a note, because a person set it. */
function guarded({ name, holds, deletionsHeld }: StreamStatus): Condition[] {
  const common = { affected: name, patienceMs: PERSON_MS } as const;
  const conditions: Condition[] = holds.map(({ kind, reason, remedy, needsPerson, records }) => ({
    ...common,
    id: `held/${name}/${kind}`,
    kind: "held",
    severity: needsPerson ? "problem" : "note",
    title:
      records === undefined
        ? `${name} is held: nothing of it is delivered`
        : `${name}: the mass-change guard holds ${counted(records, "record")}`,
    cause: reason,
    remedy,
  }));
  if (deletionsHeld > 0)
    conditions.push({
      ...common,
      id: `deletions/${name}`,
      kind: "deletions",
      severity: "problem",
      title: `${name}: the deletion guard holds ${counted(deletionsHeld, "deletion")}`,
      cause: "more records are missing in the ERP than the deletion guard allows (E_DELETION_HELD)",
      remedy: remedyOf({ code: "E_DELETION_HELD" }, { stream: name }),
      count: deletionsHeld,
    });
  return conditions;
}

function blocked({ streams, blockedRecords }: NoticeFacts): Condition[] {
  if (blockedRecords !== "problem") return [];
  return streams
    .filter((stream) => stream.blocked > 0)
    .map(({ name, blocked: count }) => ({
      id: `blocked/${name}`,
      kind: "blocked",
      severity: "problem",
      title: `${name}: ${counted(count, "record")} waiting for a parent that will not come`,
      affected: name,
      remedy: remedyOf({ code: "E_PARENT_MISSING" }, { stream: name }),
      count,
      patienceMs: PERSON_MS,
    }));
}

function twins({ name, twins: found }: StreamStatus): Condition[] {
  const [first] = found;
  if (first === undefined) return [];
  return [
    {
      id: `twin/${name}`,
      kind: "twin",
      severity: "problem",
      title: `${name}: ${counted(found.length, "record")} may be twice in the service`,
      cause: found.map(twinSentence).join("; "),
      affected: found.map(recordLabel).join(", "),
      remedy: remedyOf({ code: "E_TWIN" }, first),
      count: found.length,
      patienceMs: 0,
    },
  ];
}

function silence({ stream, lastAt, expectedMs }: NoticeFacts["silent"][number], now: number): Condition {
  return {
    id: `silence/${stream}`,
    kind: "silence",
    severity: "warning",
    title: `${stream}: no change from the ERP for ${roughDuration(now - lastAt)}`,
    cause: `polls succeed, but a change was expected within ${roughDuration(expectedMs)}`,
    affected: stream,
    remedy: `Change a record in the ERP and see whether "svcsync peek ${stream}" shows it. NOTIFY_SILENCE sets another limit.`,
    patienceMs: 0,
  };
}

function connections({ service, isQueueThere }: NoticeFacts, { afterMs }: ConditionPolicy): Condition[] {
  const found: Condition[] = [];
  if (service.state !== "closed")
    found.push({
      id: "service",
      kind: "service",
      severity: "warning",
      title: "the service is failing",
      cause: "requests in a row failed or got no answer; only probes are sent (E_SERVICE_DOWN)",
      affected: "deliveries of all streams wait; nothing is lost",
      remedy: remedyOf({ code: "E_SERVICE_DOWN" }, { stream: "STREAM" }),
      patienceMs: afterMs,
    });
  if (!isQueueThere)
    found.push({
      id: "queue",
      kind: "queue",
      severity: "warning",
      title: "the queue does not answer",
      affected: "polls and deliveries of all streams wait; nothing is lost",
      remedy: remedyOf({ code: "E_QUEUE_UNREACHABLE" }, { stream: "STREAM" }),
      patienceMs: afterMs,
    });
  return found;
}

function disk({ disk: found }: NoticeFacts, { diskFreeBytes }: ConditionPolicy): Condition[] {
  if (found === undefined || diskFreeBytes === 0 || found.freeBytes >= diskFreeBytes) return [];
  return [
    {
      id: "disk",
      kind: "disk",
      severity: "problem",
      title: "the disk of the store is filling up",
      cause: `less than ${megabytes(diskFreeBytes)} are free`,
      affected: found.path,
      remedy:
        "Free space or enlarge the volume of DATA_DIR. svcsync stops when it is full (E_STORE_FULL); nothing is lost.",
      patienceMs: 0,
    },
  ];
}

function expiry({ name, at }: Expiry, now: number): Condition[] {
  if (at - now > EXPIRES_SOON_MS) return [];
  const day = new Date(at).toISOString().slice(0, 10);
  return [
    {
      id: `credential/${name}`,
      kind: "credential",
      severity: at - now <= EXPIRES_NOW_MS ? "problem" : "warning",
      title: at <= now ? `${name} has expired` : `${name} expires on ${day}`,
      affected: name,
      remedy: "Renew it in time; afterwards everything that uses it fails.",
      patienceMs: 0,
    },
  ];
}

function channel({ name, failure }: ChannelState): Condition[] {
  if (failure === undefined || failure.attempts < CHANNEL_ATTEMPTS) return [];
  return [
    {
      id: `channel/${name}`,
      kind: "channel",
      severity: "warning",
      title: `messages by ${name} are not delivered`,
      cause: failure.message,
      affected: `${name}: its messages wait and are sent later`,
      remedy: knownRemedyOf(failure.code) ?? 'Correct what the cause names, then run "svcsync notify --test".',
      patienceMs: 0,
    },
  ];
}

function megabytes(bytes: number): string {
  return `${grouped(Math.round(bytes / MEGABYTE))} MB`;
}
