import type { RecordId } from "#model";
import { eachRecord, type RecordView } from "#store";
import type { StatusSource } from "../contract.ts";

/** Records whose contents one search reads for a name. Keys and service ids are found regardless of this number. */
const scannedMax = 20_000;
const foundMax = 50;

export interface SearchHits {
  readonly records: readonly RecordView[];
  /** False where the search ended before it had read all contents. */
  readonly isWhole: boolean;
  /** Where to continue: the last record that was examined. */
  readonly next?: RecordId | undefined;
}

/** Finds records after `after` by `stream/key`, key, service id, or any text of their ERP row. */
export async function search(source: StatusSource, text: string, after?: RecordId): Promise<SearchHits> {
  const wanted = text.trim();
  if (wanted === "") return { records: [], isWhole: true };
  const found = new Map<string, RecordView>();
  const add = (record: RecordView | undefined) => record && found.set(JSON.stringify(record.id), record);
  if (after === undefined) for (const id of await exactIds(source, wanted)) add((await source.record(id))?.record);
  const next = await scan(source, { wanted: wanted.toLocaleLowerCase(), after }, (record) => {
    add(record);
    return found.size >= foundMax;
  });
  return { records: [...found.values()], isWhole: next === undefined, next };
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

/** Undefined when every record was examined; otherwise the last one, after the maximum number or once `isEnough` said so. */
async function scan(
  source: StatusSource,
  { wanted, after }: { readonly wanted: string; readonly after: RecordId | undefined },
  isEnough: (record: RecordView) => boolean,
): Promise<RecordId | undefined> {
  let looked = 0;
  for await (const record of eachRecord(source, { after })) {
    looked += 1;
    if ((holds(record, wanted) && isEnough(record)) || looked === scannedMax) return record.id;
  }
  return undefined;
}

function holds({ id, row }: RecordView, wanted: string): boolean {
  if (id.key.toLocaleLowerCase().includes(wanted)) return true;
  return Object.values(row).some(
    (value) =>
      (typeof value === "string" || typeof value === "number") && String(value).toLocaleLowerCase().includes(wanted),
  );
}
