import type { Sources } from "#daemon";
import { oneLine, splitKey, type Finding, type Key, type StreamName } from "#model";
import type { SourceStream } from "#sources";
import { nextRows } from "./next-changes.ts";
import { upsertsOf, valuesOf, type StreamSample } from "./sample.ts";

/** How many different keys of parents are looked for in the ERP, if the parent's first rows have none of them. */
const KEYS_TRIED = 5;
/** How many rows of waiting files are searched: a key may be in no file that was read before. */
const FILE_ROWS = 10_000;

const remedy =
  'Correct the `key` of the ref, or the `key` of the parent stream, so that both spell keys alike; "svcsync peek" shows the rows of both.';

/** The parents that the sample's records name, by field: their stream, whether a record can do without, and their keys. */
function parentsOf(sample: StreamSample) {
  return sample.stream.ownedFields.flatMap((field) => {
    const refs = valuesOf(sample, field).flatMap(({ value }) => (value.kind === "ref" ? value : []));
    const keys = [...new Set(refs.flatMap(({ key }) => key ?? []))];
    const [ref] = refs;
    return ref === undefined || keys.length === 0 ? [] : [{ field, target: ref.stream, ref, keys }];
  });
}

/**
 * Finds references that match no record of the parent stream: the child would wait forever. `first` holds the first key
 * of each stream checked before, including this one's parents.
 */
export function misnamedParents(sample: StreamSample, first: ReadonlyMap<StreamName, Key>): Finding[] {
  const subject = `stream ${sample.stream.name}`;
  return parentsOf(sample).flatMap(({ field, target, keys }): Finding[] => {
    const wanted = first.get(target);
    const odd = wanted && keys.find((key) => partsOf(key) !== partsOf(wanted));
    if (wanted === undefined || odd === undefined) return [];
    const message = `${field}: found a key of ${partsOf(odd)} for ${target} (${odd}), expected ${partsOf(wanted)} (such as ${wanted})`;
    const fix = 'Correct the field in the sync file; "svcsync peek" shows rows as they are read and mapped.';
    return [{ subject, verdict: "problem", message, remedy: fix }];
  });
}

function partsOf(key: Key): string {
  const count = splitKey(key).length;
  return `${count} part${count === 1 ? "" : "s"}`;
}

/** Finds references of which no key at all exists in the parent stream. `samples` holds the streams that were checked before. */
export async function missingParents(
  sample: StreamSample,
  samples: ReadonlyMap<StreamName, StreamSample>,
  sources: Pick<Sources, "streams">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { field, target, ref, keys } of parentsOf(sample)) {
    const seen = new Set((target === sample.stream.name ? sample : samples.get(target))?.rows.map(({ key }) => key));
    const source = sources.streams.get(target);
    if (source === undefined || seen.size === 0 || keys.some((key) => seen.has(key))) continue;
    const tried = keys.slice(0, KEYS_TRIED);
    if (await hasOne(source, tried, signal)) continue;
    const shown = tried.map(oneLine).join(", ");
    const message = `no row of stream ${target} has a key that this field names (${shown}); its keys look like ${oneLine([...seen][0]!)}`;
    // A parent in a file of another day was read before and is in no file now.
    const verdict = ref.optional || source.peek ? "warning" : "problem";
    findings.push({ subject: `stream ${sample.stream.name}, field ${field}`, verdict, message, remedy });
  }
  return findings;
}

async function hasOne(source: SourceStream, keys: readonly Key[], signal: AbortSignal): Promise<boolean> {
  if (source.readMany) return (await source.readMany(keys, signal)).size > 0;
  for (const key of keys) if ((await source.readOne(key, signal)) !== undefined) return true;
  if (!source.peek) return false;
  const { changes } = await nextRows(source, null, FILE_ROWS, signal);
  return upsertsOf(changes).some(({ key }) => keys.includes(key));
}
