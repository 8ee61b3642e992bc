import { Argument, InvalidArgumentError } from "commander";
import type { RecordId } from "#model";

/** The argument `<record>` of a command that acts on one record. */
export function recordArgument(): Argument {
  return new Argument("<record>", "the record as stream/key, for example customers/10023").argParser(recordNamed);
}

/** The record of this name. */
export function recordNamed(text: string): RecordId {
  const id = parseRecord(text);
  if (!id) throw new InvalidArgumentError(`found ${JSON.stringify(text)}, expected stream/key`);
  return id;
}

/** `customers/10023` as a record; a key may hold slashes, and may be empty. */
export function parseRecord(label: string): RecordId | undefined {
  const at = label.indexOf("/");
  return at > 0 ? { stream: label.slice(0, at), key: label.slice(at + 1) } : undefined;
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("expected a whole number above 0");
  return number;
}

/** A port; 0 stands for any free one. */
export function port(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError("expected a port");
  return number;
}

/** `name1,email` as names of columns. */
export function columnsArgument(text: string): ReadonlySet<string> {
  return new Set(text.split(",").map((name) => name.trim()));
}
