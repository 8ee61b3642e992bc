import { isJsonObject, ParkError, RetryError, WaitError, parsedJson, type Json, type SyncError } from "#model";
import { saysNoRows } from "../stamps/error-in.ts";
import { HttpFailure, retryAfterMs, type HttpAnswer } from "#http";

const MESSAGE_LENGTH = 300;
/** Characters of a text that is too short to be recognised as a secret. */
const SHORT = 3;
const DEFAULT_WAIT_MS = 30_000;
/** What nginx, Apache and Go answer to http on an https port. */
const PLAIN_AT_HTTPS = /plain HTTP (request was sent )?to (an? )?(HTTPS|SSL|TLS)|HTTP request to an HTTPS server/i;

/** Returns the error that an unsuccessful status means for the stream. */
export function statusError(
  answer: HttpAnswer,
  place: string,
  now: number,
  secrets: readonly string[],
  passing = false,
): SyncError {
  const { status } = answer;
  const said = quoted(answer, secrets);
  const details = { status, place };
  if (status === 429 || status === 503) {
    const afterMs = retryAfterMs(answer.headers["retry-after"], now, answer.headers.date) ?? DEFAULT_WAIT_MS;
    return new WaitError("E_SOURCE_BUSY", `${place}: the ERP asks for patience (${status})${said}`, {
      afterMs,
      details,
    });
  }
  // 501 says that the ERP will never do what was asked: Business Central answers it to `or` over two properties.
  if (passing || (status >= 500 && status !== 501) || status === 408)
    return new RetryError("E_SOURCE_FAILED", `${place}: the ERP failed with ${status}${said}`, { details });
  if (status === 401) return loginRefused(answer, place, secrets);
  if (status === 403)
    return new ParkError("E_SOURCE_FORBIDDEN", `${place}: the user may not read this (403)${said}`, { details });
  if (status === 404)
    return new ParkError("E_SOURCE_NOT_FOUND", `${place}: there is nothing at this address (404)${said}`, { details });
  if (status === 400 && PLAIN_AT_HTTPS.test(said))
    return new ParkError("E_SOURCE_REQUEST", `${place}: the server speaks https at this port: write https in \`url\``, {
      details,
    });
  return new ParkError("E_SOURCE_REQUEST", `${place}: the ERP refused the request with ${status}${said}`, { details });
}

/**
 * Whether the API itself answered 404: with JSON, perhaps after warnings, or without a body. A proxy also answers 404 while the ERP
 * behind it restarts, but with a page or a line of text.
 */
