import { errorEntry, type ErrorCode, type ErrorFacts, type RecordId } from "#model";
import { recordWord, shellQuoted } from "../text/shell.ts";

/** The record or stream that an error concerns; a stream's polls have no key. */
export interface Concerned {
  readonly stream: string;
  readonly key?: string;
}

/** What a person does about an error, as a sentence. Commands are in double quotes, ready for a shell. */
export function remedyOf({ code }: { readonly code: string }, concerned: Concerned): string {
  const text = errorEntry(code)?.remedy ?? unlisted;
  const { stream, key } = concerned;
  const words: Readonly<Record<string, string>> = {
    record: key === undefined ? "STREAM/KEY" : recordWord({ stream, key }),
    stream: shellQuoted(stream),
    code,
  };
  return text.replace(/\{(record|stream|code)\}/g, (_, name: string) => words[name]!);
}

/**
 * The remedy of a code when neither record nor stream is known; undefined where there is none, or where it names one of
 * them.
 */
export function knownRemedyOf(code: string | undefined): string | undefined {
  const text = code && errorEntry(code)?.remedy;
  return text === undefined || /\{(record|stream)\}/.test(text) ? undefined : text;
}

/** Whether an operation with this error is retried automatically until it succeeds. */
export function healsItself(code: ErrorCode): boolean {
  return errorEntry(code)?.heals ?? false;
}

/** The same for a record. Records that need nothing have codes that say so. */
export function recordRemedy({ id, error }: { id: RecordId; error: ErrorFacts | undefined }): string | undefined {
  return error === undefined ? undefined : remedyOf(error, id);
}

const unlisted = "Look {code} up in the documentation of the version that reported it.";
