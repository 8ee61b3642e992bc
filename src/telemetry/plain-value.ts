import { SyncError } from "#model";
import { isSecretField, redactedMark, type Redact } from "./redaction.ts";

type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

/** A chain of causes or a nest of objects ends here: a log line is not a place for more, and cycles end too. */
const maxDepth = 8;
/** A stack fits; a key or a message as long as a book does not. */
const maxLength = 2_000;
const maxMembers = 50;

/** Fields as plain, redacted values: the only way into a log line. */
export function plainFields(fields: object, redact: Redact, depth = 0): Record<string, Plain> {
  const plain: Record<string, Plain> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    plain[shortened(redact(name))] =
      isSecretField(name) && value !== null ? redactedMark : plainValue(value, redact, depth);
  }
  return plain;
}

function plainValue(value: unknown, redact: Redact, depth: number): Plain {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return shortened(redact(value));
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return plainNumber(value, redact);
  if (typeof value === "bigint") return shortened(redact(value.toString()));
  if (typeof value !== "object") return `[${typeof value}]`;
  if (depth >= maxDepth) return "[too deep]";
  if (value instanceof Error) return plainError(value, redact, depth + 1);
  if (Array.isArray(value)) return plainList(value, redact, depth + 1);
  return plainFields(value, redact, depth + 1);
}

function plainList(members: readonly unknown[], redact: Redact, depth: number): Plain[] {
  const plain = members.slice(0, maxMembers).map((member) => plainValue(member, redact, depth));
  return members.length > maxMembers ? [...plain, `[${members.length - maxMembers} more]`] : plain;
}

/** After redaction: a secret that is cut in two would not be found. */
function shortened(text: string): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… [${text.length - maxLength} more characters]`;
}

/** A number can be a secret too: a second factor. */
function plainNumber(value: number, redact: Redact): Plain {
  const text = String(value);
  return redact(text) === text ? value : redactedMark;
}

/**
 * An error with its code, family, message, details and causes. Only unexpected errors have a stack: those without
 * a code. Other members are left out, since libraries hang whole requests on their errors.
 */
function plainError(error: Error, redact: Redact, depth: number): Plain {
  const plain: Record<string, unknown> = { type: error.name, message: error.message };
  if (error instanceof SyncError) {
    plain["code"] = error.code;
    plain["family"] = error.family;
    if (Object.keys(error.details).length > 0) plain["details"] = error.details;
  } else if ("code" in error) plain["code"] = error.code;
  else plain["stack"] = error.stack;
  if (error instanceof AggregateError) plain["errors"] = error.errors;
  if (error.cause !== undefined) plain["cause"] = error.cause;
  return plainFields(plain, redact, depth);
}
