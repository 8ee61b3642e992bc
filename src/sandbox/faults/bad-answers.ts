import { DAY_MS } from "#model";
import { json, nothing, refusalAnswer, type ApiResponse } from "../api/answer.ts";
import type { FaultOf } from "./fault.ts";
import { spanLeftSeconds } from "./limiter.ts";

const DEFAULT_STATUS = 500;
const DEFAULT_HTML_STATUS = 502;
/** About until the end of the century. */
const DEFAULT_DAYS_AHEAD = 27_000;
const DEFAULT_REDIRECT_STATUS = 302;
const DEFAULT_GATEWAY_STATUS = 404;

/** A 429 as the service would send it; `now` is epoch milliseconds. */
export function tooManyRequests(fault: FaultOf<"tooMany" | "rateLimit" | "quota">, now: number): ApiResponse {
  const answer = refusalAnswer(429, "too many requests");
  if (fault.kind === "quota") return { ...answer, headers: { "retry-after": `${spanLeftSeconds(fault.seconds)}` } };
  const seconds = fault.retryAfterSeconds;
  if (seconds === undefined) return answer;
  const date = fault.retryAfterForm === "date";
  return { ...answer, headers: { "retry-after": date ? new Date(now + seconds * 1_000).toUTCString() : `${seconds}` } };
}

export function serverError(fault: FaultOf<"serverError">): ApiResponse {
  if (fault.html !== true) return refusalAnswer(fault.status ?? DEFAULT_STATUS, "internal server error");
  return page(fault.status ?? DEFAULT_HTML_STATUS);
}

/** A redirect to a page of the service's web interface. */
export function redirect(fault: FaultOf<"redirect">): ApiResponse {
  const status = fault.status ?? DEFAULT_REDIRECT_STATUS;
  return { status, body: "", headers: { location: "/login" }, error: "a redirect" };
}

export function gateway404(fault: FaultOf<"gateway404">): ApiResponse {
  return page(fault.status ?? DEFAULT_GATEWAY_STATUS);
}

function page(status: number): ApiResponse {
  const body = `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>\n`;
  return { status, body, headers: { "content-type": "text/html; charset=utf-8" }, error: "an HTML page" };
}

/** 200 with a JSON content type, cut off in the middle. */
export function brokenJson(answer: ApiResponse): ApiResponse {
  const body = answer.body === "" ? '{"id":' : answer.body.slice(0, Math.ceil(answer.body.length / 2));
  return { ...answer, body };
}

/** A list answer without content, whatever the list holds. */
export function emptyList(fault: FaultOf<"emptyList">, answer: ApiResponse): ApiResponse {
  switch (fault.shape) {
    case "null":
    case "array":
      return { status: 200, body: fault.shape === "null" ? "null" : "[]" };
    case "noContent":
      return nothing(204);
    case "refusal":
      return json({ success: false, errors: [] });
    case "list":
      return { ...answer, body: emptied(answer.body) };
    case "noBody":
    case undefined:
      return nothing(200);
  }
}

/** The list's own wrapper without its rows. */
function emptied(body: string): string {
  const list: unknown = JSON.parse(body);
  return JSON.stringify(list, (name, value: unknown) =>
    Array.isArray(value) ? [] : name === "totalCount" ? 0 : value,
  );
}

export function futureStamp(fault: FaultOf<"futureStamp">, answer: ApiResponse, now: number): ApiResponse {
  const at = new Date(now + (fault.days ?? DEFAULT_DAYS_AHEAD) * DAY_MS).toISOString();
  return { ...answer, body: answer.body.replace(/"modified":"[^"]*"/, `"modified":"${at}"`) };
}

export function oddId(fault: FaultOf<"oddId">, answer: ApiResponse): ApiResponse {
  return { ...answer, body: answer.body.replace(/"id":\d+/, `"id":${fault.id ?? "1e30"}`) };
}
