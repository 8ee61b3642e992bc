import type { App, Context } from "#server";
import { metricsType, redacted } from "#telemetry";
import type { RouteDeps } from "./route-deps.ts";
import { jsonAnswer } from "./json-answer.ts";

/** `/healthz`: the process lives. */
export function health(c: Context): Response {
  return c.text("alive\n");
}

/** `/readyz` and `/metrics`, for programs that watch this one. */
export function addProbes(app: App, { readiness, metrics, redact }: RouteDeps): void {
  app.get("/readyz", async (c) => {
    const found = redacted(await readiness(), redact);
    return jsonAnswer(c, found, found.ready ? 200 : 503);
  });
  app.get("/metrics", async (c) => c.body(await metrics.text(), 200, { "content-type": metricsType }));
}
