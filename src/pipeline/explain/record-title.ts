import { errorFacts, SyncError, type Json } from "#model";
import type { Stream } from "#mapping";
import { isForgotten, type RecordView } from "#store";
import { shownAs } from "../match/shown.ts";

/** Columns of an ERP that name a record, in the languages of common ERPs. Used where the mapping says nothing. */
const nameColumn =
  /^(?!.*(_?id|_?no|nr|nummer|code|key)$).*(name|title|titel|subject|betreff|bezeichnung|description|matchcode)/i;

/**
 * The words by which people know a record: what was last written for it, otherwise what the mapping makes of its row, otherwise a column
 * of the row that looks like a name. Empty if nothing does. It asks neither the store nor the service.
 */
export async function recordTitle(
  stream: Pick<Stream, "map" | "match">,
  record: Pick<RecordView, "row" | "deleted" | "unreadable" | "applied">,
): Promise<string> {
  const written = titleIn(stream, record.applied ?? {});
  if (written !== "" || isForgotten(record)) return written;
  return titleIn(stream, await mappedValues(stream, record)) || columnOf(record.row);
}

function titleIn({ match }: Pick<Stream, "match">, values: { readonly [field: string]: Json }): string {
  return shownAs({ match }, values).name;
}

async function mappedValues(
  stream: Pick<Stream, "map">,
  { row, deleted }: Pick<RecordView, "row" | "deleted">,
): Promise<{ readonly [field: string]: Json }> {
  try {
    const mapped = await stream.map(row, deleted);
    const fields = "fields" in mapped ? mapped.fields : [];
    return Object.fromEntries(
      fields.flatMap(({ name, value }) => (value.kind === "value" ? [[name, value.value] as const] : [])),
    );
  } catch (thrown) {
    // The record is parked for that reason, which is shown beside it.
    if (thrown instanceof SyncError && errorFacts(thrown).code !== "E_INTERNAL") return {};
    throw thrown;
  }
}

function columnOf(row: RecordView["row"]): string {
  const column = Object.entries(row).find(
    ([name, value]) => nameColumn.test(name) && typeof value === "string" && value.trim() !== "",
  );
  return column === undefined ? "" : shownAs({ match: [] }, { name: column[1] }).name;
}
