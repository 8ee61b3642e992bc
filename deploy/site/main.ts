import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { buildSite, SiteRefused } from "./build.ts";
import { OutlineBroken } from "./outline.ts";

// Builds the documents as a site: npm run docs:site -- --out FOLDER
// What belongs to the owner comes from the environment: SITE_URL, SITE_SOURCE_URL.
const root = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { out: { type: "string" } } });
const { SITE_URL, SITE_SOURCE_URL } = process.env;
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
try {
  await buildSite({
    root,
    out: resolve(values.out ?? join(root, ".site")),
    version,
    url: SITE_URL,
    sourceUrl: SITE_SOURCE_URL,
    say: (line) => process.stdout.write(`${line}\n`),
  });
} catch (thrown) {
  if (!(thrown instanceof SiteRefused || thrown instanceof OutlineBroken)) throw thrown;
  process.stderr.write(`${thrown.message}\n`);
  process.exitCode = 1;
}
