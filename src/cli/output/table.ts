import Table from "cli-table3";
import { oneLine, grouped } from "#model";

/** The names of the lines that cli-table3 would draw. */
const RULES = ["top", "bottom", "mid", "left", "right"].flatMap((side) => [side, `${side}-mid`]);

const plain = {
  chars: {
    ...Object.fromEntries([...RULES, "top-left", "top-right", "bottom-left", "bottom-right"].map((rule) => [rule, ""])),
    middle: "  ",
  },
  style: { "padding-left": 0, "padding-right": 0, head: [], border: [] },
};

export type Cell = string | number;

/** The width that every terminal has. */
const USUAL_WIDTH = 80;

/** A table as {@link table} prints it, or several below one another where it is too wide. Each begins with the first column. */
export function fittingTables(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number = USUAL_WIDTH,
): string {
  const parts: number[][] = [];
  for (const column of head.keys()) {
    const part = parts.at(-1);
    if (part === undefined || column === 0) parts.push([column]);
    else if (isFitting(head, rows, { columns: [...part, column], width })) part.push(column);
    else parts.push([0, column]);
  }
  return parts.map((columns) => tableOf(head, rows, columns)).join("\n");
}

function isFitting(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { columns, width }: { readonly columns: readonly number[]; readonly width: number },
): boolean {
  return tableOf(head, rows, columns)
    .split("\n")
    .every((line) => line.length <= width);
}

function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[], columns: readonly number[]): string {
  const pick = <T>(cells: readonly T[]) => columns.map((column) => cells[column]!);
  return table(pick(head), rows.map(pick));
}

/** A table without lines, numbers right-aligned, one line per row, ready to print. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const printed = new Table({
    ...plain,
    head: [...head],
    colAligns: isNumber.map((number) => (number ? "right" : "left")),
  });
  for (const row of rows) printed.push(row.map((cell) => (typeof cell === "number" ? grouped(cell) : oneLine(cell))));
  return `${printed
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}
