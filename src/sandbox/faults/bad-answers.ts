import { refused, type Answer } from "../api/answer.ts";
import type { FaultOf } from "./fault.ts";

const DEFAULT_STATUS = 500;
const DEFAULT_HTML_STATUS = 502;

/** 429 as the service would say it; `now` is epoch milliseconds. */
export function tooMany(fault: FaultOf<"tooMany">, now: number): Answer {
  const answer = refused(429, "too many requests");
  const seconds = fault.retryAfterSeconds;
  if (seconds === undefined) return answer;
  const date = fault.retryAfterForm === "date";
  return { ...answer, headers: { "retry-after": date ? new Date(now + seconds * 1_000).toUTCString() : `${seconds}` } };
}

export function serverError(fault: FaultOf<"serverError">): Answer {
  if (fault.html !== true) return refused(fault.status ?? DEFAULT_STATUS, "internal server error");
  const status = fault.status ?? DEFAULT_HTML_STATUS;
  const body = `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>gateway</body></html>\n`;
  return { status, body, headers: { "content-type": "text/html; charset=utf-8" }, error: "an HTML page" };
}

/** 200, JSON by its header, and torn in the middle. */
export function brokenJson(answer: Answer): Answer {
  const body = answer.body === "" ? '{"id":' : answer.body.slice(0, Math.ceil(answer.body.length / 2));
  return { ...answer, body };
}
