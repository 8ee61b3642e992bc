import type { SqlCell } from "../engines/engine.ts";

/** How a column writes a time of day. Converts milliseconds since midnight to and from the column's value. */
export interface TimeFormat {
  write(ofDayMs: number): SqlCell;
  parse(cell: SqlCell): number | undefined;
}

const texts: readonly { readonly pattern: RegExp; readonly shape: string }[] = [
  { pattern: /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?$/, shape: "hh:mm:ss" },
  { pattern: /^(\d\d):(\d\d)()$/, shape: "hh:mm" },
  { pattern: /^(\d\d)(\d\d)(\d\d)$/, shape: "hhmmss" },
  { pattern: /^(\d\d)(\d\d)()$/, shape: "hhmm" },
];

/** Returns the format of `sample`. Numbers are ambiguous and follow `wanted`, which means hhmmss unless the sync file says otherwise. */
export function detectTimeFormat(
  sample: SqlCell,
  wanted: "auto" | "hhmmss" | "hhmm" | "seconds",
): TimeFormat | undefined {
  if (typeof sample === "string") return textTime(sample);
  if (typeof sample !== "bigint" && typeof sample !== "number") return undefined;
  if (wanted === "seconds")
    return { write: (ms) => BigInt(Math.floor(ms / 1000)), parse: (cell) => Number(cell) * 1000 };
  return numberTime(wanted === "hhmm" ? 4 : 6);
}

function textTime(sample: string): TimeFormat | undefined {
  const kind = texts.find(({ pattern }) => pattern.test(sample));
  if (!kind) return undefined;
  return {
    write(ms) {
      const [hh = "", mm = "", ss = ""] = clockDigits(ms);
      return kind.shape.replace("hh", hh).replace("mm", mm).replace("ss", ss);
    },
    parse: (cell) => ofDay(kind.pattern.exec(String(cell))),
  };
}

function numberTime(length: 4 | 6): TimeFormat {
  const pattern = length === 4 ? /^(\d\d)(\d\d)()$/ : /^(\d\d)(\d\d)(\d\d)$/;
  return {
    write: (ms) => BigInt(clockDigits(ms).join("").slice(0, length)),
    parse: (cell) => ofDay(pattern.exec(String(cell).padStart(length, "0"))),
  };
}

function clockDigits(ofDayMs: number): string[] {
  return new Date(ofDayMs).toISOString().slice(11, 19).split(":");
}

function ofDay(match: RegExpExecArray | null): number | undefined {
  if (!match) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = match.map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
