import { errorEntry, type ErrorCode, type ErrorFacts, type RecordId } from "#model";
import { recordWord, shellQuoted } from "../text/shell.ts";

/** What an error is about; a stream's polls have no key. */
export interface Concerned {
  readonly stream: string;
  readonly key?: string;
}

/** What a person does about an error, as a sentence with its commands in double quotes, ready for a shell. */
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

/** The remedy of a code where nothing says which record or stream met it; undefined where none is listed or it names one. */
export function knownRemedyOf(code: string | undefined): string | undefined {
  const text = code && errorEntry(code)?.remedy;
  return text === undefined || /\{(record|stream)\}/.test(text) ? undefined : text;
}

/** Whether what met this error is retried until it succeeds, without anyone's help. */
export function healsItself(code: ErrorCode): boolean {
  return errorEntry(code)?.heals ?? false;
}

/** The same for a record: the codes that stand at records which need nothing say so themselves. */
export function recordRemedy({ id, error }: { id: RecordId; error: ErrorFacts | undefined }): string | undefined {
  return error === undefined ? undefined : remedyOf(error, id);
}

const unlisted = "Look {code} up in the documentation of the version that reported it.";
