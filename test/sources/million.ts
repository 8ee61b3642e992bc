import { type Cursor } from "#model";
import { SourceDatabase } from "../../src/sources/sql/database.ts";
import { engineOf } from "../../src/sources/sql/engines/engines.ts";
import { settings } from "../../src/sources/sql/settings.ts";
import { startMariadb } from "../setup/mariadb.ts";
import { startPostgres } from "../setup/postgres.ts";
import { never } from "../kit/outcome.ts";
import { sqlStream, wrapped } from "./sql/sql-stream.ts";
import { openWriter } from "./sql/writer.ts";

/**
 * Reads a million rows from PostgreSQL and MariaDB and prints what it took: `npx tsx
 * test/sources/million.ts [ROWS]`. The normal run proves flat memory with 50,000 rows.
 */
const rowCount = Number(process.argv[2] ?? 1_000_000);

const fill = {
  postgres: `insert into customers select n, 'Customer ' || n, repeat('x', 200), n * 1.25,
      now() - (n % 500000) * interval '1 minute' from generate_series(1, ${rowCount}) n`,
  mariadb: `insert into customers select seq, concat('Customer ', seq), repeat('x', 200), seq * 1.25,
      utc_timestamp(6) - interval (seq mod 500000) minute from seq_1_to_${rowCount}`,
};

interface Figures {
  readonly rows: number;
  readonly statements: number;
  readonly seconds: number;
  readonly peakMb: number;
}

async function measure(url: string): Promise<void> {
  let statements = 0;
  const counting = wrapped(engineOf(settings.parse({ url })), (session) => (...asked) => {
    statements++;
    return session.query(...asked);
  });
  await using database = new SourceDatabase(counting, { source: "erp", connections: 2 });
  const stream = sqlStream(database, { table: "customers", key: "id", changed: "changed", pageSize: 1_000 });
  let cursor: Cursor | null = null;
  const poll = async () => {
    for await (const batch of stream.changes(cursor, never)) {
      ({ cursor } = batch);
      note(batch.changes.length);
    }
  };
  let rows = 0;
  let peak = 0;
  const note = (count: number) => {
    rows += count;
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const timed = async (name: string, work: () => Promise<void>) => {
    [rows, peak, statements] = [0, 0, 0];
    const begun = performance.now();
    await work();
    print(name, { rows, statements, seconds: (performance.now() - begun) / 1000, peakMb: peak / 1024 / 1024 });
  };
  await timed("whole table", poll);
  // The rows stamped within the overlap come once more: they fall out by their hash.
  await timed("no change", poll);
  await timed("all keys", async () => {
    for await (const batch of stream.keys(never)) note(batch.length);
  });
}

function print(name: string, { rows, statements, seconds, peakMb }: Figures): void {
  process.stdout.write(
    `  ${name.padEnd(12)} ${rows} rows, ${statements} statements, ${seconds.toFixed(2)} s, ${peakMb.toFixed(0)} MB at most\n`,
  );
}

const table = (stamp: string) => `create table customers (id int primary key, name varchar(40), remarks varchar(200),
    turnover numeric(14, 2), changed ${stamp})`;

{
  await using server = await startPostgres();
  await using writer = await openWriter(server.url);
  await writer.run(`${table("timestamptz")}; ${fill.postgres}; create index by_change on customers (changed); analyze`);
  process.stdout.write(`PostgreSQL, ${rowCount} rows\n`);
  await measure(server.url);
}
{
  await using server = await startMariadb();
  await using writer = await openWriter(server.url);
  await writer.run(table("timestamp(6) null"));
  await writer.run(`${fill.mariadb}; create index by_change on customers (changed); analyze table customers`);
  process.stdout.write(`MariaDB, ${rowCount} rows\n`);
  await measure(server.url);
}
