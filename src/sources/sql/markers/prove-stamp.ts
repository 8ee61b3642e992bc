import { anyRow, type RunQuery, type SqlCell, type Engine } from "../engines/engine.ts";
import { keyReader, type TableLayout } from "../read/layout.ts";
import { compareTuple } from "../read/tuple.ts";
import { allOf, sql, type Sql } from "../sql-text.ts";
import { causeOfMiss, filterMisses, type MissRemedies } from "../../time/filter-miss.ts";
import { newest, selectNewest, type StampScale } from "./stamp-scale.ts";

const REMEDIES: MissRemedies = {
  exclusive: "Read a view or a `query` that gives the stamp as the table holds it",
  minutes: "Read a view or a `query` that gives whole minutes",
  shifted:
    "Set the source's `timezone`. If a view or a proxy computes the stamp, let it compare the same value that it shows",
  unknown:
    "the database may compare another value than the column shows, as a view or a `query` does that computes it. Correct `changed` or the view",
};

interface Proof {
  readonly engine: Engine;
  readonly layout: TableLayout;
  readonly scale: StampScale;
  readonly ask: RunQuery;
}

/** The condition of rows with the stamp `cells` or a later one; undefined if that is no stamp of the stream's format. */
export function fromStamp({ engine, layout, scale }: Omit<Proof, "ask">, cells: readonly SqlCell[]): Sql | undefined {
  const at = scale.parse(cells);
  if (at === undefined || !Number.isFinite(at)) return undefined;
  return compareTuple(engine, layout.marks, ">=", scale.write(at));
}

/**
 * Asks for exactly the stamp of the row with the highest one, and expects a row. `upTo` is the end of the window: a later stamp counts only
 * if there is no other. `known` is that highest stamp if it was read. Reads row and answer by one statement, so that no change between them
 * can deceive.
 * @throws {ParkError} E_SOURCE_FILTER_MISSES when the database shows that row, but not among the rows from its stamp on.
 */
export async function proveByStamp(proof: Proof, upTo: readonly SqlCell[], known?: readonly SqlCell[]): Promise<void> {
  const { engine, layout, scale, ask } = proof;
  const found = known ?? (await newest(engine, layout, ask, upTo));
  const limit = found && upTo;
  const top = found ?? (await newest(engine, layout, ask));
  const from = top && fromStamp(proof, top);
  if (from === undefined) return;
  const keyNames = layout.key.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`k${at}`)}`);
  const shown = sql`case when exists (select 1 from ${layout.from} where ${allOf([layout.condition, from])}) then 1 else 0 end as ${sql.id("shown")}`;
  const { rows } = await ask(selectNewest(engine, layout, { count: 1, upTo: limit, also: [shown, ...keyNames] }));
  const [row] = rows;
  if (row === undefined) return;
  const marks = row.slice(0, layout.marks.length);
  const [isShown, ...keys] = row.slice(layout.marks.length);
  const at = scale.parse(marks);
  // A row whose stamp went back since it was asked for need not be there.
  if (at === undefined || at < scale.parse(top!)! || Number(isShown) === 1) return;
  const reaches = async (shiftMs: number) => {
    const earlier = compareTuple(engine, layout.marks, ">=", scale.write(at - shiftMs));
    return await anyRow(ask, layout.from, allOf([layout.condition, earlier]));
  };
  const key = keyReader({ key: layout.key, columns: layout.key })(keys);
  const field = layout.marks.map(({ name }) => name).join(", ");
  const said = { table: layout.label, key, field, stamp: marks.join(" ") };
  throw filterMisses(said, await causeOfMiss(scale.grainMs, REMEDIES, reaches));
}
