import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { verifyBackup, type StoreUser } from "#store";
import { sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { Scene, customer, upsert } from "../conformance/store-scene.ts";
import { sqlitePlace, type SqlitePlace } from "./sqlite-place.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";

const openAs = (place: SqlitePlace, as: StoreUser) => place.open({ as, clock: new SetClock(), logger: silentLogger });

/** A store as the first version wrote it, with one bound record. */
function writeVersionOne(dataDir: string): void {
  const db = new Database(join(dataDir, "svcsync.db"));
  db.exec(sqliteMigrations[0]!);
  db.exec(`
    INSERT INTO streams (stream, sequence, cursor) VALUES ('customers', 7, '{"at":1}');
    INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at)
      VALUES (1, 'customers', '1', 'applied', 'h', 7, 0, 5);
    INSERT INTO contents (record, row) VALUES (1, '{"name":"A"}');
    INSERT INTO written (record, applied, sequence) VALUES (1, '{"name":"A"}', 7);
    INSERT INTO bindings (record, resource, service_id) VALUES (1, 'customer', 11);
    INSERT INTO notes (name, value) VALUES ('deletions/customers', '{"gone":3}');
    PRAGMA user_version = 1;
  `);
  db.close();
}

describe("migrations", () => {
  it("bring a store of version 1 to this program's, with everything in it", async () => {
    await using place = await sqlitePlace();
    writeVersionOne(place.dataDir);
    await using store = await openAs(place, "daemon");
    expect(await store.stream("customers")).toMatchObject({
      cursor: { at: 1 },
      deletionCursor: { gone: 3 },
    });
    expect(await store.record(customer("1"))).toMatchObject({
      binding: { resource: "customer", serviceId: 11 },
      appliedSequence: 7,
    });
    const sweep = await store.beginSweep("customers");
    expect(await store.endSweep("customers", sweep)).toEqual({ suspects: 1, confirmed: [] });
  });

  it("are made by an operator too, but never under a running daemon", async () => {
    await using place = await sqlitePlace();
    writeVersionOne(place.dataDir);
    await using _operator = await openAs(place, "operator");
    await using daemon = await openAs(place, "daemon");
    expect(await daemon.boundTo({ resource: "customer", serviceId: 11 })).toEqual(customer("1"));
    const db = new Database(join(place.dataDir, "svcsync.db"));
    db.pragma("user_version = 2");
    await expect(openAs(place, "reader")).rejects.toMatchObject({
      code: "E_STORE_UNPREPARED",
      message: expect.stringContaining("has the tables of an older version"),
    });
    await expect(openAs(place, "operator")).rejects.toMatchObject({
      code: "E_STORE_BUSY",
      message: expect.stringContaining("another version of svcsync, and can be changed once that daemon has stopped"),
    });
    db.pragma(`user_version = ${sqliteMigrations.length}`);
    db.close();
  });

  it("refuse a store that a newer program wrote, and leave it as it is", async () => {
    await using place = await sqlitePlace();
    await (await openAs(place, "daemon"))[Symbol.asyncDispose]();
    const db = new Database(join(place.dataDir, "svcsync.db"));
    db.pragma("user_version = 99");
    for (const as of ["daemon", "operator"] as const)
      await expect(openAs(place, as)).rejects.toMatchObject({
        family: "stop",
        code: "E_STORE_NEWER",
        details: { found: 99, known: sqliteMigrations.length },
      });
    expect(db.pragma("user_version", { simple: true })).toBe(99);
    db.close();
  });
});

describe("the store's files", () => {
  it("can be read by their owner only", async () => {
    await using place = await sqlitePlace();
    await using scene = await Scene.open(() => Promise.resolve(place));
    await scene.stage([upsert("1")]);
    for (const name of ["svcsync.db", "svcsync.db-wal", "svcsync.db-shm", "svcsync.lock"])
      expect((await stat(join(place.dataDir, name))).mode & 0o777).toBe(0o600);
  });
});

describe("a backup", () => {
  it("is a whole store of its own, taken while steps go on", async () => {
    await using place = await sqlitePlace();
    await using copyPlace = await sqlitePlace();
    await using scene = await Scene.open(() => Promise.resolve(place));
    const rows = Array.from({ length: 5_000 }, (_, n) => upsert(`${n}`, { n, text: "x".repeat(300) }));
    await scene.stage(rows);
    const path = join(copyPlace.dataDir, "svcsync.db");
    const backup = scene.store.backup(path);
    const claims = await Promise.all(rows.slice(0, 100).map(({ key }) => scene.claim(customer(key))));
    await Promise.all(claims.map((claim, n) => scene.create(claim, n + 1)));
    await backup;
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await using copy = await openAs(copyPlace, "daemon");
    await copy.check();
    const { customers } = Object.fromEntries(await copy.counts());
    expect((customers?.due ?? 0) + (customers?.applied ?? 0)).toBe(5_000);
  });

  it("is made beside the event loop", async () => {
    await using scene = await Scene.open(sqlitePlace);
    await using copyPlace = await sqlitePlace();
    const text = "x".repeat(40_000);
    await scene.stage(Array.from({ length: 2_000 }, (_, n) => upsert(`${n}`, { text })));
    const before = performance.eventLoopUtilization();
    await scene.store.backup(join(copyPlace.dataDir, "svcsync.db"));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  it("that is no whole store is deleted when it is verified", async () => {
    await using place = await sqlitePlace();
    const path = join(place.dataDir, "copy.db");
    await writeFile(path, "cut off\n".repeat(1_000));
    await writeFile(`${path}-wal`, "");
    await expect(verifyBackup(path)).rejects.toMatchObject({ family: "stop", code: "E_BACKUP_DAMAGED" });
    expect((await readdir(place.dataDir)).filter((name) => name.startsWith("copy"))).toEqual([]);
  });

  it("leaves an earlier copy alone when it fails", async () => {
    await using scene = await Scene.open(sqlitePlace);
    await expect(scene.store.backup("/nonexistent/folder/copy.db")).rejects.toMatchObject({ family: "stop" });
  });
});
