import { messageOf, ParkError, type ChangeBatch, type Change, type Key, type Row, type UnreadableRow } from "#model";
import type { WireRow } from "./table.ts";

/** Splits a row into the records of a stream, where these are members of a list inside the row. */
export interface Members {
  /**
   * Returns the row's records.
   * @throws {ParkError} E_SOURCE_ROWS, E_SOURCE_KEY when the list or one of its members cannot be read.
   */
  of(key: Key, row: Row): readonly { readonly key: Key; readonly row: Row }[];
  /** Returns the key of the row that holds a record; undefined if the key is of another form. */
  parent(key: Key): Key | undefined;
}

/** Yields the records of the rows of `batches`. A row that cannot be split is unreadable under its own key; all others are read. */
export async function* membersOf(
  batches: AsyncIterable<ChangeBatch>,
  members: Members,
  place: string,
): AsyncGenerator<ChangeBatch> {
  for await (const { changes, unreadable = [], cursor } of batches) {
    const records: Change[] = [];
    const odd: UnreadableRow[] = [...unreadable];
    for (const change of changes) {
      if (change.kind !== "upsert") continue;
      try {
        for (const { key, row } of members.of(change.key, change.row)) records.push({ kind: "upsert", key, row });
      } catch (thrown) {
        if (!(thrown instanceof ParkError)) throw thrown;
        odd.push({ key: change.key, place, reason: messageOf(thrown) });
      }
    }
    yield odd.length === 0 ? { changes: records, cursor } : { changes: records, unreadable: odd, cursor };
  }
}

/**
 * Returns the keys of the rows' records.
 * @throws {ParkError} when a row cannot be split: a sweep would take its records for deleted ones.
 */
export function memberKeys(rows: readonly WireRow[], members: Members): Key[] {
  return rows.flatMap(({ key, row, odd }) => {
    if (odd !== undefined) throw new ParkError("E_ROW_UNREADABLE", `${odd.place}: ${odd.reason}`);
    return members.of(key, row).map((record) => record.key);
  });
}

/** Reads rows that hold members, one or many. */
interface ParentReads {
  readOne(key: Key, signal: AbortSignal): Promise<Row | undefined>;
  readonly readMany?: (keys: readonly Key[], signal: AbortSignal) => Promise<ReadonlyMap<Key, Row>>;
}

/**
 * Returns reads of records by their keys; these are not the keys of the rows that hold them.
 * @throws {ParkError} from both reads when the row that holds an asked record cannot be split.
 */
export function memberReads(rows: ParentReads, members: Members): ParentReads {
  const { readMany } = rows;
  return {
    async readOne(key, signal) {
      const parent = members.parent(key);
      const row = parent === undefined ? undefined : await rows.readOne(parent, signal);
      if (parent === undefined || row === undefined) return undefined;
      return members.of(parent, row).find((record) => record.key === key)?.row;
    },
    ...(readMany === undefined
      ? {}
      : {
          async readMany(keys: readonly Key[], signal: AbortSignal) {
            const asked = new Set(keys);
            const parents = new Set(keys.map((key) => members.parent(key)).filter((parent) => parent !== undefined));
            const found = await readMany([...parents], signal);
            const records = [...found].flatMap(([parent, row]) => members.of(parent, row));
            return new Map(records.filter(({ key }) => asked.has(key)).map(({ key, row }) => [key, row]));
          },
        }),
  };
}
