import { execFile } from "node:child_process";
import { access, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Asked by every package before it starts its service; 101 means "do not". */
const servicePolicyFile = "/usr/sbin/policy-rc.d";
const installLockFile = "/run/lock/svcsync-apt.lock";
const installTimeoutMs = 10 * 60_000;

/** Whether this process may install Debian packages: it is root, and apt-get exists. */
export async function canInstallPackages(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  return await run("apt-get", ["--version"]).then(
    () => true,
    () => false,
  );
}

/**
 * Installs Debian packages, one process at a time, without starting the services that come with them.
 * The package lists are fetched only when the first try fails.
 * @throws {Error} the error of apt-get.
 */
export async function installPackages(names: readonly string[]): Promise<void> {
  const isPolicyOurs = await forbidServices();
  try {
    await install(names).catch(async () => {
      await apt(["update"]);
      await install(names);
    });
  } finally {
    if (isPolicyOurs) await rm(servicePolicyFile, { force: true });
  }
}

const install = (names: readonly string[]) => apt(["install", "--yes", "--no-install-recommends", ...names]);

async function apt(args: readonly string[]): Promise<void> {
  const quiet = ["-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Options::=--force-confold"];
  const command = [installLockFile, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...quiet, ...args];
  await run("flock", command, { timeout: installTimeoutMs, maxBuffer: 64 * 1024 * 1024 });
}

/** A machine that has a policy keeps its own. */
async function forbidServices(): Promise<boolean> {
  try {
    await access(servicePolicyFile);
    return false;
  } catch {
    await writeFile(servicePolicyFile, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
    return true;
  }
}
