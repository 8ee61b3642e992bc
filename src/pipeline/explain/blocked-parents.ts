import { recordLabel, recordName, type RecordId, type RecordState, type StreamName } from "#model";
import type { RecordStore } from "#store";

/** The most records that the search for a circle of waiting records visits. */
const CIRCLE_MAX = 100;

/** How many waiting records are examined: enough to see what is wrong. */
const LOOKED_AT = 200;

const wontCome: Readonly<Partial<Record<RecordState, string>>> = {
  deleted: "which the ERP deleted before the service had it",
  skipped: "which the stream's rules leave out",
  parked: "which is parked",
  uncertain: "which is uncertain",
};

/** Returns why a parent that `child` waits for will not arrive without action; undefined while it may. */
export async function permanentlyBlockedReason(
  store: Pick<RecordStore, "record">,
  child: RecordId,
  parent: RecordId,
): Promise<string | undefined> {
  const found = await store.record(parent);
  if (!found) return "which no poll has returned";
  const { state } = found;
  if (state === "waiting" && (await waitsFor(store, found.waitsFor, child))) return "which waits for it in turn";
  return wontCome[state];
}

/** Whether one of these records is `wanted` or waits for it, directly or through others. */
async function waitsFor(
  store: Pick<RecordStore, "record">,
  ids: readonly RecordId[],
  wanted: RecordId,
): Promise<boolean> {
  const next = [...ids];
  const asked = new Set<string>();
  for (let id = next.shift(); id && asked.size < CIRCLE_MAX; id = next.shift()) {
    const name = recordName(id);
    if (name === recordName(wanted)) return true;
    if (asked.has(name)) continue;
    asked.add(name);
    next.push(...((await store.record(id))?.waitsFor ?? []));
  }
  return false;
}

/** Records of a stream whose parents will not arrive. */
export interface Blocked {
  readonly count: number;
  /** Whether there may be more: only some of the waiting records were examined. */
  readonly isMore: boolean;
  /** One of the records and why it is blocked. */
  readonly example: string;
}

/** Returns the stream's blocked records; undefined if there are none. */
export async function blockedRecords(
  store: Pick<RecordStore, "record" | "records">,
  stream: StreamName,
): Promise<Blocked | undefined> {
  const waiting = await store.records({ stream, states: ["waiting"], limit: LOOKED_AT });
  let count = 0;
  let example: string | undefined;
  for (const { id, waitsFor } of waiting)
    for (const parent of waitsFor) {
      const why = await permanentlyBlockedReason(store, id, parent);
      if (why === undefined) continue;
      count += 1;
      example ??= `${recordLabel(id)} waits for ${recordLabel(parent)}, ${why}`;
      break;
    }
  return example === undefined ? undefined : { count, isMore: waiting.length === LOOKED_AT, example };
}

/** Describes the blocked records for a person. */
export function blockedSentence({ count, isMore, example }: Blocked): string {
  const many = isMore ? `${count} or more records are` : count === 1 ? "1 record is" : `${count} records are`;
  return `${many} blocked: ${example}`;
}
