import { InvalidArgumentError } from "commander";

/** A port from the command line; 0 stands for any free one. */
export function port(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0 || number > 65_535) throw new InvalidArgumentError("wanted a port");
  return number;
}
