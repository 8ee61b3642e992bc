import { afterAll, expect, it } from "vitest";
import type { Store } from "#store";
import { Link } from "../../src/store/postgres/connection/link.ts";
import { locked } from "../../src/store/postgres/connection/prefix.ts";
import { AT_ONCE } from "../../src/store/postgres/in-parts.ts";
import { WOKEN_AT_ONCE } from "../../src/store/statements/parents.ts";
import { Scene, written } from "../conformance/store-scene.ts";
import { postgresPlaces } from "./postgres-place.ts";

const places = postgresPlaces();
afterAll(() => places.end());

const RECORDS = 4 * AT_ONCE + 1;
const HOUR_MS = 3_600_000;
const anna = { name: "anna", via: "cli" } as const;

/** What touches all records, and how many rows it has changed so far. */
interface LongStep {
  /** What it needs beside `RECORDS` applied records of the stream "customers", each bound to its number. */
  readonly prepare?: string;
  readonly begin?: (store: Store) => Promise<unknown>;
  readonly run: (store: Store, scene: Scene) => Promise<unknown>;
  readonly done: string;
}

const FILL = `
  INSERT INTO streams (stream, sequence, fingerprint) VALUES ('customers', ${RECORDS}, 'a');
  INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at)
  SELECT n, 'customers', 'K' || n, 'applied', '', n, 0, 0 FROM generate_series(1, ${RECORDS}) n;
  INSERT INTO contents (record, row) SELECT id, '{}' FROM records;
  INSERT INTO bindings (record, resource, service_id) SELECT id, 'customer', sequence FROM records`;
const KNOWN = "INSERT INTO match_records (resource, service_id) SELECT resource, service_id FROM bindings";

const endSweep = async (store: Store) => store.endSweep("customers", await store.beginSweep("customers"));

const steps: Readonly<Record<string, LongStep>> = {
  "a stream that is due for another mapping": {
    run: (store) => store.remap("customers", "b"),
    done: "SELECT count(*) FROM records WHERE state = 'due'",
  },
  "a retry": {
    prepare: "UPDATE records SET state = 'parked'",
    run: (store) => store.retryNow({ states: ["parked"] }, anna),
    done: `
      SELECT count(*) FROM records JOIN (SELECT key FROM audit GROUP BY key HAVING count(*) = 1) a USING (key) WHERE state = 'due'`,
  },
  "due times that follow a clock that was set back": {
    prepare: `UPDATE records SET state = 'due', due_at = ${10 * HOUR_MS} + sequence`,
    begin: (store) => store.stage("other", { changes: [], cursor: 1, backfill: false, complete: true }),
    async run(store, { clock }) {
      clock.at = (await store.latestMoment()) - HOUR_MS;
      await store.clockSetBack(HOUR_MS);
    },
    done: `SELECT count(*) FROM records WHERE due_at = ${9 * HOUR_MS} + sequence`,
  },
  "the end of a sweep": {
    run: endSweep,
    done: "SELECT count(*) FROM suspects",
  },
  "marks of an unfinished sweep": {
    prepare: "INSERT INTO seen (stream, key) SELECT stream, key FROM records",
    run: (store) => store.beginSweep("customers"),
    done: `SELECT ${RECORDS} - count(*) AS count FROM seen`,
  },
  "the beginning of a whole read of the service": {
    run: (store) => store.beginMatches("customer"),
    done: "SELECT count(*) FROM match_records",
  },
  "the end of a whole read of the service": {
    prepare: `${KNOWN}; INSERT INTO match_keys SELECT resource, service_id, 'number', 'k' FROM match_records;
      INSERT INTO match_indexes (resource, reading) VALUES ('customer', 1)`,
    run: (store) => store.endMatches("customer", { whole: true, readAt: 7 }),
    done: `SELECT ${RECORDS} - count(*) AS count FROM match_records NATURAL FULL JOIN match_keys`,
  },
  "old history": {
    prepare:
      "INSERT INTO audit (at, stream, key, action, resource, outcome) SELECT 1, stream, key, '', '', '' FROM records",
    run: (store) => store.prune("audit", 2),
    done: `SELECT ${RECORDS} - count(*) AS count FROM audit`,
  },
  "deletions that were carried out": {
    prepare: "INSERT INTO deletions (record, stream, told_at, done) SELECT id, stream, 1, 1 FROM records",
    run: (store) => store.prune("deletions", 2),
    done: `SELECT ${RECORDS} - count(*) AS count FROM deletions`,
  },
};