export function isOwn404({ status, excerpt }: HttpAnswer): boolean {
  return status === 404 && /^$|^[[{"]|[\]}]$/.test(excerpt);
}

/** Whether the API itself answered 404 because a list has no rows. That an API or a module is missing is no empty list. */
export function isEmpty404(answer: HttpAnswer): boolean {
  const { excerpt } = answer;
  // Warnings of PHP may come before the body.
  const body = excerpt.slice(Math.max(0, excerpt.search(/[[{]/)));
  return isOwn404(answer) && saysNoRows(messageIn(body));
}

export function loginRefused(answer: HttpAnswer, place: string, secrets: readonly string[]): ParkError {
  const said = quoted(answer, secrets);
  return new ParkError("E_SOURCE_LOGIN", `${place}: the ERP refused the credentials (${answer.status})${said}`, {
    details: { status: answer.status, place },
  });
}

/** Translates an exchange without an answer, or with one that cannot be read. Returns any other error as it is. */
export function exchangeError(thrown: unknown): unknown {
  if (!(thrown instanceof HttpFailure)) return thrown;
  const { reason, message } = thrown;
  if (reason === "origin") return new ParkError("E_SOURCE_ORIGIN", message, { cause: thrown });
  if (reason === "encoding") return new ParkError("E_SOURCE_ENCODING", message, { cause: thrown });
  if (reason === "too-large")
    return new ParkError(
      "E_SOURCE_TOO_LARGE",
      `${message}; lower the stream's \`size\` (rows per page) or raise the source's \`answerLimitMb\``,
      { cause: thrown },
    );
  return new RetryError("E_SOURCE_UNREACHABLE", `the ERP did not answer: ${thrown.message}`, { cause: thrown });
}

export function notJson(answer: HttpAnswer, place: string, cause: unknown): RetryError {
  const type = answer.headers["content-type"] ?? "no content type";
  const title = /<title>([^<]{1,100})/i.exec(answer.excerpt)?.[1]?.trim();
  const page = `a web page${title === undefined ? "" : ` ("${title}")`}: \`url\` leads to the web interface, or to a page that stands before the API`;
  const what = answer.excerpt.startsWith("<") ? page : `${type} that is not JSON`;
  return new RetryError("E_SOURCE_ANSWER", `${place}: answered ${answer.status} with ${what}`, { cause });
}

/** Returns the server's own words, shortened and without our secrets; empty if it said nothing readable. */
function quoted(answer: HttpAnswer, secrets: readonly string[]): string {
  const words = redacted(messageIn(answer.excerpt), secrets);
  if (words === "") return "";
  const code = redacted(codeIn(answer.excerpt), secrets);
  const isSaid = code === "" || code === String(answer.status) || words.includes(code);
  return `: ${words.slice(0, MESSAGE_LENGTH)}${isSaid ? "" : ` (${code})`}`;
}

/** Short texts such as a user's role may be part of any answer: they are no secrets. */
function redacted(words: string, secrets: readonly string[]): string {
  let rest = words;
  for (const secret of secrets) if (secret.length > SHORT) rest = rest.replaceAll(secret, "[redacted]");
  return rest;
}

function messageIn(text: string): string {
  const body = parsedJson(text);
  return body === undefined ? withoutTags(text).replace(/\s+/g, " ").trim() : (messageOf(body) ?? "");
}

/** The server's code of an error: where the words are the same, it alone tells two causes apart. */
function codeIn(text: string): string {
  const body = parsedJson(text);
  const error = isJsonObject(body) ? (isJsonObject(body["error"]) ? body["error"] : body) : {};
  const { code } = error;
  const isCode = (typeof code === "string" && /^[\w./-]{1,60}$/.test(code)) || typeof code === "number";
  return isCode ? String(code) : "";
}

/** Returns the words of a page, in one pass. An unclosed tag ends it. */
function withoutTags(page: string): string {
  let words = "";
  for (let at = 0; at < page.length;) {
    const tag = page.indexOf("<", at);
    if (tag < 0) return words + page.slice(at);
    words += `${page.slice(at, tag)} `;
    const hidden = /^<(style|script)/i.exec(page.slice(tag, tag + 8))?.[1];
    const end = hidden === undefined ? tag : page.indexOf(`</${hidden}`, tag);
    const close = end < 0 ? -1 : page.indexOf(">", end);
    if (close < 0) return words;
    at = close + 1;
  }
  return words;
}

/** Where errors have their message, the best first. Frappe without tracebacks has only the last three. */
const MESSAGES =
  "message value error_description detail error exception title errors messages _server_messages _error_message exc_type".split(
    " ",
  );

/** Returns an error's message, which has many spellings: `message`, `error.message.value`, `exception`, `detail`, … */
function messageOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) return messageOf(value[0]);
  if (!isJsonObject(value)) return undefined;
  for (const name of MESSAGES) {
    const found = name === "_server_messages" ? serverMessage(value[name]) : messageOf(value[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Frappe writes messages as JSON in a JSON list in a text, with HTML in it. */
function serverMessage(value: Json | undefined): string | undefined {
  if (typeof value !== "string") return undefined;
  try {
    const list: Json = JSON.parse(value);
    const first = Array.isArray(list) ? list[0] : undefined;
    const said: Json | undefined = typeof first === "string" && first.startsWith("{") ? JSON.parse(first) : first;
    const found = messageOf(said);
    return found === undefined ? undefined : withoutTags(found).replace(/\s+/g, " ").trim();
  } catch {
    return withoutTags(value).trim();
  }
}
