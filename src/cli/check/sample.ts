import type { MappedField, MappedValue, Stream } from "#mapping";
import type { Change, Json, Key, Row } from "#model";

/** A row of the sample that the stream delivers, with its values as mapped. */
export interface SampleRecord {
  readonly key: Key;
  readonly fields: readonly MappedField[];
}

/** The first rows of a stream, as `check` read and mapped them. */
export interface StreamSample {
  readonly stream: Stream;
  readonly rows: readonly { readonly key: Key; readonly row: Row }[];
  /** Without rows that the stream leaves out or that cannot be mapped. */
  readonly records: readonly SampleRecord[];
  /** What the deletions among the rows set. */
  readonly deletionFields: readonly MappedField[];
}

export function upsertsOf(changes: readonly Change[]): StreamSample["rows"] {
  return changes.flatMap((change) => (change.kind === "upsert" ? [{ key: change.key, row: change.row }] : []));
}

/** Whether the value clears the field, or cannot be told from an empty one: nothing matches by it. */
export function isBlankValue(mapped: MappedValue): boolean {
  switch (mapped.kind) {
    case "value":
      return isBlank(mapped.value);
    case "lookup":
      return isBlank(mapped.value);
    case "ref":
      return mapped.key === null;
    case "tags":
      return mapped.values.length === 0;
  }
}

function isBlank(value: Json): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/** The values of one field in the sample's records, with their keys. */
export function valuesOf({ records }: StreamSample, field: string): readonly { key: Key; value: MappedValue }[] {
  return records.flatMap(({ key, fields }) =>
    fields.filter(({ name }) => name === field).map(({ value }) => ({ key, value })),
  );
}
