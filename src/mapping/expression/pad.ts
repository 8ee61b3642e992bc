/** Longer texts are no fields of a record. JSONata's own would allocate whatever it is asked for, and may take the process down. */
const widest = 10_000;

/** `$pad(text, width, char)` as JSONata defines it, up to a width that a record can hold. @throws {RangeError} beyond it. */
export function pad(text: unknown, width: unknown, char: unknown): string | undefined {
  if (text === undefined || text === null) return undefined;
  if (typeof text !== "string" || typeof width !== "number") throw new RangeError("$pad wants a text and a width");
  if (Math.abs(width) > widest) throw new RangeError(`$pad makes texts of up to ${widest} characters`);
  const filling = typeof char === "string" && char !== "" ? Array.from(char) : [" "];
  const count = Math.max(0, Math.trunc(Math.abs(width)) - Array.from(text).length);
  const padding = Array.from({ length: count }, (_, at) => filling[at % filling.length]).join("");
  return width > 0 ? text + padding : padding + text;
}
