import type { Sources } from "#daemon";
import type { Mapped, MappedField, Stream } from "#mapping";
import { counted, errorFacts, oneLine, recordLabel, type Finding, type Key, type Row, type StreamName } from "#model";
import { missingParents, misnamedParents } from "./check-parents.ts";
import { looseRules } from "./check-match.ts";
import { sampleFindings } from "./check-sample.ts";
import { nextRows } from "./next-changes.ts";
import { upsertsOf, type SampleRecord, type StreamSample } from "./sample.ts";

/** Rows that are examined: the first one alone may have neither parent nor e-mail address. */
const ROWS_MAPPED = 50;

/**
 * Maps the first rows of the ERP, which reveals misspelt columns, and examines the result. Adds the sample to `samples`, which
 * holds those of the streams checked before, including this one's parents.
 * @throws {SyncError} when the ERP cannot be read or the first row cannot be mapped.
 */
export async function checkMapping(
  stream: Stream,
  sources: Pick<Sources, "streams">,
  samples: Map<StreamName, StreamSample>,
  signal: AbortSignal,
): Promise<Finding[]> {
  const subject = `stream ${stream.name}`;
  const { changes, unreadable } = await nextRows(sources.streams.get(stream.name)!, null, ROWS_MAPPED, signal);
  const rows = upsertsOf(changes);
  const [odd] = unreadable;
  const findings: Finding[] = [];
  if (odd !== undefined) {
    const message = `${counted(unreadable.length, "row")} of the sample cannot be read, the first at ${odd.place}: ${odd.reason}`;
    const remedy = "Correct the rows in the ERP, or how the stream reads them; each will be parked (E_ROW_UNREADABLE).";
    findings.push({ subject, verdict: "warning", message, remedy });
  }
  const [first] = rows;
  if (first === undefined)
    return [...findings, { subject, verdict: "ok", message: "the ERP returned no row to test the mapping with" }];
  await stream.map(first.row, false);
  const records: SampleRecord[] = [];
  const deletionFields: MappedField[] = [];
  for (const { key, row } of rows) {
    const mapped = await mapOne(stream, row);
    if (mapped?.kind === "record") records.push({ key, fields: mapped.fields });
    if (mapped?.kind === "deleted" && mapped.policy === "set") deletionFields.push(...mapped.fields);
  }
  const sample: StreamSample = { stream, rows, records, deletionFields };
  samples.set(stream.name, sample);
  const misnamed = misnamedParents(sample, firstKeys(samples));
  if (misnamed.length > 0) return [...findings, ...misnamed];
  findings.push(
    ...sampleFindings(sample),
    ...looseRules(
      stream,
      records.map(({ fields }) => fields),
    ),
    ...(await missingParents(sample, samples, sources, signal)),
  );
  if (findings.some(({ verdict }) => verdict === "problem")) return findings;
  const message = `the row of ${oneLine(recordLabel({ stream: stream.name, key: first.key }))} can be mapped`;
  return [{ subject, verdict: "ok", message }, ...findings];
}

/** A single row may be odd, but a path into a text is misspelt whatever the first row holds. */
async function mapOne(stream: Stream, row: Row): Promise<Mapped | undefined> {
  try {
    return await stream.map(row, false);
  } catch (thrown) {
    if (errorFacts(thrown).details["path"] !== undefined) throw thrown;
    return undefined;
  }
}

function firstKeys(samples: ReadonlyMap<StreamName, StreamSample>): ReadonlyMap<StreamName, Key> {
  return new Map([...samples].flatMap(([name, { rows }]) => (rows[0] === undefined ? [] : [[name, rows[0].key]])));
}
