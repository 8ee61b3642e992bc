import { remedyOf } from "#operator";
import { errorPages } from "../../src/model/error-catalogue/error-catalogue.ts";
import type { ErrorEntry, ErrorPage } from "../../src/model/error-catalogue/error-page.ts";
import type { Document } from "./documents.ts";

const WIDTH = 120;

/** The pages of docs/errors as the catalogue writes them. */
export function writtenErrorPages(): Document[] {
  return Object.entries<ErrorPage>(errorPages).map(([name, page]) => ({
    path: `docs/errors/${name}.md`,
    text: pageText(page),
  }));
}

function pageText({ title, intro, entries }: ErrorPage): string {
  const chapters = Object.entries<ErrorEntry>(entries).map(([code, entry]) => entryText(code, entry));
  return `${[
    `# ${title}`,
    "<!-- Written by `npm run docs:errors` from src/model/error-catalogue: edit that. -->",
    ...(intro === undefined ? [] : [wrapped(intro)]),
    ...chapters,
  ].join("\n\n")}\n`;
}

function entryText(code: string, { meaning, normal, more }: ErrorEntry): string {
  const remedy = inMarkdown(remedyOf({ code }, { stream: "STREAM" }));
  const todo = more === undefined ? remedy : `${remedy} ${more}`;
  return [`## ${code}`, wrapped(meaning), wrapped(`**Normal?** ${normal}`), wrapped(`**What to do:** ${todo}`)].join(
    "\n\n",
  );
}

/** Commands and names of settings of a remedy, which terminals show too, as code. */
function inMarkdown(remedy: string): string {
  return remedy
    .split(/(`[^`]+`|"[^"]+")/)
    .map((part, at) => (at % 2 === 0 ? part.replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, "`$&`") : part.replaceAll('"', "`")))
    .join("");
}

function wrapped(text: string): string {
  return text.replace(new RegExp(`(.{1,${WIDTH}})(?: |$)`, "gm"), "$1\n").trimEnd();
}
