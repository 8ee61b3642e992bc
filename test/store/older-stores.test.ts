import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it, vi } from "vitest";
import { RECORD_STATES } from "#model";
import { contact, customer, OOPS, Scene, upsert, type StorePlace } from "../conformance/store-scene.ts";
import { ask, postgresPlace } from "./postgres-place.ts";
import { postgresServer } from "../setup/postgres.ts";
import { sqlitePlace } from "./sqlite-place.ts";

const server = postgresServer();
afterAll(() => server.end());

/** A number that a process or a query gave; there is always one. */
type Numbers = { readonly id: number };

interface OldStore {
  readonly place: StorePlace;
  readonly numberOf: (key: string) => Promise<number>;
  /** Makes it the store of the version before notes about children to be woken had the name that they have now. `after`: the last child that was woken. */
  readonly age: (waking?: { readonly parent: number; readonly after: number }) => Promise<void>;
}

/** What later migrations have added. */
const LATER = "DROP TABLE returns; DROP TABLE return_marks";

async function sqliteStore(): Promise<OldStore> {
  const place = await sqlitePlace();
  const run = <Result>(work: (db: Database.Database) => Result): Result => {
    const db = new Database(join(place.dataDir, "svcsync.db"));
    const result = work(db);
    db.close();
    return result;
  };
  return {
    place,
    numberOf: async (key) =>
      run((db) => db.prepare<[string], Numbers>("SELECT id FROM records WHERE stream || '/' || key = ?").get(key)!.id),
    age: async (waking) =>
      run((db) => {
        const list = waking && [{ who: "waits", stream: "customers", key: "1", after: waking.after }];
        db.exec(`${LATER}; PRAGMA user_version = 16`);
        if (list) db.prepare("INSERT INTO notes (name, value) VALUES ('waking', ?)").run(JSON.stringify(list));
      }),
  };
}

async function postgresStore(): Promise<OldStore> {
  const url = await server.url();
  const place = await postgresPlace(url);
  const run = <Row extends object>(sql: string) => ask<Row>(url, `SET search_path = "${place.schema}"; ${sql}`);
  return {
    place,
    async numberOf(key) {
      const of = `"${place.schema}".records`;
      const [row] = await ask<Numbers>(url, `SELECT id::integer FROM ${of} WHERE stream || '/' || key = '${key}'`);
      return row!.id;
    },
    async age(waking) {
      await run(`${LATER}; CREATE SEQUENCE record_ids; UPDATE store_version SET version = 7`);
      if (waking) await run(`INSERT INTO notes VALUES ('waking/waits/${waking.parent}', '${waking.after}')`);
    },
  };
}

describe.each([
  ["SQLite", sqliteStore],
  ["PostgreSQL", postgresStore],
])("a store of an older version in %s", (_, make) => {
  it("keeps every record in its state", async () => {
    const old = await make();
    await using scene = await Scene.open(() => Promise.resolve(old.place));
    for (const state of RECORD_STATES) if (state !== "claimed") await scene.inState(customer(state), state);
    const before = await scene.store.records({ limit: 99 });
    await scene.store[Symbol.asyncDispose]();
    await old.age();
    await scene.reopen();
    expect(before).toHaveLength(RECORD_STATES.length - 1);
    expect(await scene.store.records({ limit: 99 })).toEqual(before);
    await scene.store.check();
  });

  it("wakes the children that its daemon had not woken yet, and no other", async () => {
    const old = await make();
    await using scene = await Scene.open(() => Promise.resolve(old.place));
    await scene.stage([upsert("1")]);
    for (const key of ["1", "2", "3"])
      await scene.store.end(await scene.claimed(contact(key)), { kind: "wait", error: OOPS, parents: [customer("1")] });
    await scene.store[Symbol.asyncDispose]();
    await old.age({ parent: await old.numberOf("customers/1"), after: await old.numberOf("contacts/1") });
    await scene.reopen();
    await vi.waitFor(async () => expect(await scene.dueKeys("contacts")).toEqual(["2", "3"]), { timeout: 60_000 });
    expect(await scene.state(contact("1"))).toBe("waiting");
  });
});
