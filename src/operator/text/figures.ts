import type { ArrivalTimes } from "#pipeline";

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

/** The usual time of a change from the ERP to the service, and that of all but the slowest twentieth. */
export function arrivalText({ medianMs, p95Ms }: ArrivalTimes): string {
  return `${boundText(medianMs)} (95 %: ${boundText(p95Ms)})`;
}

function boundText(ms: number): string {
  if (!Number.isFinite(ms)) return "more than 3 d";
  return ms % 1_000 === 0 ? duration(ms) : `${ms / 1_000} s`;
}
