import Table from "cli-table3";
import { oneLine } from "#model";

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

/** A table without lines, numbers right-aligned, one line per row, ready to print. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === "number"));
  const printed = new Table({
    ...plain,
    head: [...head],
    colAligns: isNumber.map((number) => (number ? "right" : "left")),
  });
  for (const row of rows)
    printed.push(row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : oneLine(cell))));
  return `${printed
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}
