import type { SqlCell, Column, Engine } from "../engines/engine.ts";
import { sqlList, sql, type Sql } from "../sql-text.ts";

type Operator = ">" | ">=" | "<=";

/**
 * Compares columns with values one after the other, as ORDER BY does. The database compares, by the column's own collation and
 * type: only then does a keyset page continue the one before.
 */
export function compareTuple(
  engine: Engine,
  columns: readonly Column[],
  operator: Operator,
  cells: readonly SqlCell[],
): Sql {
  const names = columns.map((column) => ordered(engine, column));
  const bounds = columns.map((column, at) => engine.bound(cells[at] ?? null, column));
  if (engine.rowValues && columns.length > 1) return sql`(${sqlList(names)}) ${sql.raw(operator)} (${sqlList(bounds)})`;
  return nested(names, bounds, operator);
}

/** Writes a column in the way that both ORDER BY and {@link compareTuple} use. */
export function ordered(engine: Engine, column: Column): Sql {
  return engine.ordered?.(column) ?? sql.id(column.name);
}

/** `a >= x and (a > x or b >= y)`: an index can use the first half. */
function nested(names: readonly Sql[], bounds: readonly Sql[], operator: Operator): Sql {
  const [name, ...otherNames] = names;
  const [bound, ...otherBounds] = bounds;
  if (otherNames.length === 0) return sql`${name} ${sql.raw(operator)} ${bound}`;
  const strict = sql.raw(operator === "<=" ? "<" : ">");
  const loose = sql.raw(operator === "<=" ? "<=" : ">=");
  const rest = nested(otherNames, otherBounds, operator);
  return sql`(${name} ${loose} ${bound} and (${name} ${strict} ${bound} or (${rest})))`;
}