/** Such a store, reached past its steps, too. */
async function large({ prepare, begin, done }: LongStep) {
  const place = await places.make();
  const scene = await Scene.open(async () => place);
  const link = new Link(place.location, locked(place.location), { max: 1 });
  await link.send([FILL, ...(prepare === undefined ? [] : [prepare])]);
  await begin?.(scene.store);
  return {
    scene,
    count: async () => (await link.rows<{ count: number }>(done))[0]!.count,
    rows: link.rows.bind(link),
    /** What another process does between the first two parts: it is the beginning of the message after the first. */
    async between(sql: string): Promise<void> {
      await link.send([
        `CREATE FUNCTION between_parts() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
           IF (${done}) > 0 THEN ${sql}; END IF;
           RETURN NULL;
         END $$`,
        "CREATE TRIGGER between_parts AFTER UPDATE ON steps FOR EACH ROW EXECUTE FUNCTION between_parts()",
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      await link[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}

it.each(Object.entries(steps))(
  "%s: a daemon that loses its place after the first part does no other one, and the next daemon ends it",
  async (_, step) => {
    await using of = await large(step);
    const { scene, count, rows } = of;
    await of.between("DELETE FROM members");
    await expect(step.run(scene.store, scene)).rejects.toMatchObject({ code: "E_STORE_LOST" });
    expect(await count()).toBe(AT_ONCE);
    expect(await rows("SELECT fingerprint FROM streams WHERE stream = 'customers'")).toEqual([{ fingerprint: "a" }]);

    await rows("DROP FUNCTION between_parts CASCADE");
    await scene.reopen();
    await step.run(scene.store, scene);
    expect(await count()).toBe(RECORDS);
  },
);

it("marks of an unfinished sweep: forgets nothing once another one has begun", async () => {
  const step = steps["marks of an unfinished sweep"]!;
  await using of = await large(step);
  await of.between("UPDATE sweeps SET number = number + 1");
  await step.run(of.scene.store, of.scene);
  expect(await of.count()).toBe(AT_ONCE);
});

it("a page of a poll moves the cursor with its last part, and is read again where it was cut off", async () => {
  const changes = Array.from({ length: 2_001 }, (_, at) => ({ kind: "upsert" as const, key: `K${at}`, row: { v: 1 } }));
  const due = "SELECT count(*) FROM records WHERE state = 'due'";
  await using of = await large({ run: () => Promise.resolve(), done: due });
  const { scene } = of;
  const stage = () => scene.store.stage("customers", { changes, cursor: 7, backfill: false, complete: true });
  await of.between("DELETE FROM members");
  await expect(stage()).rejects.toMatchObject({ code: "E_STORE_LOST" });
  expect([await of.count(), (await scene.store.stream("customers")).cursor]).toEqual([1_000, null]);

  await of.rows("DROP FUNCTION between_parts CASCADE");
  await scene.reopen();
  expect(await stage()).toEqual({ changed: 1_001, unchanged: 1_000 });
  expect(await scene.store.stream("customers")).toMatchObject({ cursor: 7, rowsRead: 2_001 });
});

it.each([
  ["wait for it", "waits", "waiting"],
  ["carry its former id", "parents", "applied"],
])(
  "children of a parent that %s are woken in parts, and by the next daemon where one was lost",
  async (_, table, state) => {
    const parent = { stream: "other", key: "P" };
    await using of = await large({
      prepare: `
      UPDATE records SET state = '${state}';
      INSERT INTO ${table} (child, stream, key) SELECT id, 'other', 'P' FROM records;
      INSERT INTO streams (stream, sequence) VALUES ('other', 1);
      INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at, due_at)
      VALUES (${RECORDS + 1}, 'other', 'P', 'due', '', 1, 0, 0, 1);
      INSERT INTO contents (record, row) SELECT id, '{}' FROM records WHERE key = 'P'`,
      run: () => Promise.resolve(),
      done: "SELECT count(*) FROM records WHERE state = 'due' AND stream = 'customers'",
    });
    const { scene } = of;
    const bind = async (serviceId: number) =>
      scene.store.end((await scene.store.claim(parent))!, {
        kind: "bind",
        binding: { resource: "other", serviceId },
        applied: written({}),
      });
    const claim = (await scene.store.claim(parent))!;
    await of.between("DELETE FROM members");
    expect(
      await scene.store.end(claim, {
        kind: "bind",
        binding: { resource: "other", serviceId: 7 },
        applied: written({}),
      }),
    ).toHaveLength(WOKEN_AT_ONCE);
    expect(await of.count()).toBe(WOKEN_AT_ONCE);

    await of.rows("DROP FUNCTION between_parts CASCADE");
    await scene.reopen();
    await expect.poll(() => of.count(), { timeout: 30_000 }).toBe(RECORDS);
    expect(await of.rows(`SELECT name FROM notes WHERE name LIKE 'waking%'`)).toEqual([]);

    await of.rows(`UPDATE records SET state = '${state}', due_at = NULL WHERE stream = 'customers'`);
    await of.rows(`DELETE FROM ${table}`);
    await of.rows(
      `INSERT INTO ${table} (child, stream, key) SELECT id, 'other', 'P' FROM records WHERE stream = 'customers'`,
    );
    await of.rows("UPDATE records SET state = 'due', due_at = 1 WHERE key = 'P'");
    expect(await bind(8)).toHaveLength(WOKEN_AT_ONCE);
    expect(await of.count()).toBe(RECORDS);
  },
);

it("due times that were to follow a clock are left where it has caught up since", async () => {
  const step = steps["due times that follow a clock that was set back"]!;
  await using of = await large(step);
  const { scene } = of;
  const latest = await scene.store.latestMoment();
  await of.between("DELETE FROM members");
  await expect(step.run(scene.store, scene)).rejects.toMatchObject({ code: "E_STORE_LOST" });
  await of.rows("DROP FUNCTION between_parts CASCADE");
  await scene.reopen();
  expect(await scene.store.latestMoment()).toBe(latest);
  scene.clock.at = latest + HOUR_MS;
  await scene.store.clockSetBack(1);
  expect(await of.rows(`SELECT due_at - sequence AS at, count(*) FROM records GROUP BY 1 ORDER BY 1`)).toEqual([
    { at: 9 * HOUR_MS - 1, count: AT_ONCE },
    { at: 10 * HOUR_MS - 1, count: RECORDS - AT_ONCE },
  ]);
});
