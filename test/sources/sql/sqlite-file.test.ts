import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters } from "#sources";
import type { Column } from "../../../src/sources/sql/engines/engine.ts";
import { sqliteEngine } from "../../../src/sources/sql/engines/sqlite-engine.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { compiled, sql } from "../../../src/sources/sql/sql-text.ts";
import { Reader } from "../../conformance/source-reading.ts";
import { never } from "../../kit/outcome.ts";
import { scriptEnvironment } from "../../setup/script.ts";
import { openContext } from "../reading.ts";
import { openSql } from "./opened.ts";

describe("a SQLite file", () => {
  it("that another process writes meanwhile is read without loss", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-wal-"));
    const path = join(folder, "erp.db");
    const count = 20_000;
    const script = new URL("sqlite-writer.ts", import.meta.url).pathname;
    const writer = spawn(process.execPath, [script, path, String(count)], {
      env: scriptEnvironment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(writer, "exit");
    await once(writer.stdout, "data");
    const adapter = adapters.get("sql")!;
    const source = await adapter.open(adapter.settings.parse({ url: `sqlite:${path}` }), openContext(systemClock));
    const read = { table: "items", key: "nr", changed: "at", overlap: "2s", pageSize: 100 };
    const reader = new Reader(source.stream("items", adapter.read.parse(read)));
    writer.stdin.write("go");
    while (writer.exitCode === null) await reader.poll();
    expect((await ended)[0]).toBe(0);
    await reader.poll();
    expect(reader.names.size).toBe(count);
    await source[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it("that another one takes the place of, as an export does, is read from the next poll on", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-export-"));
    const path = join(folder, "erp.db");
    const exported = (nr: string) => {
      const file = join(folder, "new.db");
      const database = new Sqlite(file);
      database.exec(`create table items (nr text primary key); insert into items values ('${nr}')`);
      database.close();
      return rename(file, path);
    };
    const adapter = adapters.get("sql")!;
    await exported("1");
    const source = await adapter.open(adapter.settings.parse({ url: `sqlite:${path}` }), openContext(systemClock));
    const stream = source.stream("items", adapter.read.parse({ table: "items", key: "nr" }));
    const keys = async () => {
      const found: string[] = [];
      for await (const { changes } of stream.changes(null, never)) found.push(...changes.map(({ key }) => key));
      return found;
    };
    expect(await keys()).toEqual(["1"]);
    await exported("2");
    expect(await keys()).toEqual(["2"]);
    await rm(path);
    await expect(keys()).rejects.toMatchObject({ code: "E_SOURCE_UNREACHABLE" });
    await exported("3");
    expect(await keys()).toEqual(["3"]);
    await source[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it("gives a large page in batches that leave time for other work, each with a cursor that loses nothing", async () => {
    await using erp = await openSql("sqlite");
    const count = 4_000;
    await erp.place.writer.run(`create table items (nr integer primary key);
      insert into items with recursive n (nr) as (select 1 union all select nr + 1 from n where nr < ${count}) select nr from n`);
    const stream = erp.stream({ table: "items", key: "nr", pageSize: count });
    let rows = 0;
    for await (const batch of stream.changes(null, never)) {
      expect(batch.changes.length).toBeLessThanOrEqual(1_500);
      rows += batch.changes.length;
      const keys = new Set<string>();
      for await (const rest of stream.changes(batch.cursor, never)) for (const { key } of rest.changes) keys.add(key);
      // Whoever resumes there sees all rows that were not given yet; the last cursor of a poll begins the next one.
      expect(keys.size).toBeGreaterThanOrEqual(count - rows);
    }
    expect(rows).toBe(count);
  });

  it.each(["TEXT", "TEXT NOT NULL"])(
    "is asked for rows without a stamp by the index, where the stamp is %s",
    (type) => {
      const engine = sqliteEngine(settings.parse({ url: "sqlite:unused" }));
      const column: Column = { name: "at", kind: "any", type };
      const missing = engine.unset(column, "time");
      const { text, values } = compiled(sql`explain query plan select nr from items where ${missing}`, engine.name);
      const database = new Sqlite(":memory:");
      database.exec(`create table items (nr text primary key, at ${type}); create index items_at on items (at)`);
      const plan = database.prepare<unknown[], { detail: string }>(text).all(...values);
      expect(plan.map(({ detail }) => detail)).not.toContainEqual(expect.stringContaining("SCAN"));
      database.close();
    },
  );
});
