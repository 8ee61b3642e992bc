import { readFileSync } from "node:fs";
import { z } from "zod";
import { programFile } from "#model";

const manifest = programFile("../package.json");
/** Written by the build: dist/package.json. Where the sources run, there is none. */
const built = programFile("package.json");

/** The version in package.json. */
export const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8")));

/** The version, and the first 12 digits of the commit that the program was built from, if that is known. */
export function versionText(): string {
  const commit = commitBuilt();
  return commit === undefined ? version : `${version} (${commit.slice(0, 12)})`;
}

function commitBuilt(): string | undefined {
  try {
    const { commit } = z.object({ commit: z.string().optional() }).parse(JSON.parse(readFileSync(built, "utf8")));
    return commit === "" ? undefined : commit;
  } catch {
    return undefined;
  }
}
