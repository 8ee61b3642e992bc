import { open, readdir, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore, type Note, type Store } from "#store";
import { DiskSync } from "../../src/store/sqlite/durability/disk-sync.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { Scene, customer, upsert } from "../conformance/store-scene.ts";
import { canMount, smallDisk } from "./small-disk.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";

const clock = new SetClock();
const countNote: Note<number> = { name: "a", schema: z.number() };
const openDaemon = (dataDir: string) => openStore(dataDir, { as: "daemon", clock, logger: silentLogger });
/** A store on a file that the test opened in its own way. */
const storeOn = (db: Database.Database) =>
  new SqliteStore({
    db,
    clock,
    logger: silentLogger,
    leaseMs: 1_000,
    disk: new DiskSync(`${db.name}-wal`),
    close: () => db.close(),
    redact: (text) => text,
  });
const batch = (changes: ReturnType<typeof upsert>[]) => ({ changes, cursor: 2, backfill: false, complete: true });

/** Stages ever more until the store refuses; returns the refusal and how many batches were taken. */
async function fillUp(store: Store): Promise<{ refusal: unknown; taken: number }> {
  for (let taken = 0; ; taken++) {
    const rows = Array.from({ length: 50 }, (_, n) => upsert(`fill-${taken}-${n}`, { text: "x".repeat(500) }));
    const refusal = await store.stage("fill", { ...batch(rows), cursor: taken + 1 }).catch((thrown: unknown) => thrown);
    if (refusal instanceof Error) return { refusal, taken };
    if (taken > 10_000) throw new Error("the store never filled up");
  }
}

async function expectNothingHalfRecorded(store: Store, taken: number): Promise<void> {
  expect((await store.stream("fill")).cursor).toBe(taken === 0 ? null : taken);
  expect((await store.counts()).get("fill")?.due ?? 0).toBe(taken * 50);
}

describe("a full disk", () => {
  it.runIf(canMount())("is what a backup to it says, which leaves nothing there", async () => {
    await using scene = await Scene.open(sqlitePlace);
    await using disk = await smallDisk();
    await scene.stage(Array.from({ length: 600 }, (_, n) => upsert(`${n}`, { text: "x".repeat(40_000) })));
    const refused = { family: "stop", code: "E_BACKUP_SPACE" };
    await expect(scene.store.backup(join(disk.path, "copy.db"))).rejects.toMatchObject(refused);
    expect(await readdir(disk.path)).toEqual([]);
  });

  it("refuses steps with a remedy, records none of them by half, and goes on when there is room", async () => {
    await using place = await sqlitePlace();
    await (await openDaemon(place.dataDir))[Symbol.asyncDispose]();
    const db = new Database(join(place.dataDir, "svcsync.db"));
    db.pragma("max_page_count = 120");
    await using store = storeOn(db);
    const { refusal, taken } = await fillUp(store);
    expect(refusal).toMatchObject({ family: "stop", code: "E_STORE_FULL" });
    expect(String(refusal)).toContain("free space");
    await expectNothingHalfRecorded(store, taken);
    db.pragma("max_page_count = 100000");
    await store.stage("fill", { ...batch([upsert("one more")]), cursor: "later" });
    expect((await store.stream("fill")).cursor).toBe("later");
  });

  it.runIf(canMount())("is told by the file system itself, also for a create that is journalled", async () => {
    await using disk = await smallDisk();
    const store = await openDaemon(disk.path);
    try {
      await store.stage("customers", batch([upsert("1")]));
      const claim = (await store.claim(customer("1")))!;
      const { refusal, taken } = await fillUp(store);
      expect(refusal).toMatchObject({ family: "stop", code: "E_STORE_FULL" });
      await expectNothingHalfRecorded(store, taken);
      const projection = { text: "y".repeat(1024 * 1024) };
      const begun = store.begin(claim, { resource: "customer", projection });
      await expect(begun).rejects.toMatchObject({ family: "stop", code: "E_STORE_FULL" });
      expect((await store.record(customer("1")))?.intent).toBeUndefined();
      disk.remount("size=8m");
      await store.begin(claim, { resource: "customer", projection });
      await store.check();
    } finally {
      await store[Symbol.asyncDispose]();
    }
  });
});

