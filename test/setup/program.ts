import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { canInstallPackages, installPackages } from "./debian-packages.ts";

const run = promisify(execFile);

/** The output of a program, trimmed, or undefined when it fails or does not exist. */
export async function output(command: string, ...args: string[]): Promise<string | undefined> {
  try {
    return (await run(command, args)).stdout.trim();
  } catch {
    return undefined;
  }
}

/** Where the first of these is that exists: names are looked up on the PATH, absolute paths are taken as they are. */
export async function findProgram(candidates: readonly string[]): Promise<string | undefined> {
  for (const candidate of candidates) {
    const path = await output("sh", "-c", 'command -v "$0"', candidate);
    if (path) return path;
  }
  return undefined;
}

/**
 * What `find` finds, after installing a Debian package where it finds nothing.
 * Tests are never skipped for a missing program: @throws {Error} one sentence on what to install.
 */
export async function provide(
  find: () => Promise<string | undefined>,
  debianPackage: string,
  advice = `These tests need what the Debian package ${debianPackage} holds: install it, or run them as root.`,
): Promise<string> {
  const found = await find();
  if (found) return found;
  if (await canInstallPackages()) {
    process.stderr.write(`Installing the Debian package ${debianPackage} for the tests.\n`);
    await installPackages([debianPackage]);
  }
  const installed = await find();
  if (installed) return installed;
  throw new Error(advice);
}
