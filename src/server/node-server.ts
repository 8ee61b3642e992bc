import { createServer, type Server, type ServerOptions } from "node:http";
import { getRequestListener, RequestError } from "@hono/node-server";
import type { App } from "./app.ts";

/** A Node server that answers with `app`; it does not listen yet. Bodies that no route reads are thrown away. */
export function nodeServer(app: App, options: ServerOptions = {}): Server {
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    // A probe of HTTP/1.0 sends no Host.
    hostname: "localhost",
    overrideGlobalObjects: false,
    errorHandler: (error) =>
      error instanceof RequestError
        ? new Response("bad request\n", { status: 400 })
        : new Response("internal error\n", { status: 500 }),
  });
  return createServer(options, (request, response) => void listener(request, response));
}
