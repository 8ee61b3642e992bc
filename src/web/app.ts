import { errorFacts } from "#model";
import { newApp, type App, type Context, type Middleware } from "#server";
import { metricsType, redacted } from "#telemetry";
import { Gate, ownPath } from "./access/gate.ts";
import type { HostNames } from "./access/hosts.ts";
import { problemPage } from "./pages/frame/problem-page.ts";
import { contentPolicy } from "./pages/frame/style.ts";
import { jsonAnswer, type PageDeps, type RouteDeps } from "./route-deps.ts";
import { addActs } from "./routes/acts.ts";
import { addDecisions } from "./routes/decisions.ts";
import { addHistory } from "./routes/history.ts";
import { addLogin } from "./routes/login.ts";
import { addNudge } from "./routes/nudge.ts";
import { addRecords } from "./routes/records.ts";
import { addReturns } from "./routes/returns.ts";
import { addStatus } from "./routes/status.ts";

/**
 * All routes. Requests for names that are not ours get only `/healthz`. Pages and JSON are behind the gate, and every
 * POST behind its rule for acts.
 */
export function webApp(deps: RouteDeps, names: HostNames, host: string): App {
  const { logger, access, pageSecret, notes, clock, version } = deps;
  const app = newApp(contentPolicy, problemsInTheirForm(version));
  app.onError((err, c) => {
    const { code, message } = errorFacts(err);
    logger.warn({ path: c.req.path, err }, "failed to answer a page");
    return c.text(deps.redact(`this cannot be shown now: ${code} ${message}\n`), 500);
  });
  const gate = new Gate({ access, pageSecret, host, names, clock, notes });
  if (gate.closedBecause !== undefined) logger.warn({ host }, "status page closed: it has no credentials");
  // Being alive is not a secret, and a probe may use any name.
  app.get("/healthz", (c) => c.text("alive\n"));
  app.use(refuseForeignNames(names));
  if (gate.opensProbes) addProbes(app, deps);
  addNudge(app, deps.nudges);
  addLogin(app, gate, version);
  app.use(gate.reading);
  if (!gate.opensProbes) addProbes(app, deps);
  app.use(gate.acting);
  const pageDeps: PageDeps = {
    ...deps,
    frameOf: (c) => ({ version, visitor: gate.visitor(c), login: gate.loginOf(c) }),
  };
  addStatus(app, pageDeps);
  addRecords(app, pageDeps);
  addReturns(app, pageDeps);
  addDecisions(app, pageDeps);
  addHistory(app, pageDeps);
  addActs(app, pageDeps, gate);
  return app;
}

/** `/readyz` and `/metrics`, for programs that watch this one. */
function addProbes(app: App, { readiness, metrics, redact }: RouteDeps): void {
  app.get("/readyz", async (c) => {
    const found = redacted(await readiness(), redact);
    return jsonAnswer(c, found, found.ready ? 200 : 503);
  });
  app.get("/metrics", async (c) => c.body(await metrics.text(), 200, { "content-type": metricsType }));
}

/** Browsers get a page where a program gets a line; scripts of the JSON API get `error`. */
function problemsInTheirForm(version: string): Middleware {
  return async (c, next) => {
    await next();
    const { status, headers } = c.res;
    if (status < 400 || !headers.get("content-type")?.startsWith("text/plain")) return;
    const isApi = c.req.path.startsWith("/api/");
    if (!isApi && !c.req.header("accept")?.includes("text/html")) return;
    const text = await c.res.text();
    const body = isApi
      ? `${JSON.stringify({ error: text.trim() })}\n`
      : problemPage({ status, text, version, from: formPage(c) }).toString();
    const kept = new Headers(headers);
    kept.set("content-type", isApi ? "application/json" : "text/html; charset=UTF-8");
    c.res = new Response(body, { status, headers: kept });
  };
}

/** The page whose form was sent. Reloading the answer to a form would send the form again. */
function formPage(c: Context): string | undefined {
  const referrer = c.req.method === "POST" ? c.req.header("referer") : undefined;
  if (referrer === undefined || !URL.canParse(referrer)) return undefined;
  const { pathname, search } = new URL(referrer);
  return ownPath(`${pathname}${search}`);
}

function refuseForeignNames(names: HostNames): Middleware {
  return async (c, next) =>
    names.isOurs(c.env.incoming.headers.host)
      ? next()
      : c.text(
          "svcsync does not serve its page under this name. If a proxy or a name of your own leads here, add it to HEALTH_NAMES.\n",
          421,
        );
}
