import { DAY_MS } from "#model";
import type { SqlCell } from "../engines/engine.ts";
import { parseStampText, secondText, type ScaleMs } from "./stamp-text.ts";

/** How one column writes stamps. Converts to and from the column's own scale. */
export interface ColumnStampFormat {
  /** `utc`: stamps are instants. `wall`: readings of a clock in the source's zone. */
  readonly scale: "utc" | "wall";
  /** How much earlier than its moment a written stamp can lie, in milliseconds. */
  readonly grainMs: number;
  /** Returns the value for `at`, or for shortly before it if the column is coarser. */
  write(at: ScaleMs): SqlCell;
  /** Returns undefined if the cell is not a stamp of this format. */
  parse(cell: SqlCell): ScaleMs | undefined;
}

export const secondMs = 1_000;

export type FormatName = "auto" | "sql" | "iso" | "epochSeconds" | "epochMillis" | "compact";

/** The format of databases' own types: text with a space, without a zone, read in sessions whose zone is UTC. */
export function nativeFormat(
  scale: "utc" | "wall",
  zone: "" | "+00:00",
  grainMs: number = secondMs,
): ColumnStampFormat {
  return {
    scale,
    grainMs,
    write: (at) => `${secondText(at).replace("T", " ")}${zone}`,
    parse: (cell) => {
      const text = String(cell);
      if (text === "infinity") return Infinity;
      return parseStampText(text)?.[scale === "utc" ? "utcMs" : "wallMs"];
    },
  };
}

/** Returns the format of `sample`, if `wanted` allows it. */
export function detectFormat(sample: SqlCell, wanted: FormatName): ColumnStampFormat | undefined {
  const format = formatOf(sample, wanted);
  return format && (wanted === "auto" || format.name === wanted) ? format.format : undefined;
}

function formatOf(sample: SqlCell, wanted: FormatName): { name: FormatName; format: ColumnStampFormat } | undefined {
  const digits = /^-?\d+(\.\d+)?$/.exec(String(sample));
  if (!digits) return typeof sample === "string" ? textFormat(sample) : undefined;
  if (wanted === "compact" || (wanted === "auto" && isCompact(String(sample))))
    return { name: "compact", format: compactFormat(sample) };
  if (typeof sample === "string") return undefined;
  // Seconds reach this figure in the year 5138; milliseconds passed it in 1973.
  const millis = wanted === "epochMillis" || (wanted === "auto" && Math.abs(Number(sample)) >= 100_000_000_000);
  return millis
    ? { name: "epochMillis", format: epochFormat(1) }
    : { name: "epochSeconds", format: epochFormat(1_000) };
}

function isCompact(digits: string): boolean {
  return /^(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])(\d{6})?$/.test(digits);
}

function epochFormat(unitMs: number): ColumnStampFormat {
  return {
    scale: "utc",
    grainMs: unitMs,
    write: (at) => BigInt(Math.floor(at / unitMs)),
    parse: (cell) => (typeof cell === "bigint" || typeof cell === "number" ? Number(cell) * unitMs : undefined),
  };
}

/** `20250301` or `20250301134500`, as text or as a number. */
function compactFormat(sample: SqlCell): ColumnStampFormat {
  const length = String(sample).length;
  return {
    scale: "wall",
    grainMs: length === 8 ? DAY_MS : secondMs,
    write: (at) => {
      const digits = secondText(at).replaceAll(/\D/g, "").slice(0, length);
      return typeof sample === "string" ? digits : BigInt(digits);
    },
    parse: (cell) => {
      const [, date, time] = /^(\d{8})(\d{6})?$/.exec(String(cell)) ?? [];
      if (date === undefined || String(cell).length !== length) return undefined;
      const day = date.replace(/(....)(..)(..)/, "$1-$2-$3");
      const clock = time === undefined ? "" : `T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}`;
      return parseStampText(`${day}${clock}`)?.wallMs;
    },
  };
}

/** The format of text. Every row must have the same separator and zone, because otherwise text order is not time order. */
function textFormat(sample: string): { name: FormatName; format: ColumnStampFormat } | undefined {
  const shape = parseStampText(sample);
  if (!shape || (shape.zone !== "" && !/^(Z|[+-]00:?(00)?)$/.test(shape.zone))) return undefined;
  const length = { day: 10, minute: 16, second: 19 }[shape.granularity];
  const scale = shape.zone === "" ? "wall" : "utc";
  const format: ColumnStampFormat = {
    scale,
    grainMs: { day: DAY_MS, minute: 60 * secondMs, second: secondMs }[shape.granularity],
    // Without fraction and zone: a shorter text sorts before every longer one that begins with it.
    write: (at) => secondText(at).slice(0, length).replace("T", shape.separator),
    parse: (cell) => {
      const parts = typeof cell === "string" ? parseStampText(cell) : undefined;
      const same = parts?.separator === shape.separator && parts.zone === shape.zone;
      return same && parts.granularity === shape.granularity ? parts.wallMs : undefined;
    },
  };
  return { name: shape.separator === "T" ? "iso" : "sql", format };
}
