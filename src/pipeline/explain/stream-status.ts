import {
  counted,
  errorText,
  recordLabel,
  type Clock,
  type RecordState,
  type ResourceName,
  type StreamName,
} from "#model";
import type { Stream } from "#mapping";
import type { PollState, IntakeStore, NoteStore, OperatorStore, RecordStore, ScheduleStore } from "#store";
import { arrivalsNote, arrivalTimes, type ArrivalTimes } from "../arrival-times.ts";
import { heldBy } from "../holds/stream-holds.ts";
import type { Held, HoldStore } from "../holds/hold.ts";
import { heldDeletions, type HeldDeletions } from "../holds/delete-guard.ts";
import { refusedError, refusedFiles, refusedSentences, type RefusedFile } from "../refused-files.ts";
import { droppedNote, keylessNote, refusedDeletionsNote, twinsNote, type Twin } from "../notes.ts";
import { blockedRecords, blockedSentence } from "./blocked-parents.ts";

/** The state of a stream, for `status`, the page and the metrics. */
export interface StreamStatus {
  readonly name: StreamName;
  readonly source: string;
  readonly resource: ResourceName;
  /**
   * `loading` until the first poll has reached its end, `held` while a person must decide, `paused` while a pause or another hold
   * lasts that ends without a person, `failing` while polls fail or a refused file is not settled.
   */
  readonly state: "loading" | "following" | "failing" | "held" | "paused";
  /** `error` is why the last poll failed, or else the first refused file. */
  readonly cursor: PollState;
  /** Milliseconds since a poll last reached the end of its window. */
  readonly lagMs: number | undefined;
  /** Milliseconds since the oldest change that is still to be delivered was first seen; undefined if all that is due is delivered. */
  readonly undeliveredMs?: number | undefined;
  /** How long changes of the last 24 hours took from the ERP to the service; undefined if none was written. */
  readonly arrival?: ArrivalTimes | undefined;
  readonly counts: Readonly<Partial<Record<RecordState, number>>>;
  /** Why nothing of this stream is delivered, and what ends it. Empty while nothing holds it. */
  readonly holds: readonly Held[];
  /** How many deletions wait for a person; 0 while the guard allows them. */
  readonly deletionsHeld: number;
  /** Why the ERP does not show its list of deletions, so that only sweeps find them; absent while it does. */
  readonly deletionsRefused?: string | undefined;
  /** Records that wait for a parent that will not arrive, counted among the first waiting records only. */
  readonly blocked: number;
  /** Records that may exist twice in the service. */
  readonly twins: readonly Twin[];
  /** Files of the stream whose rows are missing, until they are settled. */
  readonly refusedFiles?: readonly RefusedFile[];
  /** What a person should know or do, one sentence each: failed polls, held deletions, fields the service drops. */
  readonly attention: readonly string[];
}

type StatusStore = IntakeStore &
  RecordStore &
  OperatorStore &
  NoteStore &
  HoldStore &
  Pick<ScheduleStore, "undeliveredSince">;

/**
 * Returns the status of each stream. Reads only the store, so the result is right with and without a running daemon. `counted`
 * limits the counts to some states, for callers that ask often: counting all states takes 0.1 s per million records.
 */
export async function streamStatus(
  store: StatusStore,
  streams: readonly Stream[],
  clock: Clock,
  counted?: readonly RecordState[],
): Promise<StreamStatus[]> {
  const counts = await store.counts(counted);
  return Promise.all(streams.map((stream) => oneStatus(store, stream, counts.get(stream.name) ?? {}, clock.now())));
}

/** Number of a stream's records that wait for a person. */
export function needsPersonCount({ counts }: Pick<StreamStatus, "counts">): number {
  return (counts.parked ?? 0) + (counts.uncertain ?? 0);
}

