import type { IncomingMessage, Server } from "node:http";
import { newApp, nodeServer } from "#server";
import type { ApiSessions } from "../api/sessions.ts";
import { RequestRefusal } from "../api/answer.ts";
import type { People } from "../people.ts";
import { formOf, peopleAct } from "./people-acts.ts";
import { renderPage, type ControlPageDeps } from "./page.ts";

const ROOT = "/__sandbox/";

export interface ControlDeps extends ControlPageDeps {
  readonly people: People;
  readonly sessions: Pick<ApiSessions, "revoke">;
  readonly reset: () => Promise<void>;
}

/** The control server: one page for people, and the commands of its buttons. It shows neither passwords nor tokens. */
export function openControl(deps: ControlDeps): Server {
  const app = newApp({
    defaultSrc: ["'none'"],
    styleSrc: ["'unsafe-inline'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
  });
  app.notFound((c) => c.redirect(ROOT));
  app.use(async (c, next) => {
    if (!isFromHere(c.env.incoming)) return c.text("requests from other sites are refused", 403);
    await next();
  });
  app.get(ROOT, (c) => c.html(renderPage(deps, new URL(c.req.url).searchParams)));
  const acts: Readonly<Record<string, () => unknown>> = {
    "faults-clear": () => deps.faults.clear(),
    "tokens-revoke": () => deps.sessions.revoke(),
    reset: deps.reset,
  };
  for (const [name, act] of Object.entries(acts))
    app.post(ROOT + name, async (c) => {
      await act();
      return c.redirect(ROOT, 303);
    });
  app.post(`${ROOT}people/:act`, async (c) => {
    try {
      const form = formOf(await c.req.parseBody());
      peopleAct(deps.people, c.req.param("act"), form);
      return c.redirect(`${ROOT}?resource=${encodeURIComponent(form.resource)}&id=${form.id}`, 303);
    } catch (thrown) {
      if (thrown instanceof RequestRefusal) return c.text(thrown.message, 400);
      throw thrown;
    }
  });
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
