import { DatabaseError } from "pg";
import { codeOf, messageOf, ParkError, RetryError, StopError, SyncError, type ErrorCode } from "#model";

/** SQLSTATEs raised by the schema's functions: a refused step, and a step of a daemon that has lost its place. */
export const REFUSED = "SV001";
export const NOT_A_MEMBER = "SV002";
export const MOVED = "SV003";
export const REWOUND = "SV004";

/** A step refused by a function, with the error code and the details for the message. */
export class Refusal extends Error {
  readonly code: string;
  readonly detail: string;

  constructor({ message, detail }: DatabaseError) {
    super(message);
    this.code = message;
    this.detail = detail ?? "";
  }
}

/** The server carried out nothing of the message: there was no connection, or only one to a server that takes no writes. */
export class NotCarriedOut extends Error {
  constructor(cause: unknown) {
    super("no connection to a database that takes writes", { cause });
  }
}

type Family = (message: string, cause: unknown) => SyncError;

const stop =
  (code: ErrorCode, advice: string): Family =>
  (message, cause) =>
    new StopError(code, `${advice} (${message})`, { cause });
const retry =
  (code: ErrorCode, advice: string): Family =>
  (message, cause) =>
    new RetryError(code, `${advice} (${message})`, { cause });

const UNREACHABLE = retry("E_STORE_UNREACHABLE", "the database of the store does not answer");
const DENIED = stop(
  "E_STORE_DENIED",
  "the database of the store refuses access; correct user, password, database or encryption in STORE_URL",
);

const LOST = stop("E_STORE_LOST", "other daemons took over because this one was silent for too long; it stops writing");

const READS_ONLY = retry(
  "E_STORE_READONLY",
  "the database of the store takes no writes: it is a standby, or set to read only",
);

/** Failures by SQLSTATE or its class, from the appendix of PostgreSQL's manual. The first match counts. */
const STATES: readonly (readonly [state: RegExp, failure: Family])[] = [
  [/^SV002$/, LOST],
  [
    /^SV003$/,
    stop("E_STORE_MOVED", "the store was moved meanwhile; give the command again with the settings of the new one"),
  ],
  [
    /^SV004$/,
    stop(
      "E_STORE_REWOUND",
      "PostgreSQL lost steps that it had confirmed; this daemon ends, and its next start continues with what the store has",
    ),
  ],
  [/^(08...|57P..|53[023]00|58...)$/, UNREACHABLE],
  [/^(28...|3D000|0LP01)$/, DENIED],
  [/^25006$/, READS_ONLY],
  [/^42501$/, stop("E_STORE_READONLY", "the store cannot be written to; give the user of STORE_URL the right")],
  [
    /^42883$/,
    stop("E_STORE_LOST", "another version of svcsync took over and changed the store; this daemon stops writing"),
  ],
  [/^53100$/, stop("E_STORE_FULL", "the disk of the store's database is full; free space, then start again")],
  [/^XX00[12]$/, stop("E_STORE_CORRUPT", "the store is damaged; stop, and restore the database from a backup")],
  [/^(40...|55P03|57014)$/, retry("E_STORE_LOCKED", "others kept the store busy for too long")],
  [
    /^(22...|23...|54...)$/,
    (message, cause) =>
      new ParkError("E_STORE_VALUE", `the store does not take a value of this record: ${message}`, { cause }),
  ],
];

const tls = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|EPROTO|ERR_OSSL)/;
const denied = /does not support SSL|password must be a string|SASL|sslrootcert|no such file/i;
const network = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT)|terminated|timeout|not queryable|Client was closed/;

/** Turns an error of the driver into an error for the daemon, without any part of the address. Our own errors stay as they are. */
export function postgresFailure(thrown: unknown): Error {
  if (thrown instanceof SyncError || thrown instanceof Refusal) return thrown;
  if (thrown instanceof NotCarriedOut) return postgresFailure(thrown.cause);
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const message = messageOf(first);
  if (first instanceof DatabaseError) {
    const { code = "" } = first;
    if (code === REFUSED) return new Refusal(first);
    const known = STATES.find(([state]) => state.test(code));
    if (known) return known[1](message, thrown);
  }
  const code = codeOf(first) ?? "";
  if (tls.test(code) || denied.test(message)) return DENIED(message, thrown);
  if (network.test(code) || network.test(message)) return UNREACHABLE(message, thrown);
  return stop("E_STORE_FAILED", "the store could not be read or written; look at the log of the database")(
    message,
    thrown,
  );
}

/** The error for all steps of a daemon that has lost its place. */
export function lostPlace(): SyncError {
  return LOST("it has lost its place in the store", undefined);
}

/** Whether the step found that its daemon has no place any more. */
export function isNoMember(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === NOT_A_MEMBER;
}

/** Whether the failure concerns one step only: the connection and the other steps are fine. */
export function isPostgresStepFault(thrown: unknown): boolean {
  const { code = "" } = thrown instanceof DatabaseError ? thrown : {};
  return code === REFUSED || /^(22|23|54)/.test(code);
}

/** The error for a connection to a server that takes no writes. */
export function readsOnly(): SyncError {
  return READS_ONLY("transaction_read_only is on", undefined);
}

/** Whether the server carried nothing out because it takes no writes. */
export function isReadsOnly(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.code === "25006";
}

/** Whether the server answered, so that the connection is still good. */
export function isAnswer(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.severity === "ERROR";
}
