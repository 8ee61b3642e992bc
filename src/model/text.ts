/**
 * What a terminal obeys or a reader cannot see: control characters beside tab and the ends of lines (ESC and BEL move the cursor, set
 * titles, ring), C1, marks that turn the direction of text, line separators, tags, and halves of surrogate pairs.
 */
const unprintable =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * A text that can be shown anywhere: what a terminal would obey, or a person cannot see, is spelled out, as `\u001b`. In JSON that spelling means the same
 * character, so JSON stays what it was.
 */
export function printable(text: string): string {
  return text.replace(unprintable, spelledOut);
}

/** {@link printable} within one line: ends of lines are spelled out too, so that no value can begin a line of its own. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\r\n]/g, spelledOut);
}

function spelledOut(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** `1 record`, `2 records`, `1,000 records`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
