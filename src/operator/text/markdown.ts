import { oneLine, shortened } from "#model";

/** Everything but letters, digits and harmless signs may be syntax of Markdown, of HTML or of a table. */
const special = /[^\p{L}\p{N}\p{M} ,;()→…-]/gu;
/** Signs with which a reference begins on GitHub or GitLab: a person, an issue, a merge request, a label, an emoji. */
const references: ReadonlySet<string> = new Set("@#!~$%&^:*");
/** Breaks a reference, and cannot be seen. */
const NOTHING = "&#8203;";

/**
 * A text as part of one line of Markdown, also in a cell of a table. It reads as it is, but it cannot format, end a line or a cell, link, or
 * mention a person.
 */
export function markdownText(text: string): string {
  return oneLine(text)
    .replace(special, (sign) => `&#${sign.codePointAt(0)};${references.has(sign) ? NOTHING : ""}`)
    .replace(/www(?=&#46;)/gi, (word) => `${word}${NOTHING}`);
}

/** Like {@link markdownText}, as code: a value. Longer ones are cut. */
export function markdownCode(text: string, most = Infinity): string {
  return `<code>${markdownText(shortened(text, most))}</code>`;
}

/** One line of a table. The cells are Markdown already. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The line of a table's titles and the one below it. */
export function markdownHead(titles: readonly string[]): string {
  return [markdownRow(titles), markdownRow(titles.map(() => "---"))].join("\n");
}

/** The bytes that are left of a limited text. */
export class Room {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Takes the line's bytes and those of its end, if there are enough. */
  take(line: string): boolean {
    const size = Buffer.byteLength(line) + 1;
    if (size > this.#left) return false;
    this.#left -= size;
    return true;
  }

  /** Returns the first lines, as many as there is room for. */
  fill(lines: readonly string[]): readonly string[] {
    const end = lines.findIndex((line) => !this.take(line));
    return end === -1 ? lines : lines.slice(0, end);
  }
}