describe("a read-only store", () => {
  it.runIf(canMount())("is not what a backup to a read-only disk says", async () => {
    await using scene = await Scene.open(sqlitePlace);
    await using disk = await smallDisk();
    disk.remount("ro");
    await expect(scene.store.backup(join(disk.path, "copy.db"))).rejects.toMatchObject({
      family: "stop",
      code: "E_BACKUP_FOLDER",
      message: expect.stringMatching(/copy\.db: the copy cannot be written there; expected a folder .*EROFS/),
    });
  });

  it("refuses steps with a remedy and still answers questions", async () => {
    await using place = await sqlitePlace();
    await using daemon = await openDaemon(place.dataDir);
    await daemon.stage("customers", batch([upsert("1")]));
    const db = new Database(join(place.dataDir, "svcsync.db"), { readonly: true });
    await using store = storeOn(db);
    expect((await store.record(customer("1")))?.state).toBe("due");
    await expect(store.claim(customer("1"))).rejects.toMatchObject({ family: "stop", code: "E_STORE_READONLY" });
    await expect(store.check()).rejects.toMatchObject({ code: "E_STORE_READONLY" });
  });

  it.runIf(canMount())(
    "is not all that a file means which cannot be opened: a disk without inodes is named, too",
    async () => {
      await using disk = await smallDisk();
      await (await openDaemon(disk.path))[Symbol.asyncDispose]();
      const { files, ffree } = await statfs(disk.path);
      disk.remount(`nr_inodes=${files - ffree}`);
      const message = expect.stringContaining('inodes left ("df -i")');
      await expect(openDaemon(disk.path)).rejects.toMatchObject({ family: "stop", code: "E_STORE_READONLY", message });
    },
  );

  it.runIf(canMount())("is not opened on a file system that became read-only", async () => {
    await using disk = await smallDisk();
    await (await openDaemon(disk.path))[Symbol.asyncDispose]();
    disk.remount("ro");
    await expect(openDaemon(disk.path)).rejects.toMatchObject({ family: "stop", code: "E_STORE_READONLY" });
  });

  it("is not opened where its directory cannot be made", async () => {
    await using place = await sqlitePlace();
    const file = join(place.dataDir, "file");
    await writeFile(file, "");
    await expect(openDaemon(join(file, "data"))).rejects.toMatchObject({ family: "stop", code: "E_STORE_FILE" });
  });
});

describe("a store that another process writes to", () => {
  it("gives a step up after a while, for another try, and takes the next when it is free", async () => {
    await using place = await sqlitePlace();
    await (await openDaemon(place.dataDir))[Symbol.asyncDispose]();
    const path = join(place.dataDir, "svcsync.db");
    const other = new Database(path);
    const db = new Database(path, { timeout: 20 });
    await using store = storeOn(db);
    other.exec("BEGIN IMMEDIATE");
    await expect(store.saveNote(countNote, 1)).rejects.toMatchObject({ family: "retry", code: "E_STORE_LOCKED" });
    other.close();
    expect(await store.note(countNote)).toBeUndefined();
    await store.saveNote(countNote, 2);
    expect(await store.note(countNote)).toBe(2);
  });
});

describe("a damaged store", () => {
  it("is not opened when it is no database at all, and the store can be taken by the next daemon", async () => {
    await using place = await sqlitePlace();
    const path = join(place.dataDir, "svcsync.db");
    await writeFile(path, "this is not a database, whatever its name says\n".repeat(200));
    const refusal = { family: "stop", code: "E_STORE_CORRUPT" };
    await expect(openDaemon(place.dataDir)).rejects.toMatchObject(refusal);
    await expect(openDaemon(place.dataDir)).rejects.toMatchObject(refusal);
  });

  it("is noticed by its check and by the reads that meet the damage", async () => {
    await using place = await sqlitePlace();
    const path = join(place.dataDir, "svcsync.db");
    const sizeAfter = async (use: (scene: Scene) => unknown) => {
      {
        await using scene = await Scene.open(() =>
          Promise.resolve({ ...place, [Symbol.asyncDispose]: async () => {} }),
        );
        await use(scene);
      }
      return (await stat(path)).size;
    };
    // Each table and index begins there, and whoever looks into one goes on to what is damaged.
    const intact = await sizeAfter(() => {});
    const size = await sizeAfter((scene) =>
      scene.stage(Array.from({ length: 2_000 }, (_, n) => upsert(`${n}`, { n, text: "x".repeat(200) }))),
    );
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(size - intact, 0xa5), 0, size - intact, intact);
    await file.close();
    await expect(openDaemon(place.dataDir)).rejects.toMatchObject({ family: "stop", code: "E_STORE_CORRUPT" });
    await using store = await openStore(place.dataDir, { as: "operator", clock, logger: silentLogger });
    await expect(store.check()).rejects.toMatchObject({ family: "stop", code: "E_STORE_CORRUPT" });
    const reads = Array.from({ length: 2_000 }, (_, n) => store.record(customer(`${n}`)));
    const failures = (await Promise.allSettled(reads)).filter((read) => read.status === "rejected");
    expect(failures.length).toBeGreaterThan(0);
    for (const { reason } of failures) expect(reason).toMatchObject({ family: "stop", code: "E_STORE_CORRUPT" });
  });
});
