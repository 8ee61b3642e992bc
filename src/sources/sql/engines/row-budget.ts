import type { Cell } from "./engine.ts";

/** What each cell weighs, besides the length of its text or bytes. */
const cellBytes = 16;

/** Collects an answer's rows until their cells exceed the budget. The first row fits, however large it is. */
export class RowBudget {
  readonly rows: (readonly Cell[])[] = [];
  #left: number;

  constructor(bytes = Infinity) {
    this.#left = bytes;
  }

  /** Adds a row. Returns true while there is room for another one. */
  take(row: readonly Cell[]): boolean {
    this.rows.push(row);
    this.#left -= weightOf(row);
    return this.#left > 0;
  }
}

export function weightOf(row: readonly Cell[]): number {
  let bytes = 0;
  for (const cell of row)
    bytes += cellBytes + (typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0);
  return bytes;
}
