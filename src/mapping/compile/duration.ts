const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `30s`, `5m`, `2h` in milliseconds, or undefined when the text is none of these or zero. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ""] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  const factor = unitMs[unit];
  return factor === undefined ? undefined : Number(count) * factor;
}
