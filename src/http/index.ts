export type { HttpClient, HttpRequest, HttpSettings } from "./client.ts";
export { openHttp } from "./open.ts";
export { HttpAnswer } from "./answer.ts";
export { parseInTurns } from "./parse-in-turns.ts";
export { HttpFailure, type HttpFailureReason } from "./failure.ts";
export { repeating, retryAfterMs, type RepeatPolicy } from "./repeat.ts";
