import type { ServerResponse } from "node:http";
import { withIsoTimes } from "#operator";
import type { Html } from "./pages/html.ts";
import { contentSecurityPolicy } from "./pages/style.ts";

/** The response to a request. */
export interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function htmlResponse(page: Html, status = 200): HttpResponse {
  return { status, type: "text/html; charset=utf-8", body: page.text };
}

export function jsonResponse(value: unknown, status = 200): HttpResponse {
  return { status, type: "application/json", body: `${JSON.stringify(withIsoTimes(value), null, 2)}\n` };
}

export function textResponse(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  return { status, type: "text/plain; charset=utf-8", body: `${body}\n`, headers };
}

/** 303: the browser fetches `path` with GET, so that loading the page again does not repeat the verb. */
export function seeOther(path: string): HttpResponse {
  return textResponse(`see ${path}`, 303, { location: path });
}

/**
 * Sends the answer. Nothing is cached, since everything is true only now. The referrer stays within the same origin and
 * not out of it: with none at all browsers would not say where a form came from.
 */
export function send(response: ServerResponse, { status, type, body, headers }: HttpResponse, withBody: boolean): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "content-security-policy": contentSecurityPolicy,
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    ...headers,
  });
  response.end(withBody ? body : undefined);
}
