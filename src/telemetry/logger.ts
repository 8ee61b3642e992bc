import type { ErrorFacts, Json } from "#model";

/**
 * Facts beside a message. Names come from the glossary: stream, key, resource, serviceId, outcome, durationMs, count …
 * `err` is logged with its code, message, details and cause.
 */
export type LogFields = { readonly [name: string]: Json | undefined | Error | ErrorFacts };

/**
 * A structured log. Messages are static, lower-case and in the past tense; facts are fields. Each message is listed in
 * docs/messages.md. `info` once per batch, `debug` per record, `warn` heals itself, `error` needs a person.
 */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
}
