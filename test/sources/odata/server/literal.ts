import type { Json } from "#model";
import type { Grammar } from "./filter.ts";
import { QueryFault } from "./query-fault.ts";

/** A literal as text that compares with the rows' values. */
export interface Literal {
  readonly value: string | null;
  readonly type: string;
  readonly compareGuids?: Grammar["compareGuids"];
  readonly cut?: Grammar["cut"];
}

const DAY = String.raw`\d{4}-\d\d-\d\d`;
const CLOCK = String.raw`\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?`;
const ZONE = String.raw`(?:Z|[+-]\d\d:\d\d)`;
const shapes = {
  integer: /^-?\d+$/,
  long: /^-?\d+L$/i,
  decimal: /^-?\d+(\.\d+)?$/,
  money: /^-?\d+(\.\d+)?M$/i,
  double: /^-?\d+(\.\d+)?(E[+-]?\d+)?[DF]?$/i,
  boolean: /^(true|false)$/,
  guid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  day: new RegExp(`^${DAY}$`),
  clock: new RegExp(`^${CLOCK}$`),
  local: new RegExp(`^${DAY}T${CLOCK}$`),
  instant: new RegExp(`^${DAY}T${CLOCK}${ZONE}$`),
  maybeZoned: new RegExp(`^${DAY}T${CLOCK}${ZONE}?$`),
  span: /^-?P[\dDTHMS.]+$/,
};

const whole: readonly [form: string, shape: RegExp] = ["bare", shapes.integer];
const v2: Readonly<Record<string, readonly [form: string, shape: RegExp]>> = {
  Byte: whole,
  Int16: whole,
  Int32: whole,
  Int64: ["bare", shapes.long],
  Decimal: ["bare", shapes.money],
  Double: ["bare", shapes.double],
  Boolean: ["bare", shapes.boolean],
  Guid: ["guid", shapes.guid],
  DateTime: ["datetime", shapes.local],
  DateTimeOffset: ["datetimeoffset", shapes.instant],
  Time: ["time", shapes.span],
};
const v4: Readonly<Record<string, readonly [form: string, shape: RegExp]>> = {
  Byte: whole,
  Int16: whole,
  Int32: whole,
  Int64: whole,
  Decimal: ["bare", shapes.decimal],
  Double: ["bare", shapes.double],
  Boolean: ["bare", shapes.boolean],
  Guid: ["bare", shapes.guid],
  Date: ["bare", shapes.day],
  DateTimeOffset: ["bare", shapes.instant],
  TimeOfDay: ["bare", shapes.clock],
  Duration: ["duration", shapes.span],
};
/** SAP Business One: dates and times in quotes, or as in v2. */
const quotedTimes: Readonly<Record<string, readonly RegExp[]>> = {
  Date: [shapes.day, shapes.maybeZoned],
  DateTimeOffset: [shapes.day, shapes.maybeZoned],
  TimeOfDay: [shapes.clock],
};

/** @throws {QueryFault} `type` when the literal does not fit the property. */
export function literalOf(written: string, type: string, grammar: Grammar): Literal {
  const more = { type, ...pick(grammar) };
  if (written === "null" || written === "NULL") return { value: null, ...more };
  const quoted = /^([A-Za-z][\w.]*)?'([^]*)'$/.exec(written);
  const text = quoted?.[2]?.replaceAll("''", "'");
  const form = quoted === null ? "bare" : (quoted[1] ?? "quoted");
  const times = grammar.quotedTimes ? quotedTimes[type] : undefined;
  if (times !== undefined) {
    const fits =
      text !== undefined && (form === "quoted" || form === "datetime") && times.some((one) => one.test(text));
    if (!fits) throw new QueryFault("type", written);
    return { value: plain(text, type, grammar), ...more };
  }
  const [wanted, shape] = (grammar.version === "v2" ? v2 : v4)[type] ?? (["quoted", /^[^]*$/] as const);
  const value = text ?? written;
  // An enumeration's value may carry the name of its type.
  const isNamed = wanted === "quoted" && form.includes(".");
  if ((form !== wanted && !isNamed) || !shape.test(value)) throw new QueryFault("type", written);
  return { value: plain(value, type, grammar), ...more };
}

function pick({ compareGuids, cut }: Grammar): Pick<Literal, "compareGuids" | "cut"> {
  return { ...(compareGuids && { compareGuids }), ...(cut && { cut }) };
}

/** Literals as the rows hold their values. */
function plain(text: string, type: string, { cut }: Grammar): string {
  const value =
    type === "Time"
      ? text.replace(/^PT(\d+)H(\d+)M(\d+)S$/, "$1:$2:$3")
      : type === "Int64" || type === "Decimal"
        ? text.replace(/[LM]$/i, "")
        : text;
  return cut?.(type, value) ?? value;
}

/** Negative where the value comes before the literal. */
export function compareTo(value: Json, { value: wanted, type, compareGuids, cut }: Literal): number {
  if (typeof value === "number") return value - Number(wanted);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return compareValues(type, cut?.(type, text) ?? text, wanted!, compareGuids);
}

/** Compares two values of a type as texts, numbers or instants. */
export function compareValues(type: string, a: string, b: string, compareGuids?: Grammar["compareGuids"]): number {
  if (type === "Guid" && compareGuids !== undefined) return compareGuids(a, b);
  if (type === "Int64" || type === "Decimal") return Number(a) - Number(b);
  if (a.length === b.length || !/^(Date|TimeOfDay|Time)/.test(type)) return a < b ? -1 : Number(a > b);
  const [left, right] = [instantText(a), instantText(b)];
  return left < right ? -1 : Number(left > right);
}

/** Dates, instants and times of day in one length, so that they compare as texts. */
function instantText(text: string): string {
  const [day = "", time] = text.includes("T") ? text.split("T") : /^\d{4}-/.test(text) ? [text] : ["", text];
  const clock = (time ?? "00:00:00").replace(/Z$/, "");
  return `${day}T${(clock.length === 5 ? `${clock}:00` : clock).padEnd(9, ".").padEnd(16, "0")}`;
}
