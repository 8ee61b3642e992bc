/**
 * Lines of a table for spreadsheets. Cells are always quoted, and a cell that a spreadsheet would take for a formula is
 * defused.
 */
export function csvText(lines: readonly (readonly string[])[]): string {
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

function quoted(cell: string): string {
  const safe = /^[=+\-@\t\r']/.test(cell) && Number.isNaN(Number(cell)) ? `'${cell}` : cell;
  return `"${safe.replaceAll('"', '""')}"`;
}
