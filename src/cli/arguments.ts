import { Argument, InvalidArgumentError } from "commander";
import { parseRecord, type RecordId } from "#model";

/** The argument `<record>` of a command that acts on one record. */
export function recordArgument(): Argument {
  return new Argument("<record>", "the record as stream/key, for example customers/10023").argParser(recordNamed);
}

/** Parses the name of a record. */
export function recordNamed(text: string): RecordId {
  const id = parseRecord(text);
  if (!id) throw new InvalidArgumentError(`found ${JSON.stringify(text)}, expected stream/key`);
  return id;
}

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError("expected a whole number above 0");
  return number;
}

/** Parses a port; 0 means any free one. */
export function port(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError("expected a port");
  return number;
}

/** Parses `name1,email` as column names. */
export function columnsArgument(text: string): ReadonlySet<string> {
  return new Set(text.split(",").map((name) => name.trim()));
}
