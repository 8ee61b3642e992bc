const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` and nothing else: UTC, exactly milliseconds, a moment that exists. */
export function isInstant(value: unknown): value is string {
  if (typeof value !== "string" || !SHAPE.test(value)) return false;
  const at = Date.parse(value);
  return !Number.isNaN(at) && new Date(at).toISOString() === value;
}
