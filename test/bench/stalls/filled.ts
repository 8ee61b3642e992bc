import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { contentHash, systemClock, type Key } from "#model";
import { openStore } from "#store";
import { silentLogger } from "../../kit/logger.ts";

/** The stream, and the resource to which its records are bound. */
export const STREAM = "customers";
export const RESOURCE = "contacts";
/** Rows that one case handles, unless the whole store is meant. */
export const MANY = 100_000;
/** Spreads the keys over the rows of the file, because records do not arrive in the order of their keys. */
const SPREAD = 7_919;
const NAME = "Muster Maschinenbau GmbH & Co. KG";

export const keyOf = (number: number): Key => `K${String(number).padStart(8, "0")}`;
export const rowOf = (number: number, name = NAME) => ({
  customer_no: keyOf(number),
  name,
  city: "Musterstadt",
  note: "x".repeat(120),
});

/** Some keys, far from each other. */
export function scattered(count: number, of: number, first = 0): number[] {
  return Array.from({ length: count }, (_, at) => (first + at * SPREAD) % of);
}

const numbers = (count: number) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`;

/** Fills an empty folder with a store whose records are applied and bound, and with old history of each kind. */
export async function fillStore(folder: string, records: number): Promise<void> {
  await (await openStore(folder, { as: "daemon", clock: systemClock, logger: silentLogger }))[Symbol.asyncDispose]();
  const db = new Sqlite(join(folder, "svcsync.db"));
  db.pragma("synchronous = OFF");
  db.function("hash_of", (number: number) => contentHash({ kind: "upsert", key: keyOf(number), row: rowOf(number) }));
  db.function("row_of", (number: number) => JSON.stringify(rowOf(number)));
  const many = Math.min(MANY, records);
  db.exec(`
    BEGIN;
    INSERT INTO streams (stream, sequence, fingerprint, first_load) VALUES ('${STREAM}', ${records}, 'a', 0);
    ${numbers(records)} INSERT INTO records (id, stream, key, state, hash, sequence, backfill, changed_at)
      SELECT n + 1, '${STREAM}', printf('K%08d', n * ${SPREAD} % ${records}), 'applied', hash_of(n * ${SPREAD} % ${records}), n + 1, 0, n FROM numbers;
    ${numbers(records)} INSERT INTO contents (record, row) SELECT n + 1, row_of(n * ${SPREAD} % ${records}) FROM numbers;
    INSERT INTO written (record, applied, sequence) SELECT r.id, c.row, r.sequence FROM records r JOIN contents c ON c.record = r.id;
    INSERT INTO bindings (record, resource, service_id) SELECT id, '${RESOURCE}', 1000 + id FROM records;
    INSERT INTO match_indexes (resource, read_at, reading) VALUES ('${RESOURCE}', 1, 1);
    INSERT INTO match_records (resource, service_id, reading) SELECT resource, service_id, 1 FROM bindings;
    INSERT INTO match_keys (resource, service_id, rule, key)
      SELECT '${RESOURCE}', 1000 + id, 'name', lower(hex(hash)) FROM records;
    ${numbers(many)} INSERT INTO audit (at, stream, key, action, resource, outcome, before, after)
      SELECT n, '${STREAM}', printf('K%08d', n * 31 % ${records}), 'update', '${RESOURCE}', 'updated', row_of(n), row_of(n) FROM numbers;
    ${numbers(many)} INSERT INTO deletions (record, stream, told_at, done) SELECT n + 1, '${STREAM}', n, 1 FROM numbers;
    ${numbers(many)} INSERT INTO exchanges (stream, key, at, exchange)
      SELECT '${STREAM}', printf('K%08d', n % 100), n, json_object('at', n, 'body', hex(zeroblob(4000))) FROM numbers LIMIT ${many / 10};
    ${numbers(many)} INSERT INTO returns (stream, subject, version, kind, service_id, hash, content, state, prepared_at, attempts, due_at)
      SELECT 'reports', printf('R%08d', n * 31 % ${many}), 1, 'fact', n + 1, hash_of(n), row_of(n),
        CASE WHEN n % 2 = 0 THEN 'withdrawn' ELSE 'accepted' END, n, 0, n FROM numbers;
    COMMIT;`);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}

/** Changes the store as no step does: to the scene of the next case. */
export function arrange(folder: string, sql: string): void {
  const db = new Sqlite(join(folder, "svcsync.db"), { timeout: 60_000 });
  db.exec(sql);
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
}
