import Database from "better-sqlite3";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ParkError } from "#model";
import { Checkpoints, type LogLimit } from "../../src/store/sqlite/durability/checkpoints.ts";
import { DiskSync } from "../../src/store/sqlite/durability/disk-sync.ts";
import { GroupCommit } from "../../src/store/sqlite/durability/group-commit.ts";

const folders: string[] = [];
const disks: DiskSync[] = [];

afterEach(async () => {
  for (const disk of disks.splice(0)) await disk.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Counts how often the disk was waited for. */
class CountedDisk extends DiskSync {
  waits = 0;

  override reached(): Promise<void> {
    this.waits += 1;
    return super.reached();
  }
}

/** A small database that notes every statement that it runs. */
async function noted(log = "t.db-wal", limit?: LogLimit, now?: () => number) {
  const statements: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), "svcsync-test-"));
  folders.push(folder);
  const db = new Database(join(folder, "t.db"), { verbose: (sql) => statements.push(String(sql)) });
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE t (n INTEGER NOT NULL UNIQUE)");
  statements.length = 0;
  const insert = db.prepare<[number]>("INSERT INTO t (n) VALUES (?)");
  const all = db.prepare<[], number>("SELECT n FROM t ORDER BY n").pluck();
  const disk = new CountedDisk(join(folder, log));
  disks.push(disk);
  return {
    db,
    disk,
    statements,
    commit: new GroupCommit(db, disk, limit ?? new Checkpoints(db), () => undefined, now),
    insert: (n: number) => insert.run(n).changes,
    all: () => all.all(),
  };
}

describe("group commit", () => {
  it("runs the steps of one turn in one transaction, in order", async () => {
    const { commit, insert, statements } = await noted();
    const steps = Array.from({ length: 64 }, (_, n) => commit.run(() => insert(n)));
    expect(await Promise.all(steps)).toEqual(Array.from({ length: 64 }, () => 1));
    expect(statements.filter((sql) => sql.startsWith("BEGIN"))).toEqual(["BEGIN IMMEDIATE"]);
    expect(statements.filter((sql) => sql === "COMMIT")).toHaveLength(1);
    const inserted = statements.filter((sql) => sql.startsWith("INSERT"));
    expect(inserted.map((sql) => Number.parseInt(sql.split("VALUES (")[1]!, 10))).toEqual(
      Array.from({ length: 64 }, (_, n) => n),
    );
  });

  it("leaves steps behind long ones to later turns, in order, and commits all when it closes", async () => {
    let at = 0;
    const { commit, insert, statements, all } = await noted(undefined, undefined, () => at);
    const took: number[] = [];
    const step = (n: number) =>
      commit.run(
        () => {
          at += 5;
          if (n === 2) throw new ParkError("E_STORE_VALUE", "no");
          return insert(n);
        },
        { took: (ms) => took.push(ms) },
      );
    const ends = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(step));
    expect(ends.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      ...Array(3).fill("fulfilled"),
    ]);
    expect(statements.filter((sql) => sql === "COMMIT")).toHaveLength(3);
    // The second transaction ran its steps twice, because one failed.
    expect(took).toEqual([10, 10, 15, 15, 10, 10]);
    const closing = [6, 7, 8].map(step);
    await commit.close();
    await Promise.all(closing);
    expect(all()).toEqual([0, 1, 3, 4, 5, 6, 7, 8]);
  });

  it("waits for the disk exactly when one of the steps must be durable", async () => {
    const { commit, disk, insert } = await noted();
    await commit.run(() => insert(1));
    expect(disk.waits).toBe(0);
    await Promise.all([commit.run(() => insert(2), { durable: true }), commit.run(() => insert(3), { durable: true })]);
    expect(disk.waits).toBe(1);
    await commit.run(() => insert(4));
    expect(disk.waits).toBe(1);
  });

  it("does not tell a durable step done when the disk fails, and holds up no other", async () => {
    const { commit, insert } = await noted("not there");
    const ends = await Promise.allSettled([
      commit.run(() => insert(1), { durable: true }),
      commit.run(() => insert(2)),
    ]);
    expect(ends).toMatchObject([
      { status: "rejected", reason: { family: "stop", code: "E_STORE_FAILED" } },
      { status: "fulfilled" },
    ]);
  });

  it("begins no transaction while the log has no room for it, and takes what was asked for meanwhile along", async () => {
    let commits = 0;
    let full = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const room = () => {
      asked.resolve();
      return full.promise;
    };
    const limit = { room, committed: () => void commits++, close: async () => undefined };
    const { all, commit, insert } = await noted(undefined, limit);
    const first = commit.run(() => insert(1));
    await asked.promise;
    const second = commit.run(() => insert(2));
    expect(all()).toEqual([]);
    full.resolve();
    await Promise.all([first, second]);
    expect(all()).toEqual([1, 2]);
    expect(commits).toBe(1);
    full = Promise.withResolvers();
    const last = commit.run(() => insert(3));
    await commit.close();
    expect(await last).toBe(1);
  });

  it("resolves a step only after its commit", async () => {
    const { commit, db, insert } = await noted();
    expect(await commit.run(() => insert(1)).then(() => db.inTransaction)).toBe(false);
  });

  it("lets a step that fails leave no trace and fail alone", async () => {
    const { all, commit, insert } = await noted();
    const refusal = new ParkError("E_INTERNAL", "no");
    const ends = await Promise.allSettled([
      commit.run(() => insert(1)),
      commit.run(() => {
        insert(2);
        throw refusal;
      }),
      commit.run(() => insert(1)),
      commit.run(() => insert(3)),
    ]);
    expect(ends.map((end) => end.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(ends[1]).toMatchObject({ reason: refusal });
    expect(ends[2]).toMatchObject({ reason: { family: "park", code: "E_STORE_VALUE" } });
    expect(all()).toEqual([1, 3]);
  });

  it("records none of the steps when the file is full, and goes on when there is room again", async () => {
    const { all, commit, db, insert } = await noted();
    await commit.run(() => insert(1));
    db.pragma(`max_page_count = ${String(db.pragma("page_count", { simple: true }))}`);
    const ends = await Promise.allSettled([
      commit.run(() => insert(2)),
      commit.run(() => {
        for (let n = 100; n < 10_000; n++) insert(n);
      }),
    ]);
    for (const end of ends) expect(end).toMatchObject({ reason: { family: "stop", code: "E_STORE_FULL" } });
    expect(all()).toEqual([1]);
    db.pragma("max_page_count = 1000000");
    await commit.run(() => insert(2));
    expect(all()).toEqual([1, 2]);
  });

  it("commits what was asked for when it is closed, and refuses what comes later", async () => {
    const { all, commit, insert } = await noted();
    const step = commit.run(() => insert(1), { durable: true });
    const closed = commit.close();
    expect(all()).toEqual([1]);
    await closed;
    expect(await step).toBe(1);
    await expect(commit.run(() => insert(2))).rejects.toMatchObject({ code: "E_STORE_CLOSED" });
  });
});
