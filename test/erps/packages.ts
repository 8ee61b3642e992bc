import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { canInstallPackages, installPackages } from "../setup/debian-packages.ts";
import { output } from "../setup/program.ts";

const run = promisify(execFile);

/** Installs the Debian packages that are missing. @throws {Error} one sentence on what to install, where it may not. */
export async function providePackages(...names: string[]): Promise<void> {
  const missing: string[] = [];
  for (const name of names) if (!(await versionOf(name))) missing.push(name);
  if (missing.length === 0) return;
  if (!(await canInstallPackages()))
    throw new Error(`This trial needs Debian packages: apt-get install ${missing.join(" ")}, or run it as root.`);
  await installPackages(missing);
}

/** The version of an installed package, without what Debian added to it. */
export async function versionOf(name: string): Promise<string | undefined> {
  const told = await output("dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", name);
  return told?.startsWith("installed ") ? upstream(told.slice("installed ".length)) : undefined;
}

/** Fetches a package without installing it and unpacks it into a folder; the answer is its version. */
export async function unpackPackage(name: string, folder: string): Promise<string> {
  const fetch = () => run("apt-get", ["-q", "download", name], { cwd: folder });
  await fetch().catch(async () => {
    await run("apt-get", ["-q", "update"]);
    await fetch();
  });
  const script = 'dpkg-deb --extract "$0"_*.deb . && dpkg-deb --field "$0"_*.deb Version';
  const { stdout } = await run("sh", ["-c", script, name], { cwd: folder });
  return upstream(stdout.trim());
}

/** `1.6.33+ds-2.1` is LedgerSMB 1.6.33. */
function upstream(version: string): string {
  return version.replace(/^\d+:/, "").replace(/[+-].*$/, "");
}
