import type { ErrorCode } from "./error-catalogue/error-catalogue.ts";
import type { Json } from "./json.ts";

/**
 * The family of an error, chosen by what happens next, not by where the error came from.
 * - `retry`: try again later with a growing pause, and count the attempt;
 * - `wait`: not its turn yet; try again without counting an attempt;
 * - `park`: this record needs a person; all others continue;
 * - `stop`: the daemon cannot continue (wrong credentials, a full disk, contradictory settings).
 */
export type ErrorFamily = "retry" | "wait" | "park" | "stop";

export interface ErrorExtras {
  readonly cause?: unknown;
  /** Facts for the log and for people: never a secret, never a whole record. */
  readonly details?: Readonly<Record<string, Json>>;
}

/** An error with the decision about what happens next. The message states the fact, with the value that proves it. */
export abstract class SyncError extends Error {
  abstract readonly family: ErrorFamily;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, Json>>;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = extras.details ?? {};
  }
}

export interface RetryExtras extends ErrorExtras {
  /**
   * True if the other side may have carried out the request although no answer came (time-out, cut connection, 5xx). The result of such a
   * create is looked up; the create is never repeated.
   */
  readonly outcomeUnknown?: boolean;
}

export class RetryError extends SyncError {
  readonly family = "retry";
  readonly outcomeUnknown: boolean;

  constructor(code: ErrorCode, message: string, extras: RetryExtras = {}) {
    super(code, message, extras);
    this.outcomeUnknown = extras.outcomeUnknown ?? false;
  }
}

export interface WaitExtras extends ErrorExtras {
  /** How long to wait at least, in milliseconds. Absent: only an event (a bound parent) ends the wait. */
  readonly afterMs?: number;
}

export class WaitError extends SyncError {
  readonly family = "wait";
  readonly afterMs: number | undefined;

  constructor(code: ErrorCode, message: string, extras: WaitExtras = {}) {
    super(code, message, extras);
    this.afterMs = extras.afterMs;
  }
}

export class ParkError extends SyncError {
  readonly family = "park";
}

export class StopError extends SyncError {
  readonly family = "stop";
}

/** An error in the form for the store, the pages and `--json`. */
export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, Json>>;
}

/** The facts of a thrown value. Anything other than a {@link SyncError} is a defect of ours and gets the code E_INTERNAL. */
export function errorFacts(thrown: unknown): ErrorFacts {
  if (thrown instanceof SyncError) return { code: thrown.code, message: thrown.message, details: thrown.details };
  return { code: "E_INTERNAL", message: messageOf(thrown), details: {} };
}

/** An error as one line for people. */
export function errorText({ message, code }: Pick<ErrorFacts, "message"> & { readonly code: string }): string {
  return `${message} (${code})`;
}

/** Turns a thrown value into an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return asError(thrown).message;
}

/** The code that the system, Node.js or a driver set on an error, such as ENOENT; undefined if there is none. */
export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
}
