import type { ErrorFacts, Json } from "#model";

/**
 * Fields of a log message, with names from the glossary: stream, key, resource, serviceId, outcome, durationMs, count … `err` is logged
 * with its code, message, details and cause.
 */
export type LogFields = { readonly [name: string]: Json | undefined | Error | ErrorFacts };

/**
 * A structured log. Messages are static, lower-case and in the past tense; facts are fields. docs/messages lists each message. `info` is
 * for batches, `debug` for single records; a `warn` resolves without help, an `error` needs a person.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}
