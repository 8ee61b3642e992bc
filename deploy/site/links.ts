import { posix } from "node:path";
import { replaceLinks, type Link } from "./markdown.ts";
import type { Page } from "./outline.ts";

/**
 * The page's text with links that work on the site: to a page, to the page's file there; to any other file of the repository, to
 * `sourceUrl`. Without a `sourceUrl`, a file is named, not linked.
 */
export function withSiteLinks(page: Page, pages: readonly Page[], sourceUrl: string | undefined): string {
  const byPath = new Map(pages.map((one) => [one.path, one]));
  return replaceLinks(page.text, (link) => {
    if (/^(?:[a-z]+:|#)/.test(link.target)) return `[${link.text}](${link.target})`;
    const [file = "", anchor] = link.target.split("#", 2);
    const path = posix.join(posix.dirname(page.path), file);
    const target = byPath.get(path);
    if (target === undefined) return toSource(link.text, path, anchor, sourceUrl);
    const relative = posix.relative(posix.dirname(page.file), target.file);
    return `[${link.text}](${asTarget(relative, anchor)})`;
  });
}

function toSource(text: Link["text"], path: string, anchor: string | undefined, sourceUrl: string | undefined): string {
  if (sourceUrl !== undefined) return `[${text}](${asTarget(new URL(path, withSlash(sourceUrl)).href, anchor)})`;
  const bare = text.replaceAll("`", "");
  return path === bare || posix.basename(path) === bare ? `\`${path}\`` : `${text} (\`${path}\`)`;
}

const asTarget = (file: string, anchor: string | undefined) => (anchor === undefined ? file : `${file}#${anchor}`);

export const withSlash = (address: string) => (address.endsWith("/") ? address : `${address}/`);
