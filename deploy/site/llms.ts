import { pagesOf, type Entry, type Outline, type Page } from "./outline.ts";
import { firstSentenceOf } from "./markdown.ts";

/**
 * What an assistant reads first (https://llmstxt.org): what svcsync is, and each page with one line about it.
 * `folder` leads from the file to the pages: empty beside them, `0.2.0/` one folder above.
 */
export function llmsText(outline: Outline, version: string, folder: string): string {
  const [, home = outline.contents] = pagesOf(outline);
  const line = ({ title, file, summary }: Page) => `- [${title}](${folder}${file}): ${summary}`;
  const lines = ({ page, children }: Entry): string[] => [line(page), ...children.flatMap(lines)];
  const sections = outline.sections.map(
    ({ title, entries }) => `## ${title}\n\n${entries.flatMap(lines).join("\n")}\n`,
  );
  return [
    `# ${home.title}\n`,
    `> ${firstSentenceOf(home.text) ?? home.summary}\n`,
    `These pages describe version ${version}. All of them in one file: [llms-full.txt](${folder}llms-full.txt).\n`,
    ...sections,
  ].join("\n");
}

/** All pages in one file, each after a line that names it. */
export function llmsFullText(pages: readonly { readonly file: string; readonly text: string }[]): string {
  return pages.map(({ file, text }) => `<!-- ${file} -->\n\n${text.trim()}\n`).join("\n");
}
