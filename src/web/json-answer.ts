import { withIsoTimes } from "#operator";
import type { Context } from "#server";

/** An answer for scripts, with instants as ISO 8601 text. */
export function jsonAnswer(
  c: Context,
  value: unknown,
  status: 200 | 202 | 400 | 401 | 404 | 409 | 503 = 200,
): Response {
  return c.body(`${JSON.stringify(withIsoTimes(value), null, 2)}\n`, status, { "content-type": "application/json" });
}
