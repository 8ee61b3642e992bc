import {
  isJsonObject,
  ParkError,
  RetryError,
  WaitError,
  type ErrorCode,
  type ErrorExtras,
  parsedJson,
  type Json,
  type ResourceName,
  type SyncError,
} from "#model";
import { HttpFailure, retryAfterMs, type HttpAnswer } from "#http";

/**
 * The service refused a request, and a person has to correct the record or the request. `isOwnWord` is true when the
 * answer has the form of the service's own errors, which a gateway in between does not know.
 */
export class ServiceRefusal extends ParkError {
  readonly status: number;
  readonly isOwnWord: boolean;

  constructor(code: ErrorCode, message: string, status: number, extras: ErrorExtras & { readonly isOwnWord: boolean }) {
    super(code, message, extras);
    this.status = status;
    this.isOwnWord = extras.isOwnWord;
  }
}

/** The service refused a request. After another request, or without a gateway in between, the answer may differ. */
export function isRefusal(thrown: unknown): thrown is ServiceRefusal {
  return thrown instanceof ServiceRefusal;
}

/** The service says that the addressed record does not exist. */
export function saysGone({ status }: ServiceRefusal): boolean {
  return status === 404 || status === 410;
}

/** A 404 for a collection: the tenant does not have the resource at all. */
export function unknownResource(resource: ResourceName, cause: ServiceRefusal): ServiceRefusal {
  const why = "another spelling, a path of DIALECT_PATHS, or a module that is not licensed";
  const details = { resource };
  return new ServiceRefusal("E_RESOURCE_UNKNOWN", `the tenant has no ${resource} (404): ${why}`, 404, {
    cause,
    details,
    isOwnWord: cause.isOwnWord,
  });
}

/** Pause after a busy answer that does not state one. */
const BUSY_PAUSE_MS = 1000;
/** A Retry-After beyond this is treated as a mistake. */
const BUSY_PAUSE_MAX_MS = 300_000;
/** Characters of the service's message that are kept. */
const MESSAGE_LENGTH = 300;

/**
 * Statuses that by definition (RFC 9110, 6585, 7725) mean that the request was not carried out and that repeating it
 * would not help. Every other status, redirects included, leaves the outcome of a write unknown.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  400, 402, 403, 404, 405, 407, 409, 410, 411, 412, 413, 414, 415, 417, 421, 422, 426, 428, 431, 451, 501,
]);

/**
 * The error for an answer that is not 2xx, or only nominally so ({@link isFailure}). `write`: carrying the request out
 * twice would matter. 401 is not included: the session handles it.
 */
export function answerError(answer: HttpAnswer, write: boolean, now: number): SyncError {
  const { status, place } = answer;
  const said = serviceMessage(answer);
  const isPage = REFUSALS.has(status) && isWebPage(answer);
  const page = isPage ? "; that is a web page, not the API: is SERVICE_URL the tenant's address?" : "";
  const message = `${place} answered ${status}${said === "" ? "" : `: ${said}`}${page}`;
  const details = { status, said };
  if (status === 429) {
    return new WaitError("E_SERVICE_BUSY", message, {
      afterMs: Math.min(BUSY_PAUSE_MAX_MS, askedPauseMs(answer, now) ?? BUSY_PAUSE_MS),
      details,
    });
  }
  if (REFUSALS.has(status))
    return new ServiceRefusal("E_SERVICE_REFUSED", message, status, { details, isOwnWord: isOwnWord(answer) });
  if (status >= 400 || answer.ok)
    return new RetryError("E_SERVICE_FAILED", message, { outcomeUnknown: write, details });
  const to = answer.headers.location ?? "nowhere";
  const text = `${place} answered ${status} and points to ${withoutQuery(to)}: is SERVICE_URL the tenant's address?`;
  return new RetryError("E_SERVICE_ANSWER", text, { outcomeUnknown: write, details: { status } });
}

/** The pause that a 429 asks for, in milliseconds; undefined when it states none. */
export function askedPauseMs({ headers }: HttpAnswer, now: number): number | undefined {
  return retryAfterMs(headers["retry-after"], now, headers.date);
}

/** The error for a failed exchange: no answer, or an unreadable one. Anything else that was thrown is returned unchanged. */
export function failedExchange(failure: unknown, write: boolean): unknown {
  if (!(failure instanceof HttpFailure)) return failure;
  const unreadable = ["malformed", "encoding", "too-large", "origin"].includes(failure.reason);
  const message = failure.message + hintOf(failure);
  return new RetryError(unreadable ? "E_SERVICE_ANSWER" : "E_SERVICE_UNREACHABLE", message, {
    outcomeUnknown: write && failure.outcomeUnknown,
    cause: failure,
    details: { reason: failure.reason },
  });
}

/** The setting that such a failure usually concerns. */
function hintOf({ reason, message }: HttpFailure): string {
  if (reason === "malformed") return "; is SERVICE_URL the tenant's address?";
  if (reason !== "tls") return "";
  if (/self.signed|unable to (get|verify)|issuer|CERT_UNTRUSTED/i.test(message))
    return "; if the certificate is self-signed or of a private authority, set SERVICE_CA_FILE to the PEM file of that authority";
  return /expired|altname|does not match|not valid/i.test(message) ? "; SERVICE_CA_FILE does not help here" : "";
}

/**
 * The service's own message: `errorMessage`, `message` or `error`, else the beginning of a text, or the title of an HTML
 * page.
 */
export function serviceMessage(answer: HttpAnswer): string {
  const text = answer.excerpt;
  const said = fromJson(text) ?? /<title>([^<]*)/i.exec(text)?.[1] ?? (text.startsWith("<") ? "" : text);
  return said.replaceAll(/\s+/g, " ").trim().slice(0, MESSAGE_LENGTH);
}

/** Whether the answer is a page for people, as a web server, a proxy or a login gives it, and no API. */
function isWebPage({ excerpt }: HttpAnswer): boolean {
  return /^\s*(<!doctype html|<html)/i.test(excerpt);
}

/** Whether an answer has the form of the service's own errors. What another address answers to a redirected read is none about the record. */
export function isOwnWord(answer: HttpAnswer): boolean {
  if (answer.isRedirected) return false;
  const body = parsedJson(answer.excerpt);
  return isJsonObject(body) && typeof body["errorMessage"] === "string";
}

/** Whether the body of a 2xx answer says that the request failed. */
export function isFailure(body: Json | undefined): boolean {
  if (!isJsonObject(body) || typeof body["errorMessage"] !== "string") return false;
  return typeof body["status"] === "number" && body["status"] >= 400;
}

function fromJson(text: string): string | undefined {
  const body = parsedJson(text);
  if (typeof body === "string") return body;
  if (!isJsonObject(body)) return undefined;
  const said = body["errorMessage"] ?? body["message"] ?? body["error"];
  return said === undefined || said === null || typeof said === "string" ? (said ?? undefined) : JSON.stringify(said);
}

function withoutQuery(address: string): string {
  return address.split(/[?#]/, 1)[0] ?? "";
}
