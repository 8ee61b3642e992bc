import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Checkpoints } from "../../src/store/sqlite/durability/checkpoints.ts";

/** More than the pages after which a checkpoint begins, and less than those that make a transaction wait. */
const SOME_PAGES = 5_000;

describe("checkpoints", () => {
  let folder: string;
  let path: string;
  let db: Database.Database;
  let checkpoints: Checkpoints;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "svcsync-test-"));
    path = join(folder, "t.db");
    db = new Database(path);
    db.pragma("journal_mode = WAL");
    db.exec("CREATE TABLE t (bytes BLOB)");
    db.pragma("wal_checkpoint(TRUNCATE)");
    checkpoints = new Checkpoints(db);
  });

  afterEach(async () => {
    await checkpoints.close();
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const write = (pages: number) => {
    db.prepare("INSERT INTO t VALUES (zeroblob(?))").run(pages * 4_096);
    checkpoints.committed();
  };
  const log = () => db.prepare<[], { log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)").get()!;

  it("leave a short log alone", () => {
    write(100);
    expect(checkpoints.room()).toBeUndefined();
    expect(log()).toMatchObject({ checkpointed: 0 });
  });

  it("are made beside the event loop, and let transactions run meanwhile", async () => {
    write(SOME_PAGES);
    expect(log()).toMatchObject({ checkpointed: 0 });
    expect(checkpoints.room()).toBeUndefined();
    await expect.poll(() => log().checkpointed).toBeGreaterThanOrEqual(SOME_PAGES);
  });

  it("hold transactions up once the log is long, until it can begin at its start again", async () => {
    write(SOME_PAGES);
    write(SOME_PAGES);
    while (checkpoints.room()) {
      await checkpoints.room();
      write(1);
    }
    await expect.poll(() => log().log).toBeLessThan(SOME_PAGES);
  });

  it("leave pages in the log that another connection still reads, and copy them later", async () => {
    const reader = new Database(path, { readonly: true });
    reader.exec("BEGIN");
    expect(reader.prepare("SELECT count(*) FROM t").pluck().get()).toBe(0);
    write(2 * SOME_PAGES);
    await checkpoints.room();
    expect(log().checkpointed).toBe(0);
    reader.close();
    write(SOME_PAGES);
    await checkpoints.room();
    expect(log().checkpointed).toBeGreaterThan(2 * SOME_PAGES);
  });

  it("that fail hold nothing up, and are made again", async () => {
    await rename(path, `${path}.away`);
    write(2 * SOME_PAGES);
    await checkpoints.room();
    expect(log().checkpointed).toBe(0);
    await rename(`${path}.away`, path);
    write(SOME_PAGES);
    await checkpoints.room();
    expect(log().checkpointed).toBeGreaterThan(2 * SOME_PAGES);
  });

  it("end their thread when nothing is written any more", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      write(SOME_PAGES);
      await expect.poll(() => log().checkpointed).toBeGreaterThanOrEqual(SOME_PAGES);
      await expect.poll(() => vi.getTimerCount()).toBe(1);
      db.close();
      expect(existsSync(`${path}-wal`)).toBe(true);
      vi.advanceTimersByTime(30_000);
      await expect.poll(() => existsSync(`${path}-wal`)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it("have let go of the file when they are closed", async () => {
    write(SOME_PAGES);
    await checkpoints.close();
    expect(log().checkpointed).toBeGreaterThanOrEqual(SOME_PAGES);
    db.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
