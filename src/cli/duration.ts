const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** `90000` as `1 min`: one number and the largest unit that fits, for tables that people read. */
export function roughly(ms: number): string {
  for (const [unit, size] of units) if (ms >= size) return `${Math.floor(ms / size)} ${unit}`;
  return `${Math.max(0, Math.round(ms))} ms`;
}
