import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string(), dev: z.boolean().optional(), name: z.string().optional() }),
  ),
});

/** A package of the lock file that is not for development alone. */
export interface Delivered {
  /** Its folder below the repository; empty for svcsync itself. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

/** The packages that svcsync is delivered with, itself included, in the order of the lock file. */
export function deliveredPackages(root: string): readonly Delivered[] {
  const { packages } = lock.parse(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { name, version }]) => ({ path, version, name: name ?? nameIn(path) }));
}

function nameIn(path: string): string {
  const folder = "node_modules/";
  return path.slice(path.lastIndexOf(folder) + folder.length);
}
