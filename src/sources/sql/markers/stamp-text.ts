/**
 * A moment on a stamp column's own scale, in milliseconds: UTC if stamps have a zone, otherwise the wall clock's digits read as if
 * they were UTC. Stamps of one kind compare like these numbers.
 */
export type ScaleMs = number;

const stampText =
  /^(\d{4})-(\d\d)-(\d\d)(?:([ T])(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?$/;

export interface StampParts {
  /** The digits, as if they were UTC. */
  readonly wallMs: number;
  readonly separator: string;
  readonly granularity: "day" | "minute" | "second";
  /** Empty if the text has no zone. */
  readonly zone: string;
  /** `wallMs` minus the zone's offset. */
  readonly utcMs: number;
}

/** Parses `2025-03-01`, `2025-03-01 10:00[:00[.123456]]`, with T or a space, with or without a zone; else returns undefined. */
export function parseStampText(text: string): StampParts | undefined {
  const match = stampText.exec(text);
  if (!match) return undefined;
  const [, year, month, day, separator = "", hour, minute, second, fraction, zone = ""] = match;
  const wallMs =
    Date.UTC(
      Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour ?? 0),
      Number(minute ?? 0),
      Number(second ?? 0),
    ) + (fraction === undefined ? 0 : Math.floor(Number(`0.${fraction}`) * 1000));
  const granularity = hour === undefined ? "day" : second === undefined ? "minute" : "second";
  const utcMs = zone === "" || zone === "Z" ? wallMs : wallMs - offsetMs(zone);
  return { wallMs, separator, granularity, zone, utcMs };
}

function offsetMs(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return (match[1] === "-" ? -minutes : minutes) * 60_000;
}

/** `2025-03-01T10:00:00`: whole seconds, never later than `at`. */
export function secondText(at: ScaleMs): string {
  return new Date(at).toISOString().slice(0, 19);
}
