import { shortened } from "#model";
import type { SqlCell } from "../engines/engine.ts";

/** Where and why a row cannot be read. */
export class Oddity {
  readonly place: string;
  readonly reason: string;

  constructor(place: string, reason: string) {
    this.place = place;
    this.reason = reason;
  }
}

/** The most characters of a cell that a message quotes. */
const QUOTED = 60;

/** The columns of a stamp or counter, for messages. */
export function markPlace({ label, marks }: { label: string; marks: readonly { name: string }[] }): string {
  return `${label}, column ${marks.map(({ name }) => name).join(", ")}`;
}

/** A cell, for messages. */
export function said(cell: SqlCell): string {
  if (cell instanceof Uint8Array) return "binary data";
  return JSON.stringify(shortened(String(cell), QUOTED));
}
