import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const open = (dataDir: string, as: "daemon" | "operator" = "daemon") =>
  openStore(dataDir, { as, clock: new SetClock(), logger: silentLogger });

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

describe("what is no file of the store", () => {
  it.each(["svcsync.db", "svcsync.lock", "svcsync.db-wal"])(
    "is refused and left as it is: a link called %s",
    async (name) => {
      await using place = await sqlitePlace();
      const target = join(place.dataDir, "a device, say");
      await writeFile(target, "its own");
      await chmod(target, 0o666);
      await symlink(target, join(place.dataDir, name));
      await expect(open(place.dataDir)).rejects.toMatchObject({ family: "stop", code: "E_STORE_FILE" });
      expect(await modeOf(target)).toBe(0o666);
    },
  );

  it("is refused when DATA_DIR is a file, or lies below one", async () => {
    await using place = await sqlitePlace();
    const file = join(place.dataDir, "data");
    await writeFile(file, "its own");
    for (const dataDir of [file, join(file, "below")])
      await expect(open(dataDir)).rejects.toMatchObject({
        code: "E_STORE_FILE",
        message: expect.stringContaining("DATA_DIR is a file, or lies below one; set DATA_DIR to a folder"),
      });
  });

  it("is refused before a device is touched", async () => {
    await using place = await sqlitePlace();
    const before = await modeOf("/dev/null");
    await symlink("/dev/null", join(place.dataDir, "svcsync.db"));
    await expect(open(place.dataDir, "operator")).rejects.toMatchObject({ code: "E_STORE_FILE" });
    expect(await modeOf("/dev/null")).toBe(before);
  });

  it("is refused when it is a folder", async () => {
    await using place = await sqlitePlace();
    await mkdir(join(place.dataDir, "svcsync.db"));
    await expect(open(place.dataDir)).rejects.toMatchObject({ code: "E_STORE_FILE" });
  });

  it("is told apart from a damaged store when it lies in the lock file", async () => {
    await using place = await sqlitePlace();
    await (await open(place.dataDir))[Symbol.asyncDispose]();
    await writeFile(join(place.dataDir, "svcsync.lock"), "garbage, whatever its name says\n".repeat(200));
    await expect(open(place.dataDir)).rejects.toMatchObject({ family: "stop", code: "E_STORE_LOCK_FILE" });
    await (await open(place.dataDir, "operator"))[Symbol.asyncDispose]();
  });

  it("does not concern a file of its own, which only its owner can read afterwards", async () => {
    await using place = await sqlitePlace();
    await (await open(place.dataDir))[Symbol.asyncDispose]();
    const path = join(place.dataDir, "svcsync.db");
    await chmod(path, 0o644);
    await (await open(place.dataDir))[Symbol.asyncDispose]();
    expect(await modeOf(path)).toBe(0o600);
  });
});
