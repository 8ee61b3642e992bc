import { ParkError } from "#model";
import { jsonText } from "../wire/stamps/values.ts";
import type { Manners } from "./presets.ts";
import { plainValue } from "./values.ts";

const INTEGER = /^-?\d{1,20}$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const DATE = /^-?\d{4,}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d(:\d\d(\.\d+)?)?$/;
const INSTANT = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/i;
const DURATION = /^-?P[\dDTHMS.]+$/;

/** What values of a type look like, and how v2 and v4 write them in a filter and an address. */
interface Form {
  readonly shape: RegExp;
  readonly v2: (value: string) => string;
  readonly v4: (value: string) => string;
  /** Set for dates and times, which some services want in quotes. */
  readonly time?: true;
}

const bare = (value: string) => value;
const forms: Readonly<Record<string, Form>> = {
  Byte: { shape: INTEGER, v2: bare, v4: bare },
  SByte: { shape: INTEGER, v2: bare, v4: bare },
  Int16: { shape: INTEGER, v2: bare, v4: bare },
  Int32: { shape: INTEGER, v2: bare, v4: bare },
  Int64: { shape: INTEGER, v2: (value) => `${value}L`, v4: bare },
  Decimal: { shape: NUMBER, v2: (value) => `${value}M`, v4: bare },
  Double: { shape: NUMBER, v2: (value) => `${value}d`, v4: bare },
  Single: { shape: NUMBER, v2: (value) => `${value}f`, v4: bare },
  Boolean: { shape: /^(true|false)$/, v2: bare, v4: bare },
  Guid: { shape: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i, v2: (value) => `guid'${value}'`, v4: bare },
  Date: { shape: DATE, v2: bare, v4: bare, time: true },
  TimeOfDay: { shape: TIME, v2: bare, v4: bare, time: true },
  DateTime: { shape: INSTANT, v2: (value) => `datetime'${value}'`, v4: bare, time: true },
  DateTimeOffset: { shape: INSTANT, v2: (value) => `datetimeoffset'${value}'`, v4: bare, time: true },
  Time: { shape: DURATION, v2: (value) => `time'${value}'`, v4: (value) => `duration'${value}'` },
  Duration: { shape: DURATION, v2: (value) => `time'${value}'`, v4: (value) => `duration'${value}'` },
};

/**
 * Writes a row's value for a filter, by its type in `$metadata`. Texts and types without a form of their own are quoted.
 * @throws {ParkError} E_SOURCE_KEY when the value does not look like its type, because it would be read as a condition.
 */
export function literal(value: string, type: string, { version, quotedTimes }: Manners): string {
  const form = Object.entries(forms).find(([name]) => type === `Edm.${name}`)?.[1];
  if (form === undefined) return `'${value.replaceAll("'", "''")}'`;
  // v2 writes instants as `/Date(…)/` in JSON, and as ISO text in addresses.
  const plain = value.startsWith("/Date(") ? jsonText(plainValue(value)) : value;
  if (!form.shape.test(plain))
    throw new ParkError("E_SOURCE_KEY", `a key is ${JSON.stringify(value.slice(0, 60))}, which is no ${type}`);
  return form.time && quotedTimes ? `'${plain}'` : form[version](plain);
}
