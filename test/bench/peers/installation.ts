import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Package names with exact versions, so that the figures can be compared later. */
export type Packages = Readonly<Record<string, string>>;

/**
 * Installs packages from npm into a folder of their own, install scripts included; a folder that has them is left alone.
 * `overrides` replace what these packages themselves depend on.
 * @throws {Error} with npm's own words.
 */
export async function install(folder: string, packages: Packages, overrides: Packages = {}): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, dependencies: packages, overrides };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}

/** Runs a program of an installation to its end. @throws {Error} with its output when it fails. */
export async function runScript(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  await run(process.execPath, [script, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    maxBuffer: MAX_OUTPUT_BYTES,
  });
}
