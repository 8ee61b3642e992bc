import { beginningOf, grouped } from "#model";
import { blocksOf, headingOf, moreText, type Digest } from "../digest.ts";

/** A message that a chat accepts: its heading, and the blocks of its entries as far as they fit. */
export interface ChatText {
  readonly heading: string;
  readonly blocks: readonly string[];
}

/**
 * The message as plain text that a chat neither formats nor takes as a mention, whatever a text of the ERP or the service contains. Where
 * it does not fit, the last entries are left out and counted; a single one that is too long is cut.
 */
export function chatText(digest: Digest, fits: (text: ChatText) => boolean): ChatText {
  const heading = plain(headingOf(digest));
  const blocks = blocksOf(digest).map(plain);
  const first = (count: number): ChatText => {
    const more = digest.more + blocks.length - count;
    return { heading, blocks: [...blocks.slice(0, count), ...(more === 0 ? [] : [moreText(more)])] };
  };
  for (let count = blocks.length; count > 0; count--) if (fits(first(count))) return first(count);
  const { blocks: rest } = first(1);
  const cut = (length: number): ChatText => ({
    heading: counting(heading, 200),
    blocks: rest.with(0, counting(rest[0] ?? "", length)),
  });
  return cut(longest(blocks[0]?.length ?? 0, (length) => fits(cut(length))));
}

/** The largest number up to `most` that is accepted, where each smaller one is accepted too. */
function longest(most: number, accepts: (length: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (accepts(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** At most `length` characters of a text, with the number of those that are left out. */
function counting(text: string, length: number): string {
  if (text.length <= length) return text;
  const kept = beginningOf(text, length);
  return `${kept} … (${grouped(text.length - kept.length)} characters left out)`;
}

/** Invisible, and separates what would be one word of markup. */
const separator = "\u200B";

/** Characters that chats read as markup, replaced by others that look alike. Those inside of words, as in an error code, stay. */
function plain(text: string): string {
  return text
    .replaceAll("*", "\u2217")
    .replaceAll("~", "\u223C")
    .replaceAll("`", "\u02CB")
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\u02CD")
    .replaceAll("](", `]${separator}(`)
    .replace(/(?<![\p{L}\p{N}.+-])@(?=[\p{L}\p{N}])/gu, `@${separator}`)
    .replace(/<(?=[!@#/])/g, `<${separator}`);
}
