import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkLinks } from "../../deploy/site/dead-links.ts";
import { withSiteLinks } from "../../deploy/site/links.ts";
import { llmsFullText, llmsText } from "../../deploy/site/llms.ts";
import { OutlineBroken, pagesOf, readOutline, type Page } from "../../deploy/site/outline.ts";
import { settingsPage } from "../../deploy/site/settings-page.ts";
import { versionsOf } from "../../deploy/site/versions.ts";
import { anchorsOf, linksOf } from "../architecture/documents.ts";
import { filesUnder, root } from "../architecture/source-files.ts";

/** A folder with these files, until the end of the test. */
function folderOf(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), "svcsync-site-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

const readme = "# It\n\nIt syncs. It is good.\n";
const brokenBy = (files: Readonly<Record<string, string>>) => {
  using folder = folderOf({ "README.md": readme, ...files });
  try {
    return pagesOf(readOutline(folder.path)).map(({ file }) => file);
  } catch (error) {
    if (error instanceof OutlineBroken) return error.message;
    throw error;
  }
};

describe("the index of the documents", () => {
  const pages = pagesOf(readOutline(root));

  it("leads to every page of docs, once", () => {
    const listed = pages.map(({ path }) => path).filter((path) => path.startsWith("docs/"));
    expect(listed.toSorted()).toEqual(filesUnder("docs", ".md"));
    expect(new Set(pages.map(({ file }) => file.toLowerCase())).size).toBe(pages.length);
  });

  it("has a line about each page that reads as one", () => {
    const odd = pages.filter(({ summary }) => !/^[^\n]{6,240}[^:,;·\s]$/.test(summary) || /\]\(/.test(summary));
    expect(odd.map(({ path, summary }) => `${path}: ${summary}`)).toEqual([]);
  });

  it("lists a page of a folder by the README there", () => {
    expect(
      brokenBy({
        "docs/README.md": "# Docs\n\nAll.\n\n## Begin\n\n- [It](../README.md): it\n- [Tasks](tasks/README.md)\n",
        "docs/tasks/README.md": "# Tasks\n\nOne each.\n\n| to | page |\n|---|---|\n| go | [Go](go.md) |\n",
        "docs/tasks/go.md": "# Go\n\nYou go.\n",
      }),
    ).toEqual(["contents.md", "index.md", "tasks/index.md", "tasks/go.md"]);
  });

  it.each([
    ["a page in no list", "", "docs/new.md is in no list: add it to docs/README.md"],
    ["a page in two", "- [A](new.md): a\n- [B](new.md): b\n", "docs/new.md is listed twice"],
    ["a link to nothing", "- [A](new.md): a\n- [B](old.md): b\n", "leads to docs/old.md, which does not exist"],
  ])("is refused for %s", (_, list, sentence) => {
    const files = { "docs/README.md": `# Docs\n\nAll.\n\n## Begin\n\n${list}`, "docs/new.md": "# New\n\nIt is new.\n" };
    expect(brokenBy(files)).toContain(sentence);
  });
});

describe("llms.txt", () => {
  const outline = readOutline(root);
  const pages = pagesOf(outline);
  const text = llmsText(outline, "1.2.3", "1.2.3/");

  it("has the form of llmstxt.org: a title, a summary, then sections of links, each with a line", () => {
    const [title, , summary, , note, ...rest] = text.split("\n");
    expect([title, summary, note]).toEqual([
      "# svcsync",
      expect.stringMatching(/^> svcsync is /),
      expect.stringContaining("describe version 1.2.3"),
    ]);
    expect(rest.filter((line) => !/^(?:|## .+|- \[[^\]]+\]\(1\.2\.3\/[^)]+\.md\): .+)$/.test(line))).toEqual([]);
  });

  it("leads to each page, the list itself aside", () => {
    const targets = linksOf({ path: "llms.txt", text }).filter((target) => target.endsWith(".md"));
    expect(targets).toEqual(pages.slice(1).map(({ file }) => `1.2.3/${file}`));
  });

  it("has all pages in one file beside it", () => {
    const full = llmsFullText(pages);
    expect(pages.filter((page) => !full.includes(page.text.trim())).map(({ path }) => path)).toEqual([]);
  });
});

const page = (path: string, file: string, text = ""): Page => ({ path, file, title: "", summary: "", text });

const shown = (text: string, sourceUrl?: string) => {
  const from = page("docs/guides/go.md", "guides/go.md", text);
  return withSiteLinks(from, [from, page("README.md", "index.md"), page("docs/api.md", "api.md")], sourceUrl);
};

describe("a link on the site", () => {
  it.each([
    ["a page", "[it](../../README.md)", "[it](../index.md)"],
    ["a heading of a page", "[`api`](../api.md#the-end)", "[`api`](../api.md#the-end)"],
    ["a heading of its page", "[above](#above)", "[above](#above)"],
    ["another site", "[site](https://a.example/b)", "[site](https://a.example/b)"],
    ["a file, which is named", "[open](../../src/a/b.ts)", "open (`src/a/b.ts`)"],
    ["a file whose name it shows already", "[`b.ts`](../../src/a/b.ts)", "`src/a/b.ts`"],
  ])("leads to %s", (_, written, expected) => {
    expect(shown(`See ${written}.`)).toBe(`See ${expected}.`);
  });

  it("leads to the repository where its address is known", () => {
    expect(shown("[open](../../src/b.ts#x)", "https://git.example/it/tree/v1")).toBe(
      "[open](https://git.example/it/tree/v1/src/b.ts#x)",
    );
  });

  it("is left alone in code", () => {
    const code = "`[a](../api.ts)`\n\n- x\n\n  ```md\n  [a](../api.ts)\n  ```\n";
    expect(shown(code)).toBe(code);
  });
});

describe("the check of the built site", () => {
  it("finds links without a file, and without a heading", () => {
    using folder = folderOf({
      "index.html":
        '<h1 id="über">Ü</h1><a href="/v/a/">a</a><a class="x" href="#%C3%BCber">u</a><a href="/v/a/#no">n</a>' +
        '<link rel="stylesheet" href="/v/style.css"><a href="/w/">w</a><a href="https://a.example">o</a><link rel="icon" href="data:,"><a href="b.html">b</a>',
      "a/index.html": '<a href="../index.html#über">u</a><a href="#gone">g</a>',
    });
    expect(checkLinks(folder.path, "/v/")).toEqual({
      checked: 8,
      outside: 1,
      dead: [
        "index.html leads to /v/a/#no",
        "index.html leads to /v/style.css",
        "index.html leads to /w/",
        "index.html leads to b.html",
        "a/index.html leads to #gone",
      ],
    });
  });
});

describe("the page of settings", () => {
  it("has a heading for each setting", () => {
    const environment = readFileSync(join(root, ".env.example"), "utf8");
    const names = [...environment.matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = ""]) => name.toLowerCase());
    const anchors = anchorsOf({ path: ".env.example", text: settingsPage("Settings", environment) });
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !anchors.has(name))).toEqual([]);
  });
});

describe("the versions of the site", () => {
  it("are the folders named after one, the newest first", () => {
    const names = ["0.2.0", "llms.txt", "0.10.0", "1.0.0-rc.2", "1.0.0", "1.0.0-rc.10", "old"];
    expect(versionsOf(names)).toEqual(["1.0.0", "1.0.0-rc.10", "1.0.0-rc.2", "0.10.0", "0.2.0"]);
  });
});
