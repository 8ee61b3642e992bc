import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { firstSentenceOf, replaceLinks, titleOf, withoutComments, type Link } from "./markdown.ts";
import { settingsPage } from "./settings-page.ts";

/** The list of all pages, for people who read the repository and for the site: there is no second one. */
export const index = "docs/README.md";

export interface Page {
  /** In the repository. */
  readonly path: string;
  /** On the site: `guides/backup.md`. */
  readonly file: string;
  readonly title: string;
  /** One line: what the index says of it, else its first sentence. */
  readonly summary: string;
  readonly text: string;
}

export interface Entry {
  readonly label: string;
  readonly page: Page;
  /** The pages that a page of a folder lists. */
  readonly children: readonly Entry[];
}

export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Outline {
  readonly contents: Page;
  readonly sections: readonly Section[];
}

/** An index that does not name each page once, or a page without a title or summary. */
export class OutlineBroken extends Error {}

/**
 * Reads the index of the documents and, one level below, the pages of folders (`README.md`) that it lists.
 * @throws {OutlineBroken} when a page under docs is in no list, or in two.
 */
export function readOutline(root: string): Outline {
  const text = readFileSync(join(root, index), "utf8");
  const contents = pageOf(root, index, "", undefined);
  const [, ...parts] = `\n${text}`.split(/\n## /);
  const sections = parts.map((part) => ({
    title: part.slice(0, part.indexOf("\n")),
    entries: itemsOf(part, index).map((item) => entryOf(root, item)),
  }));
  const outline = { contents, sections };
  const listed = pagesOf(outline).map(({ path }) => path);
  const stray = documentsOf(root).filter((path) => !listed.includes(path));
  const twice = listed.filter((path, at) => listed.indexOf(path) !== at);
  if (stray.length > 0 || twice.length > 0)
    throw new OutlineBroken(
      [
        ...stray.map((path) => `${path} is in no list: add it to ${index}, or to the README.md of its folder.`),
        ...twice.map((path) => `${path} is listed twice, expected once: remove it from ${index} or from a README.md.`),
      ].join("\n"),
    );
  return outline;
}

/** All pages in the order of the index. */
export function pagesOf({ contents, sections }: Outline): Page[] {
  const below = ({ page, children }: Entry): Page[] => [page, ...children.flatMap(below)];
  return [contents, ...sections.flatMap(({ entries }) => entries.flatMap(below))];
}

interface Item {
  readonly path: string;
  readonly label: string;
  readonly summary: string | undefined;
}

/** The links of a page's lists and tables, each with the words beside it. */
function itemsOf(markdown: string, from: string): Item[] {
  return markdown
    .split("\n")
    .filter((line) => /^(?:- |\d+\. |\|)/.test(line))
    .flatMap((line) => {
      const found: Link[] = [];
      const parts = replaceLinks(line, (link) => `\0${found.push(link)}\0`).split(/\0\d+\0/);
      const before = line.startsWith("|") ? wordsOf(parts[0]) : undefined;
      return found.map(({ text, target }, at) => ({
        path: posix.join(posix.dirname(from), target),
        label: labelOf(text),
        summary: wordsOf(parts[at + 1]) ?? (found.length === 1 ? before : undefined),
      }));
    })
    .filter(({ path }) => !/^[a-z]+:/.test(path));
}

function wordsOf(part: string | undefined): string | undefined {
  const words = part?.replace(/^[\s:|,;·-]+|[\s|,;·]+$/g, "") ?? "";
  return words === "" ? undefined : words;
}

/** `cli/` in code is the module cli. */
const labelOf = (text: string) => text.replace(/^`(.*?)\/?`$/, "$1");

function entryOf(root: string, { path, label, summary }: Item): Entry {
  const page = pageOf(root, path, label, summary);
  const isFolder = posix.basename(path) === "README.md" && path !== "README.md";
  const below = isFolder ? itemsOf(page.text, path) : [];
  const children = below
    .filter((item) => item.path.startsWith(`${posix.dirname(path)}/`) && item.path.endsWith(".md"))
    .map((item) => ({ label: item.label, page: pageOf(root, item.path, item.label, item.summary), children: [] }));
  return { label, page, children };
}

function pageOf(root: string, path: string, label: string, told: string | undefined): Page {
  if (!existsSync(join(root, path)))
    throw new OutlineBroken(`${index} leads to ${path}, which does not exist: correct the link.`);
  const written = readFileSync(join(root, path), "utf8");
  const text = path.endsWith(".md") ? withoutComments(written) : settingsPage(label, written);
  const title = titleOf(text);
  const summary = told ?? firstSentenceOf(text);
  if (title === undefined || summary === undefined)
    throw new OutlineBroken(`${path} has no title or no sentence about it: begin it with "# Title" and a sentence.`);
  return { path, file: fileOf(path), title: title.replaceAll("`", ""), summary, text };
}

/** The README is the first page; `docs/guides/README.md` becomes `guides/index.md`. A name on the site has no leading dot. */
function fileOf(path: string): string {
  if (path === index) return "contents.md";
  const name = path
    .replace(/^docs\//, "")
    .replace(/(^|\/)README\.md$/, "$1index.md")
    .replace(/(^|\/)\./g, "$1");
  return name.endsWith(".md") ? name : `${name.replaceAll(".", "-")}.md`;
}

function documentsOf(root: string): string[] {
  return readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`)
    .toSorted();
}
