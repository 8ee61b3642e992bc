import { expect, it } from "vitest";
import type { RecordId } from "#model";
import { customer, deletion, OOPS, Scene, upsert, written } from "../conformance/store-scene.ts";
import { startPostgres } from "../setup/postgres.ts";
import { ask, configure, postgresPlace } from "./postgres-place.ts";

const RECORDS = 1_500;
const DELETIONS = 100;
/** Of all tables and indexes: a create touches a dozen of them, some twice. */
const ROWS_PER_DELIVERY = 100;

/** Lets it wait for another one, creates it, and then updates it under another natural key. */
async function deliver({ store }: Scene, id: RecordId, serviceId: number): Promise<void> {
  const resource = "customers";
  const early = await store.claim(id);
  await store.end(early!, { kind: "wait", error: OOPS, optional: [customer("other")], dueAt: 0 });
  await store.retryNow({ ...id, states: ["waiting"] }, { name: "anna", via: "cli" });
  const created = await store.claim(id);
  await store.matchIndex(resource);
  await store.matches(resource, "name", id.key);
  await store.begin(created!, { resource, projection: { name: id.key } });
  await store.boundTo({ resource, serviceId });
  await store.end(created!, {
    kind: "bind",
    binding: { resource, serviceId },
    applied: written({ name: id.key }, [], { keys: { name: id.key } }),
  });
  await store.recheck(id, { name: id.key });
  const updated = await store.claim(id);
  await store.markInFlight(updated!, { kind: "update", fields: { name: "new" } });
  await store.end(updated!, {
    kind: "apply",
    applied: written({ name: "new" }, [], { keys: { name: `new ${id.key}` } }),
  });
  await store.record(id);
}

async function remove({ store }: Scene, id: RecordId): Promise<void> {
  const claim = await store.claim(id);
  await store.announceDeletion(claim!, { since: 0, confirmedAt: 0, limit: 1 });
  await store.end(claim!, { kind: "remove", unbind: true });
}

/** How many rows of tables and indexes the server has read. */
async function rowsRead(scene: Scene, url: string): Promise<number> {
  // A connection tells how much it read at its end.
  await scene.reopen();
  const [sum] = await ask<{ rows: string }>(
    url,
    `SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes) AS rows`,
  );
  return Number(sum!.rows);
}

it("a delivery reads few rows, however many records came since its plans were made in an empty store", async () => {
  await using server = await startPostgres();
  // No statistics: on a busy server they may come late.
  await configure(server.url, "autovacuum", "off");
  await using scene = await Scene.open(() => postgresPlace(server.url));
  const readRows = () => rowsRead(scene, server.url);
  const before = await readRows();
  await scene.stage([upsert("0")]);
  await deliver(scene, customer("0"), 1);
  const keys = Array.from({ length: RECORDS }, (_, at) => `${at + 1}`);
  await scene.stage(keys.map((key) => upsert(key)));
  await Promise.all(keys.map((key) => deliver(scene, customer(key), Number(key) + 1)));
  const delivered = await readRows();
  expect(delivered - before).toBeLessThan(RECORDS * ROWS_PER_DELIVERY);
  const gone = keys.slice(0, DELETIONS);
  await scene.stage(gone.map(deletion));
  for (const key of gone) await remove(scene, customer(key));
  expect((await readRows()) - delivered).toBeLessThan(DELETIONS * ROWS_PER_DELIVERY);
});

it("a page of where records stand reads no records of other pages", async () => {
  await using server = await startPostgres();
  await using scene = await Scene.open(() => postgresPlace(server.url));
  const keys = Array.from({ length: RECORDS }, (_, at) => String(at + 1_000));
  await scene.stage(keys.map((key) => upsert(key)));
  await Promise.all(
    keys.map(async (key) => {
      const claim = await scene.store.claim(customer(key));
      await scene.store.end(claim!, { kind: "skip", reason: "it is a test" });
    }),
  );
  await ask(server.url, "ANALYZE");
  const before = await rowsRead(scene, server.url);
  for (let page = 0; page < 10; page++)
    expect((await scene.store.standings.page("customers", String(1_000 + page * 100), 10)).standings).toHaveLength(10);
  expect((await rowsRead(scene, server.url)) - before).toBeLessThan(RECORDS);
});
