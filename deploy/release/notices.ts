import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { deliveredPackages } from "./delivered.ts";

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
  author: z.union([z.string(), z.object({ name: z.string().optional() })]).optional(),
});

/** A library that svcsync is delivered with. */
export interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly author: string | undefined;
  /** The texts that the package ships, in the order of their files' names. */
  readonly texts: readonly string[];
}

/**
 * The libraries of the lock file that are not for development alone and are installed here, by name. A package of another platform is not
 * installed, so it is not delivered from here either.
 * @throws {Error} when an installed package names no licence: then nobody knows whether it may be delivered.
 */
export function noticesOf(root: string): readonly Notice[] {
  return deliveredPackages(root)
    .filter(({ path }) => path !== "" && existsSync(join(root, path, "package.json")))
    .map(({ path }) => noticeOf(join(root, path)))
    .toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
}

function noticeOf(folder: string): Notice {
  const { name, version, license, licenses, author } = manifest.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const licence =
    typeof license === "object" ? license.type : (license ?? licenses?.map(({ type }) => type).join(" OR "));
  if (licence === undefined || licence === "")
    throw new Error(`${name}@${version} names no licence in its package.json.`);
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return { name, version, licence, author: typeof author === "object" ? author.name : author, texts };
}

/** The notices as the text file of a release. Libraries under the same text share it. */
export function noticesText(notices: readonly Notice[]): string {
  const byText = Map.groupBy(notices, ({ texts }) => texts.join("\n\n"));
  const parts = [...byText].map(([text, libraries]) => {
    const head = libraries.map(
      ({ name, version, licence, author }) =>
        `${name} ${version} (${licence})${author === undefined ? "" : `, ${author}`}`,
    );
    return `${head.join("\n")}\n\n${text === "" ? "The package contains no licence text." : text}\n`;
  });
  const line = `\n${"-".repeat(80)}\n\n`;
  return `svcsync contains the following ${notices.length} libraries, each under its own licence.\n${line}${parts.join(line)}`;
}
