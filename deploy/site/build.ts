import { execFile } from "node:child_process";
import { cp, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { checkLinks } from "./dead-links.ts";
import { withSiteLinks, withSlash } from "./links.ts";
import { llmsFullText, llmsText } from "./llms.ts";
import { pagesOf, readOutline, type Entry, type Outline } from "./outline.ts";
import { versionsOf } from "./versions.ts";

const run = promisify(execFile);
const here = import.meta.dirname;
/** What VitePress reads; `.vitepress/config.mts` names it too. */
const staged = join(here, ".source");

export interface SiteOptions {
  /** The repository. */
  readonly root: string;
  /** The folder of all versions: this one is added, the others stay. */
  readonly out: string;
  readonly version: string;
  /** Where `out` is published, an address or a path; undefined: at the top of a server that is not known yet. */
  readonly url: string | undefined;
  /** The address of the repository's files of this version; undefined: files are named, not linked. */
  readonly sourceUrl: string | undefined;
  /** Is given one line at a time. */
  readonly say: (line: string) => void;
}

/** A site with dead links, or a step that failed: the message says why. */
export class SiteRefused extends Error {}

/**
 * Builds the documents as a site into `out/VERSION`, with the list of versions and llms.txt beside it.
 * @throws {OutlineBroken} @throws {SiteRefused} and leaves `out` as it was.
 */
export async function buildSite(options: SiteOptions): Promise<void> {
  const { root, out, version, say } = options;
  const entrance = withSlash(new URL(options.url ?? "/", "http://localhost").pathname);
  const base = `${entrance}${version}/`;
  const outline = readOutline(root);
  const pages = pagesOf(outline).map((page) => ({
    ...page,
    text: withSiteLinks(page, pagesOf(outline), options.sourceUrl),
  }));
  await stage(pages, siteOf(outline, version, entrance));
  await installTools();
  const built = join(staged, "built");
  await run(process.execPath, ["node_modules/vitepress/bin/vitepress.js", "build", ".", "--base", base], {
    cwd: here,
    maxBuffer: 64 * 2 ** 20,
  }).catch((thrown: unknown) => {
    throw new SiteRefused(`VitePress did not build the site: ${String(thrown)}`, { cause: thrown });
  });
  await writePages(built, pages);
  await writeFile(join(built, "llms.txt"), llmsText(outline, version, ""));
  await writeFile(join(built, "llms-full.txt"), llmsFullText(pages));
  const { checked, outside, dead } = checkLinks(built, base);
  if (dead.length > 0) throw new SiteRefused(`${dead.length} links lead nowhere:\n${dead.join("\n")}`);
  await rm(join(out, version), { recursive: true, force: true });
  await cp(built, join(out, version), { recursive: true });
  await writeEntrance(options, outline);
  await rm(staged, { recursive: true });
  say(`${pages.length} pages, ${await sizeOf(join(out, version))} KB in ${join(out, version)}`);
  say(`${checked} links lead somewhere; ${outside} to other sites were not opened`);
}

type Staged = readonly { readonly file: string; readonly text: string }[];

async function stage(pages: Staged, site: unknown): Promise<void> {
  await rm(staged, { recursive: true, force: true });
  await writePages(join(staged, "pages"), pages);
  await writeFile(join(staged, "site.json"), JSON.stringify(site));
}

/** Each page as Markdown: what the site is made of, and what llms.txt leads to. */
async function writePages(folder: string, pages: Staged): Promise<void> {
  for (const { file, text } of pages) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

/** What `.vitepress/config.mts` reads. */
function siteOf({ contents, sections }: Outline, version: string, entrance: string): unknown {
  const item = ({ label, page, children }: Entry): unknown => ({
    text: label,
    link: addressOf(page.file),
    ...(children.length > 0 && { collapsed: true, items: children.map(item) }),
  });
  return {
    version,
    entrance,
    contents: addressOf(contents.file),
    sidebar: sections.map(({ title, entries }) => ({ text: title, items: entries.map(item) })),
  };
}

const addressOf = (file: string) => `/${file.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, ".html")}`;

/** Installs what the lock file beside this one pins, unless it is there: svcsync itself needs none of it. */
async function installTools(): Promise<void> {
  const changedAt = async (path: string) => (await stat(join(here, path)).catch(() => undefined))?.mtimeMs ?? 0;
  if ((await changedAt("node_modules/.package-lock.json")) >= (await changedAt("package-lock.json"))) return;
  await run("npm", ["ci", "--ignore-scripts", "--silent"], { cwd: here }).catch((thrown: unknown) => {
    throw new SiteRefused(`npm did not install the tools of ${here}: ${String(thrown)}`, { cause: thrown });
  });
}

/** What is found above the versions: their list, the way to the newest one, and its llms.txt. */
async function writeEntrance({ out, version, url }: SiteOptions, outline: Outline): Promise<void> {
  const versions = versionsOf(await readdir(out));
  const [newest = version] = versions;
  await writeFile(join(out, "versions.json"), `${JSON.stringify({ newest, versions })}\n`);
  if (newest !== version) return;
  await writeFile(
    join(out, "llms.txt"),
    llmsText(outline, version, `${url === undefined ? "" : withSlash(url)}${version}/`),
  );
  await writeFile(
    join(out, "index.html"),
    `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>svcsync</title>\n` +
      `<meta http-equiv="refresh" content="0; url=${version}/">\n<a href="${version}/">svcsync ${version}</a>\n</html>\n`,
  );
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => stat(join(folder, name))));
  return Math.round(sizes.filter((entry) => entry.isFile()).reduce((sum, { size }) => sum + size, 0) / 1024);
}
