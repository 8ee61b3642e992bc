const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1000 },
] as const;

/** `90000` as `1 min`: one number and the largest unit that fits, rounded down. */
export function duration(ms: number): string {
  const unit = units.find((candidate) => ms >= candidate.ms);
  return unit === undefined ? "0 s" : `${Math.floor(ms / unit.ms)} ${unit.name}`;
}
