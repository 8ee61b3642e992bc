import type { Redact } from "#telemetry";

/** A copy in which every text has gone through `redact`: what a page or an answer shows holds no secret. */
export function redacted<Value>(value: Value, redact: Redact): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the copy has the shape of the value
  return copy(value, redact) as Value;
}

function copy(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member: unknown) => copy(member, redact));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), copy(member, redact)]));
}
