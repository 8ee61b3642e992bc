import { ParkError, type Json, type JsonObject } from "#model";
import { decodeStamp, PRECISIONS, type Precision } from "../wire/stamps/stamp-format.ts";
import { wallText, type Wall, type WallRange } from "../wire/stamps/wall.ts";
import { jsonText } from "../wire/stamps/values.ts";
import type { Manners } from "./presets.ts";
import type { StampSetting } from "./schema.ts";
import { plainValue } from "./values.ts";

/** A change stamp in OData's terms. */
export interface ODataStamp {
  readonly properties: readonly string[];
  /** The precision that is assumed, in microseconds. Bounds of filters are whole units of it. */
  readonly unit: number;
  /** The zone of the clock that writes it. */
  readonly zone: string;
  decode(row: JsonObject): Wall | undefined;
  /** Returns the condition that a row lies in the range; empty if the range is open. */
  inside(range: WallRange): readonly string[];
  /** The condition that a row has no stamp, or only part of one. */
  readonly isNull: string;
}

/**
 * 10 ms, in microseconds. SQL Server keeps only every third millisecond and would round a bound in between down. It keeps multiples
 * of 10 ms.
 */
const TICKS = 10_000;

export function stampOf(
  setting: StampSetting,
  manners: Manners,
  timezone: string,
  precision: Precision | undefined,
): ODataStamp {
  if (typeof setting !== "string" && "date" in setting)
    return split(setting, manners, timezone, PRECISIONS[precision ?? "second"]);
  const { field, type } =
    typeof setting === "string"
      ? { field: setting, type: manners.version === "v2" ? ("datetime" as const) : ("datetimeoffset" as const) }
      : setting;
  const zone = type === "datetimeoffset" ? "UTC" : timezone;
  const write = (wall: Wall) => single(wall, type, precision ?? "millisecond", manners);
  return {
    properties: [field],
    unit: type === "date" ? PRECISIONS.day : precision === undefined ? TICKS : PRECISIONS[precision],
    zone,
    decode: (row) =>
      decodeStamp(plainStamp(row[field], type), type === "datetimeoffset" ? "iso" : "local", zone, field),
    inside: ({ from, below }) => [
      ...(from === undefined ? [] : [`${field} ge ${write(from)}`]),
      ...(below === undefined ? [] : [`${field} lt ${write(below)}`]),
    ],
    isNull: `${field} eq null`,
  };
}

/**
 * A date and a time of day in two properties. They are compared as a pair, because otherwise changes of the next morning would be
 * lost.
 */
function split(
  { date, time }: { readonly date: string; readonly time: string },
  manners: Manners,
  zone: string,
  unit: number,
): ODataStamp {
  const parts = (wall: Wall) => {
    const text = wallText(wall);
    return { day: dateLiteral(text, manners), at: timeLiteral(text, manners) };
  };
  const compare = (wall: Wall, day: string, at: string) => {
    const { day: d, at: t } = parts(wall);
    return `(${date} ${day} ${d} or (${date} eq ${d} and ${time} ${at} ${t}))`;
  };
  return {
    properties: [date, time],
    unit,
    zone,
    decode(row) {
      const day = plainStamp(row[date], "date");
      if (day === null || day === "") return undefined;
      const at = plainValue(row[time] ?? null, "Edm.Time");
      return decodeStamp(`${jsonText(day).slice(0, 10)}T${timeText(at, time)}`, "local", zone, `${date} and ${time}`);
    },
    inside: ({ from, below }) => [
      ...(from === undefined ? [] : [compare(from, "gt", "ge")]),
      ...(below === undefined ? [] : [compare(below, "lt", "lt")]),
    ],
    // No comparison is true for an empty time, so such a row is in no window that begins within its day.
    isNull: `(${date} eq null or ${time} eq null)`,
  };
}

/** Converts what v2 writes as `/Date(…)/` and v4 as text. Drops the zone if the type has none. */
function plainStamp(value: Json | undefined, type: "datetimeoffset" | "datetime" | "date"): Json {
  const plain = plainValue(value ?? null);
  if (typeof plain !== "string" || type === "datetimeoffset") return plain;
  return type === "date" ? plain.slice(0, 10) : plain.replace(/Z$/, "");
}

/** Returns the time of day. An empty one is midnight, because only the date is known. */
function timeText(value: Json, property: string): string {
  if (value === null || value === "") return "00:00:00";
  if (typeof value === "string" && /^\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(value)) return value;
  throw new ParkError("E_SOURCE_STAMP", `the change stamp ${property} holds no time of day such as 13:45:00`);
}

function single(wall: Wall, type: "datetimeoffset" | "datetime" | "date", unit: Precision, manners: Manners): string {
  const text = wallText(wall);
  if (type === "date") return dateLiteral(text, manners);
  const digits = PRECISIONS[unit] >= PRECISIONS.second ? 19 : unit === "millisecond" ? 23 : 26;
  const cut = text.slice(0, digits);
  const zoned = type === "datetimeoffset" ? `${cut}Z` : cut;
  if (manners.quotedTimes) return `'${zoned}'`;
  return manners.version === "v2" ? `${type}'${zoned}'` : zoned;
}

function dateLiteral(text: string, manners: Manners): string {
  const day = text.slice(0, 10);
  if (manners.quotedTimes) return `'${day}'`;
  return manners.version === "v2" ? `datetime'${day}T00:00:00'` : day;
}

function timeLiteral(text: string, manners: Manners): string {
  const time = text.slice(11, 19);
  if (manners.quotedTimes) return `'${time}'`;
  if (manners.version === "v4") return time;
  const [hours, minutes, seconds] = time.split(":");
  return `time'PT${hours}H${minutes}M${seconds}S'`;
}
