import { appendFile, mkdir, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import type { Drift } from "#pipeline";
import { verifyBackup } from "#store";
import { Backups } from "../../src/daemon/upkeep/care/backups.ts";
import { DriftWatch } from "../../src/daemon/upkeep/care/drift-watch.ts";
import { isDue } from "../../src/daemon/upkeep/care/open-care.ts";
import { customer, Scene } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { sqlitePlace, type SqlitePlace } from "../store/sqlite-place.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { signal } = new AbortController();

async function backupsOf(keep: number) {
  let place: SqlitePlace | undefined;
  const scene = await Scene.open(async () => (place = await sqlitePlace()));
  await scene.bound(customer("1"), 7);
  const { dataDir } = place!;
  const dir = join(dataDir, "backups");
  const logger = memoryLogger();
  const file = join(dataDir, "svcsync.db");
  const deps = { file, dir, isOwn: true, keep, clock: scene.clock, logger };
  return { scene, dir, logger, deps };
}

describe("scheduled backups", () => {
  it("are opened and checked, and the oldest of them are deleted; other files are not", async () => {
    const { scene, dir, deps } = await backupsOf(2);
    await using _ = scene;
    await mkdir(dir);
    await writeFile(join(dir, "by-hand.db"), "mine");
    const backups = new Backups({ ...deps, store: scene.store });
    for (let day = 0; day < 4; day++) {
      await backups.make();
      scene.clock.advance(DAY);
    }
    const copies = (await readdir(dir)).toSorted();
    expect(copies).toEqual(["by-hand.db", "svcsync-20260107T080000Z.db", "svcsync-20260108T080000Z.db"]);
    const path = join(dir, copies[2]!);
    expect(await scene.store.care.backupState()).toMatchObject({
      triedAt: scene.clock.now() - DAY,
      verified: { at: scene.clock.now() - DAY, path, recordCount: 1 },
    });
    expect(await verifyBackup(path)).toEqual({ recordCount: 1, bindingCount: 1 });
  });

  it("that cannot be read again are deleted and told of; the last good copy is kept and remembered", async () => {
    const { scene, dir, deps, logger } = await backupsOf(1);
    await using _ = scene;
    await new Backups({ ...deps, store: scene.store }).make();
    const [good] = await readdir(dir);
    scene.clock.advance(DAY);
    const { care } = scene.store;
    const damaging = {
      care,
      backup: async (path: string) => {
        await scene.store.backup(path);
        await truncate(path, 20_000);
        await appendFile(path, Buffer.alloc(40_000, 7));
      },
    };
    await new Backups({ ...deps, store: damaging }).make();
    expect(await readdir(dir)).toEqual([good]);
    expect(await care.backupState()).toMatchObject({
      verified: { path: join(dir, good!) },
      failure: expect.stringMatching(/^the copy .* is damaged: .*\(E_BACKUP_DAMAGED\)$/),
    });
    expect(logger.count("backup failed")).toBe(1);
  });

  it("are kept when an old one cannot be deleted", async () => {
    const { scene, dir, deps, logger } = await backupsOf(1);
    await using _ = scene;
    await mkdir(join(dir, "svcsync-20250101T000000Z.db"), { recursive: true });
    await new Backups({ ...deps, store: scene.store }).make();
    const state = await scene.store.care.backupState();
    expect(state).toMatchObject({ verified: { at: scene.clock.now() } });
    expect(state).not.toHaveProperty("failure");
    expect(await verifyBackup(state!.verified!.path)).toEqual({ recordCount: 1, bindingCount: 1 });
    expect(logger.count("old backups were not deleted")).toBe(1);
  });

  it("fail with one clear error where the folder cannot be made, or is named and not there", async () => {
    const { scene, dir, deps } = await backupsOf(1);
    await using _ = scene;
    const failureIn = async (folder: { dir: string; isOwn: boolean }) => {
      await new Backups({ ...deps, ...folder, store: scene.store }).make();
      return (await scene.store.care.backupState())?.failure;
    };
    await writeFile(dir, "a file");
    expect(await failureIn({ dir, isOwn: true })).toMatch(/in DATA_DIR \(ENOTDIR.*\(E_BACKUP_FOLDER\)$/);
    expect(await failureIn({ dir: "/proc/nope", isOwn: true })).toMatch(/\(ENOENT.*\(E_BACKUP_FOLDER\)$/);
    expect(await failureIn({ dir: "/proc/nope", isOwn: false })).toMatch(
      /^no backup was made: found no folder \/proc\/nope .* at BACKUP_DIR \(ENOENT.*\(E_BACKUP_FOLDER\)$/,
    );
    await rm(dir);
    expect(await failureIn({ dir, isOwn: false })).toContain("E_BACKUP_FOLDER");
    await expect(readdir(dir)).rejects.toThrow("ENOENT");
  });
});

describe("scheduled comparisons", () => {
  it("report differences by stream and kind, and keep the last report when one fails", async () => {
    const { scene } = await backupsOf(1);
    await using _ = scene;
    const { care } = scene.store;
    const drift: Drift = { kind: "missing", id: customer("1"), serviceId: 7 };
    let isAway = false;
    const compare = async () => {
      if (isAway) throw new RetryError("E_SERVICE_UNREACHABLE", "no connection");
      return { drifts: [drift, drift] };
    };
    const streams = ["customers"];
    const watch = new DriftWatch({
      compare,
      streams,
      care,
      clock: scene.clock,
      logger: silentLogger,
    });
    await watch.compare(signal);
    const found = { customers: { changed: 0, missing: 2, doubled: 0, unread: 0 } };
    expect(await care.driftState()).toMatchObject({ comparedAt: scene.clock.now(), drifts: found });
    scene.clock.advance(DAY);
    isAway = true;
    await watch.compare(signal);
    expect(await care.driftState()).toMatchObject({
      triedAt: scene.clock.now(),
      drifts: found,
      failure: "no connection (E_SERVICE_UNREACHABLE)",
    });
  });
});

describe("the schedule of care", () => {
  it("follows the last try, also that of an earlier process, and repeats a failure within an hour", () => {
    const now = new SetClock().now();
    expect(isDue(undefined, DAY, now)).toBe(true);
    expect(isDue({ triedAt: now - 23 * HOUR }, DAY, now)).toBe(false);
    expect(isDue({ triedAt: now - DAY }, DAY, now)).toBe(true);
    expect(isDue({ triedAt: now - HOUR, failure: "full" }, DAY, now)).toBe(true);
    expect(isDue({ triedAt: now - HOUR / 2, failure: "full" }, DAY, now)).toBe(false);
    expect(isDue({ triedAt: now + DAY }, DAY, now)).toBe(true);
  });
});
