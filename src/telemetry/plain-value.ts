import { beginningOf, SyncError } from "#model";
import { isSecretField, redactedMark, type Redact } from "./redaction.ts";

type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

/** Maximum depth of causes and nested objects in a log line, which also ends cycles. */
const maxDepth = 8;
/** Maximum length of a text, in characters: enough for a stack trace, not for a huge key or message. */
const maxLength = 2_000;
const maxMembers = 50;

/** Converts fields to plain, redacted values, the only ones that a log line gets. */
export function plainFields(fields: object, redact: Redact, depth = 0): Record<string, Plain> {
  const plain: Record<string, Plain> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    plain[cutText(redact(name))] =
      isSecretField(name) && value !== null ? redactedMark : plainValue(value, redact, depth);
  }
  return plain;
}

function plainValue(value: unknown, redact: Redact, depth: number): Plain {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return cutText(redact(value));
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return plainNumber(value, redact);
  if (typeof value === "bigint") return cutText(redact(value.toString()));
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

/** Shortens after redaction, because a secret that is cut in two would not be found. */
function cutText(text: string): string {
  if (text.length <= maxLength) return text;
  const kept = beginningOf(text, maxLength);
  return `${kept}… [${text.length - kept.length} more characters]`;
}

/** A number can be a secret too, such as a second factor. */
function plainNumber(value: number, redact: Redact): Plain {
  const text = String(value);
  return redact(text) === text ? value : redactedMark;
}

/**
 * An error with its code, family, message, details and causes. Only unexpected errors, which have no code, keep their stack trace. Other
 * members are dropped, because libraries attach whole requests to their errors.
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
