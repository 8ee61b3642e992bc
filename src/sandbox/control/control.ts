import type { IncomingMessage, Server } from "node:http";
import { SyncError } from "#model";
import { newApp, nodeServer } from "#server";
import { addCommands, type ControlDeps } from "./commands.ts";
import { renderPage } from "./page.ts";

const ROOT = "/__sandbox/";

/** The control server: one page for people, and the same as JSON for programs. It shows neither passwords nor tokens. */
export function openControl(deps: ControlDeps): Server {
  const app = newApp({
    defaultSrc: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
  });
  app.onError((error, c) =>
    c.json({ error: error.message, code: error instanceof SyncError ? error.code : undefined }, 400),
  );
  app.notFound((c) =>
    c.req.path.startsWith(ROOT)
      ? c.json({ error: `there is no ${c.req.method} ${c.req.path}` }, 404)
      : c.redirect(ROOT),
  );
  app.use(async (c, next) => {
    if (!isFromHere(c.env.incoming)) return c.json({ error: "requests from other sites are refused" }, 403);
    await next();
    // A button of the page leads back to it; a program gets the command's answer.
    if (c.res.ok && c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded"))
      c.res = c.redirect(ROOT, 303);
  });
  app.get(ROOT, (c) => c.html(renderPage(deps, new URL(c.req.url).searchParams)));
  addCommands(app.basePath(ROOT), deps);
  return nodeServer(app);
}

/**
 * Whether the request comes from our own page or a program: a page of another site may not control the sandbox through a
 * user's browser.
 */
function isFromHere({ headers, method }: IncomingMessage): boolean {
  if (method === "GET" || headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
