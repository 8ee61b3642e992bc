const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `30s`, `5m`, `2h` in milliseconds, or undefined when the text is none of these or zero. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * unitMs[unit as keyof typeof unitMs];
}