async function oneStatus(
  store: StatusStore,
  stream: Stream,
  counts: StreamStatus["counts"],
  now: number,
): Promise<StreamStatus> {
  const { fingerprint: _fingerprint, adoption: _adoption, ...cursor } = await store.stream(stream.name);
  const holds = await heldBy(store, stream.name, now);
  const undeliveredAt = await store.undeliveredSince(stream.name);
  const { firstLoad, completedAt } = cursor;
  const refused = await refusedFiles(store, stream.name);
  const error = cursor.error ?? refusedError(refused);
  const attention = obstacleTexts(stream.name, { holds, refused, error: cursor.error });
  const blocked = (counts.waiting ?? 0) > 0 ? await blockedRecords(store, stream.name) : undefined;
  if (blocked) attention.push(blockedSentence(blocked));
  for (const { place, reason } of (await store.note(keylessNote(stream.name))) ?? [])
    attention.push(`rows are left out, and the stream deletes nothing: ${place}: ${reason}`);
  const deletions = await heldDeletions(store, stream.name);
  const twins = (await store.note(twinsNote(stream.name))) ?? [];
  attention.push(...twins.map(twinSentence));
  if (deletions) attention.push(deletionSentence(stream.name, deletions));
  const deletionsRefused = await store.note(refusedDeletionsNote(stream.name));
  if (deletionsRefused !== undefined) attention.push(refusedDeletionsSentence(deletionsRefused));
  attention.push(...(await droppedFields(store, stream)));
  return {
    name: stream.name,
    source: stream.source,
    resource: stream.resource,
    state: stateOf(holds) ?? (error ? "failing" : firstLoad ? "loading" : "following"),
    cursor: { ...cursor, error },
    refusedFiles: refused,
    lagMs: completedAt === undefined ? undefined : Math.max(0, now - completedAt),
    arrival: arrivalTimes((await store.note(arrivalsNote(stream.name))) ?? [], now),
    undeliveredMs: undeliveredAt === undefined ? undefined : Math.max(0, now - undeliveredAt),
    counts,
    holds,
    deletionsHeld: deletions?.count ?? 0,
    deletionsRefused,
    blocked: blocked?.count ?? 0,
    twins,
    attention,
  };
}

/** Returns what keeps the stream's changes from the service, one sentence each: its holds, failing polls and refused files. */
export async function streamObstacles(
  store: HoldStore & Pick<IntakeStore, "stream">,
  stream: StreamName,
  now: number,
): Promise<string[]> {
  const { error } = await store.stream(stream);
  const [holds, refused] = await Promise.all([heldBy(store, stream, now), refusedFiles(store, stream)]);
  return obstacleTexts(stream, { holds, refused, error });
}

interface Obstacles {
  readonly holds: readonly Held[];
  readonly refused: readonly RefusedFile[];
  readonly error: PollState["error"];
}

function obstacleTexts(stream: StreamName, { holds, refused, error }: Obstacles): string[] {
  const held = holds.map(({ reason, remedy }) => `${reason}; ${remedy}`);
  const failed = error === undefined ? [] : [`polls fail: ${errorText(error)}`];
  return [...held, ...failed, ...refusedSentences(stream, refused)];
}

function stateOf(holds: readonly Held[]): "held" | "paused" | undefined {
  if (holds.some(({ needsPerson }) => needsPerson)) return "held";
  return holds.length > 0 ? "paused" : undefined;
}

function deletionSentence(stream: StreamName, { count, isEmptied }: HeldDeletions): string {
  const remedy = `"svcsync deletions ${stream}" shows them, and how to confirm them`;
  if (isEmptied) return `the ERP returned none of ${count.toLocaleString("en")} known records; ${remedy}`;
  return `missing in the ERP or marked as deleted: ${counted(count, "record")}, more than the deletion guard allows; ${remedy}`;
}

export function refusedDeletionsSentence(answer: string): string {
  return `the ERP does not show its list of deletions, so only sweeps find them, later: ${answer} (E_SOURCE_FORBIDDEN)`;
}

export function twinSentence({ stream, key, resource, serviceId, twin }: Twin): string {
  return (
    `${recordLabel({ stream, key })} may be twice in the service (E_TWIN): ${resource} ${serviceId} is kept up to date, ` +
    `and ${twin} has the same natural key; delete ${twin} there, or give it another key`
  );
}

async function droppedFields(store: NoteStore, stream: Stream): Promise<string[]> {
  const dropped: string[] = [];
  for (const field of stream.ownedFields)
    if ((await store.note(droppedNote(stream.name, field))) !== undefined) dropped.push(field);
  return dropped.length === 0
    ? []
    : [`the service answers 200 to ${dropped.join(", ")} but does not keep it as it was sent`];
}
