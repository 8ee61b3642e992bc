import { errorFacts } from "#model";
import { newApp, type App, type Middleware } from "#server";
import type { HostNames } from "./hosts.ts";
import { contentPolicy } from "./pages/style.ts";
import { addProbes, health } from "./probes.ts";
import { addRecords } from "./records-routes.ts";
import type { RouteDeps } from "./route-deps.ts";
import { addStatus } from "./status-routes.ts";

/** All that is served. Requests to names that are not ours get nothing but `/healthz`. */
export function webApp(deps: RouteDeps, names: HostNames): App {
  const app = newApp(contentPolicy);
  app.onError((err, c) => {
    const { code, message } = errorFacts(err);
    deps.logger.warn({ path: c.req.path, err }, "failed to answer a page");
    return c.text(deps.redact(`this cannot be shown now: ${code} ${message}\n`), 500);
  });
  // Alive is no secret, and a probe may call the process by any name.
  app.get("/healthz", health);
  app.use(refuseForeignNames(names));
  addProbes(app, deps);
  addStatus(app, deps);
  addRecords(app, deps, names);
  return app;
}

function refuseForeignNames(names: HostNames): Middleware {
  return async (c, next) =>
    names.isOurs(c.env.incoming.headers.host)
      ? next()
      : c.text(
          "This is not a name of svcsync's page. If a proxy or a name of your own leads here, put that name into HEALTH_NAMES.\n",
          421,
        );
}
