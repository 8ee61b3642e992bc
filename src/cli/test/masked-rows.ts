import { Mask, maskedColumns, type Stream } from "#mapping";
import type { Change } from "#model";
import { ownText, type NoteStore } from "#store";
import { UsageError, type Io } from "../output/io.ts";

export interface MaskOptions {
  readonly maskColumns?: ReadonlySet<string>;
  readonly keepColumns?: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

/**
 * Masks the rows.
 * @throws {UsageError} where an option names a column that they do not have.
 */
export async function maskedRows(
  changes: readonly Change[],
  stream: Stream,
  { maskColumns: mask = none, keepColumns: keep = none }: MaskOptions,
  store: NoteStore,
  io: Io,
): Promise<readonly Change[]> {
  const known = new Set(changes.flatMap((change) => (change.kind === "upsert" ? Object.keys(change.row) : [])));
  const strange = [...mask, ...keep].find((column) => !known.has(column));
  if (strange !== undefined && known.size > 0)
    throw new UsageError(`${stream.name} has no column "${strange}"; it has ${[...known].join(", ")}.`);
  const columns = maskedColumns(changes, stream.columnUses(), { mask, keep });
  io.stderr.write(
    `Masked: ${listed(columns.masked.keys())}.\nKept: ${listed(columns.kept)}.\nLeft out, the mapping does not read them: ${listed(columns.left)}.\n`,
  );
  // A secret of this store: it makes equal values get equal replacements, which cannot be reproduced without it.
  const maskOf = new Mask(await ownText(store, "mask", 16));
  return changes.map((change) =>
    change.kind === "upsert" ? { ...change, row: maskOf.row(change.row, columns) } : change,
  );
}

function listed(names: Iterable<string>): string {
  return [...names].join(", ") || "none";
}
