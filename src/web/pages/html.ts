import { printable } from "#model";

/** A piece of HTML that is safe to be part of a page. Only {@link html} makes one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template takes: text is escaped, HTML is not, absent things leave nothing. */
export type Content = Html | string | number | undefined | readonly Content[];

/** A template whose literal parts are HTML and whose values are escaped, so that no record can put markup into a page. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const pieces = literals.map((literal, at) => literal + (at < contents.length ? rendered(contents[at]) : ""));
  return new Html(pieces.join(""));
}

function rendered(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "string" || typeof content === "number") return escape(String(content));
  return content.map(rendered).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
