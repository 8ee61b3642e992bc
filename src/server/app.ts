import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import { type Context as HonoContext, Hono, type MiddlewareHandler } from "hono";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { createServer, type Server, type ServerOptions } from "node:http";

interface ServerEnv {
  Bindings: HttpBindings;
}

/** The routes of a server. */
export type App = Hono<ServerEnv>;
export type Context = HonoContext<ServerEnv>;
export type Middleware = MiddlewareHandler<ServerEnv>;

type SecureHeaders = NonNullable<Parameters<typeof secureHeaders>[0]>;
/** The `Content-Security-Policy`, by directive. */
export type ContentPolicy = NonNullable<SecureHeaders["contentSecurityPolicy"]>;

/** Maximum size of a body in bytes; forms and commands are short. */
const bodyMax = 64 * 1024;

/**
 * An application without routes. Its answers carry security headers and are never cached, because they describe the
 * current state. A wrong method gets 405 with `Allow`, an address that cannot be decoded 400, a body above 64 KiB 413,
 * and one of unknown length 411. `outermost` sees all of these.
 */
export function newApp(policy: ContentPolicy, outermost: Middleware = (_, next) => next()): App {
  const app: App = new Hono<ServerEnv>();
  app.use(
    outermost,
    secureHeaders({
      contentSecurityPolicy: policy,
      // Without a referrer, browsers would not tell where a form came from.
      referrerPolicy: "same-origin",
      xFrameOptions: "DENY",
      // This server cannot know whether other servers of the same name use HTTPS.
      strictTransportSecurity: false,
    }),
    async (c, next) => {
      await next();
      c.res.headers.set("cache-control", "no-store");
    },
    methodNotAllowed<ServerEnv>({
      app,
      onMethodNotAllowed: (c, methods) => c.text("method not allowed\n", 405, { allow: methods.join(", ") }),
    }),
    async (c, next) => (isAddress(c.env.incoming.url) ? next() : c.text("bad request\n", 400)),
    async (c, next) => {
      // hono's own limit creates a new Request, which requires replacing globals of the whole process.
      const { "transfer-encoding": chunked, "content-length": length = 0 } = c.env.incoming.headers;
      if (chunked !== undefined) return c.text("send the body with its content-length\n", 411);
      return Number(length) > bodyMax ? c.text("the body is too large\n", 413) : next();
    },
  );
  app.notFound((c) => c.text("not found\n", 404));
  return app;
}

/** Whether a request names a path, as browsers and probes do, and all its parts can be decoded. */
function isAddress(url = "/"): boolean {
  if (!url.startsWith("/")) return false;
  try {
    decodeURIComponent(url.split("?", 1)[0]!);
    return true;
  } catch {
    return false;
  }
}

/** A Node server that answers with `app`; it does not listen yet. Bodies that no route reads are discarded. */
export function nodeServer(app: App, options: ServerOptions = {}): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    // A probe that uses HTTP/1.0 sends no Host.
    hostname: "localhost",
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      error instanceof RequestError
        ? new Response("bad request\n", { status: 400 })
        : new Response("internal error\n", { status: 500 }),
  });
  return createServer(options, (request, response) => void listener(request, response));
}
