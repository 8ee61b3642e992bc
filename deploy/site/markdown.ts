/** A piece of a document: prose, or a block of code, which no rule for prose may touch. */
export interface Piece {
  readonly isCode: boolean;
  readonly text: string;
}

/** Splits a document at its fences. The pieces joined are the document. */
export function piecesOf(markdown: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: text, index } of markdown.matchAll(/^ *(```+|~~~+)[^\n]*\n[\s\S]*?^ *\1 *$/gm)) {
    pieces.push({ isCode: false, text: markdown.slice(end, index) }, { isCode: true, text });
    end = index + text.length;
  }
  return [...pieces, { isCode: false, text: markdown.slice(end) }];
}

export interface Link {
  readonly text: string;
  readonly target: string;
}

/** A code span, which is passed over, or a link whose text may hold code spans. */
const spans = /`+[^`]+`+|\[((?:`[^`]*`|[^[\]`])*)\]\(([^)\s]+)\)/g;

/** Replaces each link outside code. */
export function replaceLinks(markdown: string, replacement: (link: Link) => string): string {
  return piecesOf(markdown)
    .map(({ isCode, text }) =>
      isCode
        ? text
        : text.replace(spans, (span, label: string | undefined, target: string | undefined) =>
            label === undefined || target === undefined ? span : replacement({ text: label, target }),
          ),
    )
    .join("");
}

/** The first `# ` heading. */
export function titleOf(markdown: string): string | undefined {
  return /^# (.+)$/m.exec(markdown)?.[1];
}

/** The first sentence of the first paragraph, without links: what a page is about. */
export function firstSentenceOf(markdown: string): string | undefined {
  const prose = piecesOf(withoutComments(markdown)).map(({ isCode, text }) => (isCode ? "\n\n" : text));
  const paragraph = prose
    .join("")
    .split(/\n\s*\n/)
    .find((block) => /^[\p{L}\p{N}`[*"]/u.test(block.trim()));
  if (paragraph === undefined) return undefined;
  const line = replaceLinks(paragraph, ({ text }) => text)
    .replace(/^\*\*[^*]+\*\*/, "")
    .replace(/\s+/g, " ")
    .trim();
  return /^.+?[.:!?](?= |$)/.exec(line)?.[0].replace(/:$/, ".") ?? line;
}

/** Without the remarks that only a writer of the page needs. */
export function withoutComments(markdown: string): string {
  return piecesOf(markdown)
    .map(({ isCode, text }) => (isCode ? text : text.replace(/<!--[\s\S]*?-->\n*/g, "")))
    .join("");
}
