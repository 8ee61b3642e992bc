import { execFileSync } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own that holds very little and can be made read-only. Mounting needs to be root on Linux. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  remount(options: string): void;
  /** Takes all space that is left; what it returns gives it back. */
  fill(): Promise<() => Promise<void>>;
}

/** False where the tests may not mount: the store's answers to a bad disk are then proven by the other tests alone. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function smallDisk(megabytes = 1): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), "svcsync-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path]);
  return {
    path,
    remount: (options) => {
      execFileSync("mount", ["-o", `remount,${options}`, path]);
    },
    async fill() {
      const filler = join(path, "filler");
      const { bfree, bsize } = await statfs(path);
      // Others write, too: then the rest is less than it was.
      await writeFile(filler, Buffer.alloc(bfree * bsize)).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code !== "ENOSPC") throw thrown;
      });
      return () => rm(filler);
    },
    [Symbol.asyncDispose]: async () => {
      execFileSync("umount", [path]);
      await rm(path, { recursive: true });
    },
  };
}
