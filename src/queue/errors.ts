import { codeOf, messageOf, RetryError, StopError, SyncError } from "#model";

export function unreachable(where: string, cause?: unknown): RetryError {
  const why = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  const message = `the queue at ${where} does not answer${why}`;
  return new RetryError("E_QUEUE_UNREACHABLE", message, cause === undefined ? {} : { cause });
}

/** The error if the server answered but refused: its memory is full, it is read-only, a command is forbidden. */
export function queueRefused(where: string, cause: unknown): RetryError {
  const why = messageOf(cause);
  return new RetryError("E_QUEUE_REFUSED", `the queue at ${where} refused a command: ${why}`, { cause });
}

export function denied(where: string, cause: unknown): StopError {
  const why = messageOf(cause);
  return new StopError("E_QUEUE_DENIED", `the queue at ${where} denies access: ${why}`, { cause });
}

export function tooOld(where: string, version: string, wanted: string): StopError {
  const message = `the queue at ${where} runs ${version}; at least ${wanted} is needed`;
  return new StopError("E_QUEUE_VERSION", message, { details: { version, wanted } });
}

const connectionCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
const connectionWords =
  /connection is closed|connection terminated|timeout|timed out|client has encountered|sentinels are unreachable/i;
/** PostgreSQL: connection exceptions, and a server that is shutting down or starting up. */
const connectionStates = /^(08|57P)/;

/** Whether an error means that the server cannot be reached, rather than that it refused a command. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof SyncError) return error.code === "E_QUEUE_UNREACHABLE";
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? "";
  return connectionCodes.has(code) || connectionStates.test(code) || connectionWords.test(error.message);
}

const deniedWords = /^(WRONGPASS|NOAUTH|NOPERM)|invalid password|without any password configured/i;
/** PostgreSQL: invalid authorization, no such database, no privilege. */
const deniedStates = /^(28|3D000|42501)/;

export function isAccessDenied(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? "";
  return deniedWords.test(error.message) || deniedStates.test(code);
}
