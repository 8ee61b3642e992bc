import type { Cell } from "../engines/engine.ts";

/** What makes a row unreadable: where in it, and why. */
export class Oddity {
  readonly place: string;
  readonly reason: string;

  constructor(place: string, reason: string) {
    this.place = place;
    this.reason = reason;
  }
}

/** What a message quotes of a cell. */
const QUOTED = 60;

/** The columns of a stamp or counter, as messages name them. */
export function placeOf({ label, marks }: { label: string; marks: readonly { name: string }[] }): string {
  return `${label}, column ${marks.map(({ name }) => name).join(", ")}`;
}

/** A cell as messages quote it. */
export function said(cell: Cell): string {
  if (cell instanceof Uint8Array) return "binary data";
  const text = String(cell);
  return JSON.stringify(text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}…`);
}
