import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { movedTables } from "../../src/store/sqlite/index.ts";
import { OOPS, Scene, customer, upsert } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { postgresServer } from "../setup/postgres.ts";
import { large, RECORDS } from "./large-place.ts";
import { by, describeKilledMove, filledStore, interrupted, moved, open } from "./moving.ts";
import { ask, postgresPlace } from "./postgres-place.ts";
import { sqlitePlace, type SqlitePlace } from "./sqlite-place.ts";

const server = postgresServer();
afterAll(() => server.end());
const makePlace = async () => postgresPlace(await server.url());

const long = Array.from({ length: 10_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7919) % 0x5000))).join("");
/** What texts may hold, and what the text format of COPY gives a meaning to. */
const oddTexts = ["", "\0", "a\0b", "\u0001", "\uD7FF", "\u{1F600}", "\\N", "\\.", "\t\\t\n\\n\r", "'\"", long];

type Value = string | number | null;

/** Rows of which each column is filled, and rows that hold what may be left out. */
function rowsOf(columns: readonly { name: string; type: string; notnull: number; pk: number }[]): Value[][] {
  return oddTexts.map((odd, at) =>
    columns.map(({ name, type, notnull, pk }): Value => {
      // Names are as short as an index takes them.
      const text =
        at < oddTexts.length - 1 || /^(key|row|applied|doubts|value|error|notice|event|state|exchange)$/.test(name)
          ? odd
          : "short";
      if (name === "state") return "due";
      if (name === "token") return null;
      if (type === "INTEGER")
        return at % 2 === 1 && notnull === 0 && pk === 0 && name !== "due_at" ? null : 9_000_000_000_000 + at;
      if (type === "REAL") return [0.1, 1e-7, 12_345.678][at % 3] ?? null;
      return at % 3 === 2 && notnull === 0 && pk === 0 ? null : `${text}${name === "key" ? "" : "."}`;
    }),
  );
}

/** Fills all tables of a store, whatever tables and columns there are. */
function fillTables({ dataDir }: SqlitePlace): void {
  const db = new Database(join(dataDir, "svcsync.db"));
  db.pragma("foreign_keys = OFF");
  for (const { name } of movedTables()) {
    const columns = db
      .prepare<[string], { name: string; type: string; notnull: number; pk: number }>(
        "SELECT * FROM pragma_table_info(?)",
      )
      .all(name);
    const small = (value: Value, at: number) =>
      typeof value === "number" &&
      /^(deleted|backfill|again|poll_open|first_load|looks|answered|open|done|polls|status|attempts)$/.test(
        columns[at]?.name ?? "",
      )
        ? value % 100
        : value;
    const insert = db.prepare(`INSERT OR REPLACE INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`);
    for (const row of rowsOf(columns)) insert.run(row.map(small));
  }
  // Numbers of notices that were told and are gone are not used again.
  db.exec("UPDATE sqlite_sequence SET seq = 9000000000777 WHERE name = 'notice_events'");
  db.close();
}

/** Everything that is in the file. */
function contentOf({ dataDir }: SqlitePlace): Record<string, unknown[]> {
  const db = new Database(join(dataDir, "svcsync.db"));
  try {
    return Object.fromEntries(
      [...movedTables().map(({ name }) => name), "sqlite_sequence"].map((name) => [
        name,
        db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all(),
      ]),
    );
  } finally {
    db.close();
  }
}

async function emptyStore(): Promise<SqlitePlace> {
  const place = await sqlitePlace();
  await (await open(place.location))[Symbol.asyncDispose]();
  return place;
}

