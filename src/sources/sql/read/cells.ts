import { DAY_MS, ParkError, type Json } from "#model";
import { offsetAtWall } from "../../time/window.ts";
import type { SqlCell, Column } from "../engines/engine.ts";
import { parseStampText } from "../markers/stamp-text.ts";

/** A decimal of up to this many significant digits survives the conversion to a JavaScript number. */
const safeDigits = 15;
/** What MySQL stores if no date is known. */
const zeroDate = "0000-00-00";
/** Length of `2025-03-01`. */
const DAY_LENGTH = 10;
/** The form in which databases write nearly all wall-clock readings. */
const wallText = /^\d{4}-\d\d-\d\d[ T](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$/;

/**
 * Converts cells to JSON without loss: whole numbers and decimals that a JavaScript number cannot hold stay text, instants become
 * ISO 8601 in UTC, wall-clock readings get the offset that the source's zone had then.
 */
export class CellReader {
  readonly #zone: string;
  /** The zone's offsets, by the text of a day. */
  readonly #offsets = new Map<string, string | undefined>();

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** @throws {ParkError} E_SOURCE_BINARY when the cell is binary. */
  read(cell: SqlCell, column: Column): Json {
    if (cell === null || typeof cell === "boolean") return cell;
    if (typeof cell === "string") return this.#text(cell, column);
    if (typeof cell === "bigint") return wholeNumber(cell);
    if (typeof cell === "number" && column.isSingle === true) return shortest(cell);
    if (typeof cell === "number") return Number.isFinite(cell) ? cell : String(cell);
    throw new ParkError("E_SOURCE_BINARY", `column ${column.name} holds binary data: leave it out of \`columns\``);
  }

  #text(text: string, column: Column): Json {
    switch (column.kind) {
      case "integer":
      case "rowversion":
        return wholeNumber(text);
      case "decimal":
        return plainDecimal(text);
      case "float":
        return Number.isFinite(Number(text)) ? Number(text) : text;
      case "boolean":
        return text === "t" || text === "true" || text === "1";
      case "instant":
        return instant(text);
      case "datetime":
      case "any-datetime":
        return this.#wall(text);
      case "json":
        return json(text);
      case "date":
        return text === zeroDate ? null : text;
      case "time":
      case "text":
      case "any":
      case "binary":
        return text;
    }
  }

  /** MySQL's zero date holds no date and becomes null. Anything else that is not a date-time (SQLite, infinity) stays as it is. */
  #wall(text: string): Json {
    if (text.startsWith(zeroDate)) return parseStampText(text) ? null : text;
    const day = text.slice(0, DAY_LENGTH);
    const offset = wallText.test(text) ? this.#offsetOf(day) : undefined;
    if (offset !== undefined) return `${day}T${text.slice(DAY_LENGTH + 1)}${offset}`;
    const parts = parseStampText(text);
    if (!parts || parts.granularity === "day") return text;
    const iso = text.replace(" ", "T");
    return parts.zone === "" ? `${iso}${offsetAtWall(parts.wallMs, this.#zone)}` : iso;
  }

  /** Returns the zone's offset on a day; undefined if it changes on that day. */
  #offsetOf(day: string): string | undefined {
    if (!this.#offsets.has(day)) {
      const { wallMs } = parseStampText(day)!;
      const begin = offsetAtWall(wallMs, this.#zone);
      this.#offsets.set(day, offsetAtWall(wallMs + DAY_MS, this.#zone) === begin ? begin : undefined);
    }
    return this.#offsets.get(day);
  }
}

function wholeNumber(whole: string | bigint): Json {
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : String(whole);
}

/** Significant digits that tell any four-byte number from all others. */
const SINGLE_DIGITS = 9;

/** Returns a four-byte number with no more digits than it needs, as it was written: 19.99 instead of 19.989999771118164. */
function shortest(single: number): number {
  for (let digits = 1; digits < SINGLE_DIGITS; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(SINGLE_DIGITS));
}

/** Returns a number if that is exact, so that 7.00 and 7 are the same; otherwise the text. */
export function plainDecimal(text: string): string | number {
  const digits = text
    .replace(/[eE].*$/, "")
    .replaceAll(/\D/g, "")
    .replace(/^0+/, "");
  const number = Number(text);
  return digits.length <= safeDigits && Number.isFinite(number) ? number : text;
}

/** The form in which PostgreSQL, MariaDB and MySQL write nearly all instants in a session whose zone is UTC. */
const utcText = /^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?:\+00)?$/;

function instant(text: string): Json {
  if (utcText.test(text)) return `${text.slice(0, 10)}T${text.slice(11).replace("+00", "")}Z`;
  if (text.startsWith(zeroDate)) return null;
  const parts = parseStampText(text);
  if (!parts) return text;
  const fraction = /[.,](\d+)/.exec(text)?.[1];
  return `${new Date(parts.utcMs).toISOString().slice(0, 19)}${fraction === undefined ? "" : `.${fraction}`}Z`;
}

/** Parses a document. It stays text if it has a number that JavaScript would round. */
function json(text: string): Json {
  if (/\d{16}/.test(text)) return text;
  try {
    const document: Json = JSON.parse(text);
    return document;
  } catch {
    // The parser's own message would quote the document.
    throw new SyntaxError("it is no JSON document");
  }
}
