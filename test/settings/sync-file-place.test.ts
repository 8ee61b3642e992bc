import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadLocalSettings } from "#settings";

const home = process.cwd();
let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-place-"));
  await mkdir(join(folder, "config"));
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const syncFile = (environment = {}) => loadLocalSettings({ environment }).settings.syncFile;
const make = (...names: string[]) => Promise.all(names.map((name) => writeFile(join("config", name), "")));

describe("the sync file that no setting names", () => {
  it("is config/svcsync.yaml, also where there is none", async () => {
    expect(syncFile()).toBe("config/svcsync.yaml");
    await make("svcsync.yaml");
    expect(syncFile()).toBe("config/svcsync.yaml");
  });

  it("is config/sync.yaml where only that exists", async () => {
    await make("sync.yaml");
    expect(syncFile()).toBe("config/sync.yaml");
  });

  it("is neither of two, unless SYNC_FILE names one", async () => {
    await make("svcsync.yaml", "sync.yaml");
    expect(() => syncFile()).toThrow(
      "SYNC_FILE: found two sync files, config/svcsync.yaml and config/sync.yaml; expected one of them: move the other one away, or set SYNC_FILE to the right one",
    );
    expect(syncFile({ SYNC_FILE: "config/sync.yaml" })).toBe("config/sync.yaml");
  });
});
