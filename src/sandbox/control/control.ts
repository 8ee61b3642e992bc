import { createServer, type IncomingMessage, type Server } from "node:http";
import { SyncError } from "#model";
import { readBody } from "../request-body.ts";
import { carryOut, type ControlDeps } from "./commands.ts";
import { renderPage } from "./page.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const ROOT = "/__sandbox/";
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'";
const HTML = { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY };

/** The control server: one page for people, and the same as JSON for programs. It shows no password and no token. */
export function openControl(parts: ControlDeps): Server {
  return createServer((request, response) => {
    readBody(request, response, (body) => {
      void replyTo(parts, request, body)
        .catch((error: unknown) =>
          asJson(400, {
            error: error instanceof Error ? error.message : String(error),
            code: error instanceof SyncError ? error.code : undefined,
          }),
        )
        .then((reply) => response.writeHead(reply.status, reply.headers).end(reply.text));
    });
  });
}

async function replyTo(parts: ControlDeps, request: IncomingMessage, body: Buffer | undefined): Promise<Reply> {
  if (!fromHere(request)) return asJson(403, { error: "requests from other sites are refused" });
  const url = new URL(request.url ?? "/", "http://sandbox");
  if (!url.pathname.startsWith(ROOT)) return movedTo(302);
  const path = url.pathname.slice(ROOT.length).split("/").filter(Boolean).map(decodeURIComponent);
  const method = request.method ?? "GET";
  if (path.length === 0 && method === "GET")
    return { status: 200, headers: HTML, text: renderPage(parts, url.searchParams) };
  const form = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  const sent: unknown = form || body === undefined ? undefined : JSON.parse(body.toString("utf8"));
  const value = await carryOut(parts, { method, path, query: url.searchParams, body: sent });
  if (value === undefined) return asJson(404, { error: `there is no ${method} ${url.pathname}` });
  return form ? movedTo(303) : asJson(200, value);
}

function asJson(status: number, value: unknown): Reply {
  return { status, headers: { "content-type": "application/json; charset=utf-8" }, text: JSON.stringify(value) };
}

function movedTo(status: 302 | 303): Reply {
  return { status, headers: { location: ROOT }, text: "" };
}

/** A page of another site may not control the sandbox through a user's browser. */
function fromHere({ headers, method }: IncomingMessage): boolean {
  if (method === "GET" || headers.origin === undefined) return true;
  return URL.canParse(headers.origin) && new URL(headers.origin).host === headers.host;
}
