/** A table's name in the form that PostgreSQL's functions take as text. */
export function quotedTable(table: string): string {
  return table
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");
}
