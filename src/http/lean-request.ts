import { request as plain, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as secure } from "node:https";

/**
 * Sends as Node does. got names every option it has, most of them without a value, and Node copies all of them
 * three times: for a small request that is a tenth of its cost.
 */
export function leanRequest(
  url: URL,
  options: RequestOptions,
  answered?: (answer: IncomingMessage) => void,
): ClientRequest {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return (url.protocol === "https:" ? secure : plain)(url, given, answered);
}
