import { nearest } from "#model";
import type { QueryResult, SeenTable } from "./engine.ts";

/** Returns the tables of an answer to {@link Engine.tables}. Tables that their name alone finds come first. */
export function seenTables({ rows }: QueryResult): SeenTable[] {
  const tables = rows.map(([schema, name, isPlain]) => ({
    schema: String(schema),
    name: String(name),
    isPlain: ["1", "t", "true"].includes(String(isPlain)),
  }));
  return tables.toSorted((a, b) => Number(b.isPlain) - Number(a.isPlain));
}

/** Returns the name that `read` takes, with the schema if it is necessary. */
export function shortName({ schema, name, isPlain }: SeenTable): string {
  return isPlain ? name : `${schema}.${name}`;
}

/**
 * Returns the table that `written` most likely means, but never `written` itself. A name with a schema gets an answer with a
 * schema: first a similar table in that schema, then a similar full name, and finally the same name in another schema.
 */
export function meantTable(written: string, tables: readonly SeenTable[]): string | undefined {
  const at = written.lastIndexOf(".");
  const name = written.slice(at + 1);
  const others = tables
    .map((table) => ({ ...table, answer: at < 0 ? shortName(table) : `${table.schema}.${table.name}` }))
    .filter(({ answer }) => answer !== written);
  const inSchema = at < 0 ? others : others.filter(({ schema }) => schema === written.slice(0, at));
  const names = inSchema.map((table) => table.name);
  const meant = nearest(name, names);
  if (meant !== undefined || at < 0) return inSchema.find((table) => table.name === meant)?.answer;
  const answers = others.map(({ answer }) => answer);
  return nearest(written, answers) ?? others.find((table) => table.name === name)?.answer;
}
