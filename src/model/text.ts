/**
 * Characters that control a terminal or that readers cannot see: control characters except tab and line ends (ESC and BEL move the cursor,
 * set titles, ring), C1, marks that change the text direction, line separators, tags, and lone surrogates.
 */
const unprintable =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * Makes a text safe to show anywhere: characters that control a terminal, or that people cannot see, become escape sequences such as
 * `\u001b`. In JSON these mean the same characters, so JSON keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(unprintable, spelledOut);
}

/** {@link printable} for a single line: line ends are escaped too, so that no value can start a line of its own. */
export function oneLine(text: string): string {
  return printable(text).replace(/[\r\n]/g, spelledOut);
}

function spelledOut(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Texts as lines of their own, ready to print: no value can start a line. */
export function textLines(lines: readonly string[]): string {
  return lines.map((line) => `${oneLine(line)}\n`).join("");
}

/** `1,000`: how every number that people read is written. */
export function grouped(number: number): string {
  return number.toLocaleString("en");
}

/** `1 record`, `2 records`, `1,000 records`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first characters of a text, at most so many, none of which is cut in two. */
export function beginningOf(text: string, most: number): string {
  const kept = text.slice(0, most);
  return kept.length < text.length && /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}

/** The text, or its beginning with a mark of the cut. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${beginningOf(text, most)}…`;
}
