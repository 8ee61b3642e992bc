import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The files that concurrent installations share; tests use their own. */
export interface InstallFiles {
  /** Every package asks this script before it starts its service; exit code 101 forbids it. */
  readonly servicePolicy: string;
  /** Held by one installation at a time. */
  readonly lock: string;
}

const installFiles: InstallFiles = {
  servicePolicy: "/usr/sbin/policy-rc.d",
  lock: "/run/lock/svcsync-apt.lock",
};
const installTimeoutMs = 10 * 60_000;

/**
 * Runs under the lock. The policy file is removed when the shell ends; the shell outlives a killed parent, and a policy
 * that a killed shell left behind is recognised by its mark and reused. A policy that belongs to the machine stays. PIPE
 * is ignored so that apt-get can finish after its reader is gone. The package lists are fetched only if the first try
 * fails.
 */
const script = `
policy=$1; shift
trap '' PIPE
if [ ! -e "$policy" ] || grep -q '^# svcsync' "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  printf '#!/bin/sh\\n# svcsync: no service is started while it installs a package.\\nexit 101\\n' >"$policy"
  chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@"; }
install() { apt install --yes --no-install-recommends "$@"; }
install "$@" || { apt update && install "$@"; }
`;

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
 * @throws {Error} the error of apt-get.
 */
export async function installPackages(
  names: readonly string[],
  { servicePolicy, lock }: InstallFiles = installFiles,
): Promise<void> {
  const command = [lock, "sh", "-c", script, "install", servicePolicy, ...names];
  await run("flock", command, { timeout: installTimeoutMs, maxBuffer: 64 * 1024 * 1024 });
}
