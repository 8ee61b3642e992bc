import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiskSync } from "../../src/store/sqlite/durability/disk-sync.ts";

describe("disk sync", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "svcsync-test-"));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("lets those who ask before it begins share one, and begins another for who asks meanwhile", async () => {
    const file = join(folder, "log");
    await writeFile(file, "first");
    const disk = new DiskSync(file);
    const first = disk.reached();
    expect(disk.reached()).toBe(first);
    await Promise.resolve();
    const second = disk.reached();
    expect(second).not.toBe(first);
    const order: string[] = [];
    await Promise.all([second.then(() => order.push("second")), first.then(() => order.push("first"))]);
    expect(order).toEqual(["first", "second"]);
    await disk.close();
  });

  it("tells a failure to those who asked, and to no later ones", async () => {
    const file = join(folder, "log");
    const disk = new DiskSync(file);
    await expect(disk.reached()).rejects.toMatchObject({ code: "ENOENT" });
    await writeFile(file, "there now");
    await disk.reached();
    await disk.close();
  });

  it("waits for what was asked for when it is closed", async () => {
    const file = join(folder, "log");
    await writeFile(file, "text");
    const disk = new DiskSync(file);
    let isReached = false;
    void disk.reached().then(() => (isReached = true));
    await disk.close();
    expect(isReached).toBe(true);
  });
});
