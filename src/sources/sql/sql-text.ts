type Piece = { readonly text: string } | { readonly name: string } | { readonly value: unknown };

/** A piece of SQL. {@link compiled} puts it into a dialect: it quotes names and binds values. */
export class Sql {
  readonly pieces: readonly Piece[];

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }
}

/** Builds SQL from pieces of SQL and values. A value is always bound, never part of the text. */
export function sql(texts: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return new Sql(texts.flatMap((text, at) => (at < values.length ? [{ text }, ...piecesOf(values[at])] : [{ text }])));
}

/** The name of a column or a table; several are joined by dots. */
sql.id = (...names: readonly string[]): Sql =>
  sql.join(
    names.map((name) => new Sql([{ name }])),
    sql`.`,
  );

/** Text that is SQL already. */
sql.raw = (text: string): Sql => new Sql([{ text }]);

sql.join = (parts: readonly Sql[], separator: Sql): Sql =>
  new Sql(parts.flatMap(({ pieces }, at) => (at === 0 ? pieces : [...separator.pieces, ...pieces])));

function piecesOf(value: unknown): readonly Piece[] {
  return value instanceof Sql ? value.pieces : [{ value }];
}

/** How a database quotes names, and how it writes the placeholder of bound value number `n`, from 1. */
const dialects = {
  sqlite: { quote: '"', place: () => "?" },
  postgres: { quote: '"', place: (n: number) => `$${n}` },
  mysql: { quote: "`", place: () => "?" },
  mssql: { quote: '"', place: (n: number) => `@${n}` },
};

export type SqlDialect = keyof typeof dialects;

/** A name with its dots as a script of one database has it. Tools of SQL Server take double quotes for those of a text. */
export function quotedName(name: string, dialect: SqlDialect): string {
  if (dialect !== "mssql") return compiled(tableName(name), dialect).text;
  return name.split(".").map(bracketed).join(".");
}

/** One name in the brackets of SQL Server. */
export function bracketed(name: string): string {
  return `[${name.replaceAll("]", "]]")}]`;
}

/** Returns the statement in one dialect, and the values to bind. */
export function compiled({ pieces }: Sql, dialect: SqlDialect): { text: string; values: readonly unknown[] } {
  const { quote, place } = dialects[dialect];
  const values: unknown[] = [];
  const texts = pieces.map((piece) => {
    if ("text" in piece) return piece.text;
    if ("name" in piece) return quote + piece.name.replaceAll(quote, quote + quote) + quote;
    return place(values.push(piece.value));
  });
  return { text: texts.join(""), values };
}

/** A table by its name in the sync file: dots separate schema and table, everything is quoted. */
export function tableName(name: string): Sql {
  return sql.id(...name.split("."));
}

export function sqlList(parts: readonly Sql[]): Sql {
  return sql.join(parts, sql`, `);
}

/**
 * Texts below this are not stamps. Rows with such a text (empty, digits, a date with the day first) are read in every poll, because
 * no window would ever show them again. Because of the dash no database takes it for a number.
 */
export const earliestText = sql.raw("'1900-'");

/** What a text column is used for; undefined for columns of other types. */
export type StampText = "date" | "time";

/** The condition that a stamp column is NULL or, if it holds text, has no stamp. */
export function unsetText(name: Sql, text: StampText | undefined, isNull = sql`${name} is null`): Sql {
  if (text === undefined) return isNull;
  return text === "date" ? sql`(${isNull} or ${name} < ${earliestText})` : sql`(${isNull} or ${name} = '')`;
}

/** Joins all conditions by `and`. Without conditions the result is always true. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}
