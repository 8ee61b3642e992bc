import { nearest } from "#model";
import type { Cell, SeenTable } from "./engine.ts";

/** Tables out of an answer of schema, name, and whether the name alone finds it; those that it finds come first. */
export function seenTables(rows: readonly (readonly Cell[])[]): SeenTable[] {
  const tables = rows.map(([schema, name, isPlain]) => ({
    schema: String(schema),
    name: String(name),
    isPlain: ["1", "t", "true"].includes(String(isPlain)),
  }));
  return tables.toSorted((a, b) => Number(b.isPlain) - Number(a.isPlain));
}

/** As `read` names it: with its schema where it must be named. */
export function shortName({ schema, name, isPlain }: SeenTable): string {
  return isPlain ? name : `${schema}.${name}`;
}

/**
 * The table that `written` was most likely meant to be, never the same again. A name with a schema is answered with one: first
 * from that schema, then as a whole, at last under the same name elsewhere.
 */
export function meantTable(written: string, tables: readonly SeenTable[]): string | undefined {
  const at = written.lastIndexOf(".");
  const name = written.slice(at + 1);
  if (at < 0)
    return named(
      name,
      tables.map((table) => [table.name, shortName(table)]),
      written,
    );
  const schema = written.slice(0, at);
  const whole = tables.map((table) => ({ table, text: `${table.schema}.${table.name}` }));
  return (
    named(
      name,
      whole.filter(({ table }) => table.schema === schema).map(({ table, text }) => [table.name, text]),
      written,
    ) ??
    named(
      written,
      whole.map(({ text }) => [text, text]),
      written,
    ) ??
    named(
      name,
      whole.filter(({ table }) => table.name === name).map(({ text }) => [name, text]),
      written,
    )
  );
}

/** What stands beside the nearest of the names, the one that was written left out. */
function named(name: string, candidates: readonly (readonly [string, string])[], written: string): string | undefined {
  const others = candidates.filter(([, text]) => text !== written);
  const meant = nearest(
    name,
    others.map(([candidate]) => candidate),
  );
  return others.find(([candidate]) => candidate === meant)?.[1];
}
