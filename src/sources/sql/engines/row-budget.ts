import type { SqlCell } from "./engine.ts";

/** What each cell weighs, besides the length of its text or bytes. */
const cellBytes = 16;

/** Collects an answer's rows until their cells exceed the budget. The first row fits, however large it is. */
export class RowBudget {
  readonly rows: (readonly SqlCell[])[] = [];
  #left: number;

  constructor(bytes = Infinity) {
    this.#left = bytes;
  }

  /** Adds a row. Returns true while there is room for another one. */
  take(row: readonly SqlCell[]): boolean {
    this.rows.push(row);
    this.#left -= weightOf(row);
    return this.#left > 0;
  }
}

export function weightOf(row: readonly SqlCell[]): number {
  let bytes = 0;
  for (const cell of row)
    bytes += cellBytes + (typeof cell === "string" || cell instanceof Uint8Array ? cell.length : 0);
  return bytes;
}
