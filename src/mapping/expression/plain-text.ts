/** A tag or a comment of HTML. `a < b` is text: no letter, slash or mark follows. */
const tag = /<(?:!--[^>]*--|[/!?a-z][^<>]*)>/gi;
/** A tag behind which a new line begins. */
const lineEnd = /^<(?:br|\/(?:p|div|li|tr|h[1-6]|ul|ol|table|blockquote|pre))\b/i;
const entity = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;
const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  euro: "€",
  sect: "§",
  deg: "°",
  copy: "©",
  reg: "®",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  ecirc: "ê",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  bull: "•",
  middot: "·",
  laquo: "«",
  raquo: "»",
  bdquo: "„",
  ldquo: "“",
  rdquo: "”",
  lsquo: "‘",
  rsquo: "’",
  times: "×",
  frac12: "½",
  sup2: "²",
  sup3: "³",
  micro: "µ",
};

/**
 * `$plainText(html)` gives the text of a piece of HTML: a line for each paragraph, list item and `<br>`, entities as the characters that
 * they stand for, and no tags. A text without tags keeps its own line breaks. Undefined stays undefined. Its work is proportional to
 * the length of the text.
 * @throws {RangeError} for anything but a text.
 */
export function plainText(html: unknown): string | undefined {
  if (html === undefined || html === null) return undefined;
  if (typeof html !== "string") throw new RangeError("$plainText needs a text");
  const isHtml = html.search(tag) !== -1;
  const source = isHtml ? html.replaceAll(/\s+/g, " ") : html;
  const marked = source.replaceAll(tag, (found) => (lineEnd.test(found) ? "\n" : /^<li\b/i.test(found) ? "- " : ""));
  const lines = marked.replaceAll(entity, character).split(/\r\n|\r|\n/);
  const tidy = lines.map((line) =>
    line
      .split(/[ \t\u00A0]+/)
      .filter((word) => word !== "")
      .join(" "),
  );
  return tidy
    .filter((line, at) => line !== "" || (at > 0 && tidy[at - 1] !== ""))
    .join("\n")
    .trim();
}

function character(found: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name] ?? found;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff);
  return isCharacter ? String.fromCodePoint(code) : found;
}