describe("a move of the store", () => {
  it("takes every row, column, text and counter to PostgreSQL and back", async () => {
    await using first = await emptyStore();
    await using second = await makePlace();
    await using third = await sqlitePlace();
    fillTables(first);
    const there = await moved(first.location, second.location);
    expect(there.tables.map(({ table }) => table)).toEqual(movedTables().map(({ name }) => name));
    for (const { table, from, to } of there.tables) {
      expect({ table, ...to }).toEqual({ table, ...from });
      expect(`${table} ${from.rows >= oddTexts.length}`).toBe(`${table} true`);
    }
    await moved(second.location, third.location);
    expect(contentOf(third)).toEqual(contentOf(first));
  });

  it("knows all tables: the two stores have the same ones, with the same columns", async () => {
    await using place = await makePlace();
    await (await place.open({ as: "operator", clock: systemClock, logger: silentLogger }))[Symbol.asyncDispose]();
    const found = await ask<{ name: string; columns: string[] }>(
      await server.url(),
      `SELECT table_name AS name, array_agg(column_name::text ORDER BY column_name) AS columns FROM information_schema.columns
       WHERE table_schema = '${place.schema}' AND table_name IN (SELECT tablename FROM pg_tables)
       GROUP BY 1 ORDER BY 1`,
    );
    // What belongs to the place, not to what the store knows.
    const own = new Set(["leases", "members", "move", "reserved", "service_limits", "steps", "store_version"]);
    expect(found.filter(({ name }) => !own.has(name))).toEqual(
      movedTables()
        .map(({ name, columns }) => ({ name, columns: columns.toSorted() }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  });

  it("leaves a store that carries on: numbers are not used again, and what was begun is looked for", async () => {
    await using first = await sqlitePlace();
    await using second = await makePlace();
    await filledStore(first, 10);
    await moved(first.location, second.location);
    await using scene = await Scene.open(async () => ({ ...second, [Symbol.asyncDispose]: async () => {} }));
    expect(await scene.stage(Array.from({ length: 10 }, (_, at) => upsert(`${at}`)))).toEqual({
      changed: 0,
      unchanged: 10,
    });
    expect((await scene.claim(customer("begun"))).intent).toMatchObject({ resource: "customers" });
    await scene.bound(customer("new"), 12);
    await scene.store.acts.save("customers", { action: "reread", outcome: "again" }, by);
    expect(await scene.store.audit({ limit: 9 })).toMatchObject([{ outcome: "again" }, { outcome: "once" }]);
  });

  it("takes along whose children a killed process had left to wake", async () => {
    await using first = await sqlitePlace();
    await using second = await makePlace();
    await using of = await large();
    of.db.exec(`
      UPDATE records SET state = 'waiting' WHERE stream = 'customers';
      INSERT INTO waits (child, stream, key) SELECT id, 'other', 'K' FROM records WHERE stream = 'customers'`);
    of.db.exec("INSERT INTO notes (name, value) SELECT 'waking.waits.' || id, '0' FROM records WHERE stream = 'other'");
    await writeFile(join(first.dataDir, "svcsync.db"), of.db.serialize());
    await moved(first.location, second.location);
    await using store = await second.open({ as: "daemon", clock: of.clock, logger: silentLogger });
    await vi.waitFor(async () => expect((await store.counts()).get("customers")).toEqual({ due: RECORDS }), 30_000);
  });

  it("takes along whose children a replica in PostgreSQL had left to wake", async () => {
    await using first = await makePlace();
    await using second = await sqlitePlace();
    {
      await using scene = await Scene.open(async () => ({ ...first, [Symbol.asyncDispose]: async () => {} }));
      await scene.stage([upsert("child")]);
      const parent = { stream: "other", key: "K" };
      await scene.store.stage(parent.stream, {
        changes: [upsert(parent.key)],
        cursor: 1,
        backfill: false,
        complete: true,
      });
      await scene.store.end(await scene.claim(customer("child")), { kind: "wait", error: OOPS, parents: [parent] });
    }
    await ask(
      first.location.url,
      `INSERT INTO "${first.schema}".notes (name, value)
       SELECT 'waking.waits.' || id, '0' FROM "${first.schema}".records WHERE stream = 'other'`,
    );
    await moved(first.location, second.location);
    await using store = await open(second.location, "daemon");
    expect((await store.counts()).get("customers")).toEqual({ due: 1 });
  });

  it("replaces half of a surrogate pair as SQLite does", async () => {
    await using first = await makePlace();
    await using second = await sqlitePlace();
    {
      await using scene = await Scene.open(async () => ({ ...first, [Symbol.asyncDispose]: async () => {} }));
      await scene.stage([upsert("\uD800", { text: "\uD800" })]);
    }
    await moved(first.location, second.location);
    await using store = await open(second.location);
    expect(await store.record(customer("\uD800"))).toMatchObject({ id: { key: "\uFFFD" }, row: { text: "\uD800" } });
  });
});

describe("the old store after a move", () => {
  it("names the new place to daemons and commands, without the password, and takes no step any more", async () => {
    await using first = await sqlitePlace();
    await using second = await makePlace();
    await filledStore(first, 1);
    const url = new URL(second.location.url);
    url.password = "t0p-secret";
    await moved(first.location, { url: url.href, schema: second.schema });
    const thrown = await open(first.location, "daemon").catch(String);
    expect(thrown).toContain(`was moved to postgres://127.0.0.1:${url.port}/postgres, schema ${second.schema}`);
    expect(thrown).not.toContain("t0p-secret");
    await expect(open(first.location)).rejects.toMatchObject({ family: "stop", code: "E_STORE_MOVED" });
    await expect(moved(first.location, second.location)).rejects.toMatchObject({ code: "E_STORE_MOVED" });

    await using beside = await open(second.location);
    await using third = await sqlitePlace();
    await moved(second.location, third.location);
    // A command that had it open before.
    await expect(beside.resetCursor("customers")).rejects.toMatchObject({ family: "stop", code: "E_STORE_MOVED" });
    await expect(open(second.location, "daemon")).rejects.toMatchObject({ family: "stop", code: "E_STORE_MOVED" });
    await using moveable = await open(third.location, "daemon");
    expect((await moveable.record(customer("bound")))?.binding).toEqual({ resource: "customers", serviceId: 11 });
  });
});

describe("a move is refused, and nothing is copied,", () => {
  it("while a daemon runs on the store, or a command has it open", async () => {
    await using first = await sqlitePlace();
    await using second = await makePlace();
    await filledStore(first, 1);
    {
      await using _daemon = await open(first.location, "daemon");
      await expect(moved(first.location, second.location)).rejects.toThrow(`in use by process ${process.pid} on `);
    }
    await using command = await open(first.location);
    await expect(moved(first.location, second.location)).rejects.toMatchObject({ code: "E_STORE_LOCKED" });
    expect(await ask(await server.url(), `SELECT 1 FROM pg_namespace WHERE nspname = '${second.schema}'`)).toEqual([]);
    expect((await command.record(customer("0")))?.state).toBe("due");
  });

  it("where the target knows records, was left, or holds a part of another store", async () => {
    await using one = await sqlitePlace();
    await using two = await sqlitePlace();
    await using target = await makePlace();
    await filledStore(one, 1);
    await filledStore(two, 1);
    await interrupted(one.location, target.location, "compared");
    await expect(moved(two.location, target.location)).rejects.toMatchObject({ code: "E_MOVE_REFUSED" });
    await moved(one.location, target.location);
    await expect(moved(two.location, target.location)).rejects.toThrow("knows records");
    // Back to where it came from: the old one there must be taken away by a person.
    await expect(moved(target.location, one.location)).rejects.toThrow("holds a store that was moved to");
    await using _daemon = await open(target.location, "daemon");
  });

  it("where the store knows nothing, or both are of one kind", async () => {
    await using empty = await sqlitePlace();
    await using other = await sqlitePlace();
    await using target = await makePlace();
    await expect(moved(empty.location, target.location)).rejects.toThrow("holds no store that knows records");
    await expect(moved(empty.location, other.location)).rejects.toThrow("svcsync backup");
    await expect(moved(target.location, target.location)).rejects.toThrow("pg_dump");
  });
});

describeKilledMove(makePlace, ["copying records", "marked"]);

it("a move that was killed does not write again what it had written", async () => {
  await using first = await sqlitePlace();
  await using second = await makePlace();
  await filledStore(first);
  await interrupted(first.location, second.location, "comparing contents");
  const written = () => ask(second.location.url, `SELECT ctid, xmin FROM "${second.schema}".records ORDER BY id`);
  const before = await written();
  await moved(first.location, second.location);
  expect(await written()).toEqual(before);
});
