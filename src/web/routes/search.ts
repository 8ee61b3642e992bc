import type { RecordId } from "#model";
import { eachRecord } from "#operator";
import type { RecordView } from "#store";
import type { StatusSource } from "../contract.ts";

/** Records whose contents are looked through for a name; keys and service ids are found whatever their number. */
const scannedMax = 20_000;
const foundMax = 50;

export interface Found {
  readonly records: readonly RecordView[];
  /** Whether contents were looked through to the end, or until enough was found. */
  readonly isWhole: boolean;
}

/** Finds records by `stream/key`, key, service id, and by any text of their ERP row. */
export async function search(source: StatusSource, text: string): Promise<Found> {
  const wanted = text.trim();
  if (wanted === "") return { records: [], isWhole: true };
  const found = new Map<string, RecordView>();
  const add = (record: RecordView | undefined) => record && found.set(JSON.stringify(record.id), record);
  for (const id of await exactIds(source, wanted)) add((await source.record(id))?.record);
  const isWhole = await scan(source, wanted.toLocaleLowerCase(), (record) => {
    add(record);
    return found.size >= foundMax;
  });
  return { records: [...found.values()], isWhole };
}

async function exactIds(source: StatusSource, wanted: string): Promise<RecordId[]> {
  const { streams } = await source.overview();
  const ids = source.streams.map((stream) => ({ stream, key: wanted }));
  const slash = wanted.indexOf("/");
  if (slash > 0) ids.push({ stream: wanted.slice(0, slash), key: wanted.slice(slash + 1) });
  if (/^\d{1,15}$/.test(wanted))
    for (const resource of new Set(streams.map((stream) => stream.resource))) {
      const owner = await source.boundTo({ resource, serviceId: Number(wanted) });
      if (owner) ids.push(owner);
    }
  return ids;
}

/** True when every record was looked at, or `isEnough` said so. */
async function scan(source: StatusSource, wanted: string, isEnough: (record: RecordView) => boolean): Promise<boolean> {
  let looked = 0;
  for await (const record of eachRecord(source, {})) {
    if (looked++ >= scannedMax) return false;
    if (holds(record, wanted) && isEnough(record)) return true;
  }
  return true;
}

function holds({ id, row }: RecordView, wanted: string): boolean {
  if (id.key.toLocaleLowerCase().includes(wanted)) return true;
  return Object.values(row).some(
    (value) =>
      (typeof value === "string" || typeof value === "number") && String(value).toLocaleLowerCase().includes(wanted),
  );
}
