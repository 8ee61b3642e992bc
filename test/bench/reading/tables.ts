import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMariadb } from "../../setup/mariadb.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { openWriter, type Writer } from "../../sources/sql/writer.ts";

export const DATABASES = ["SQLite", "PostgreSQL", "MariaDB"] as const;
export type DatabaseName = (typeof DATABASES)[number];

const columns = "customer_no, name1, name2, short_name, status, email_domain, remarks, warning, deleted, updated_at";

/** A table of ten columns and some 200 characters a row, as the sample ERP has it. */
const table = (stamp: string) => `create table customers (
  customer_no varchar(20) primary key, name1 varchar(80) not null, name2 varchar(80), short_name varchar(40),
  status char(1) not null, email_domain varchar(80), remarks varchar(400), warning varchar(80), deleted int not null,
  updated_at ${stamp} not null)`;

/** `n` numbers the rows; texts are joined by the database's own function. */
const row = (join: (...parts: string[]) => string, key: string, stamp: string) =>
  `${key}, ${join("'Muster Maschinenbau '", "n", "' GmbH'")}, '& Co. KG', ${join("'MUSTER'", "n")}, 'A',
   ${join("'muster'", "n", "'.example'")}, ${join("'Anfahrt über Hof '", "n", "'; bitte vorher anrufen, Pforte ab 7 Uhr besetzt'")},
   null, 0, ${stamp}`;

const piped = (...parts: string[]) => parts.join(" || ");
const concat = (...parts: string[]) => `concat(${parts.join(", ")})`;

const fill: Record<DatabaseName, (rows: number) => string[]> = {
  SQLite: (rows) => [
    table("text"),
    `insert into customers (${columns}) with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
     select ${row(piped, "printf('K%08d', n)", "strftime('%Y-%m-%dT%H:%M:%SZ', 1735689600 + n * 7 % 8640000, 'unixepoch')")} from numbers`,
  ],
  PostgreSQL: (rows) => [
    table("timestamptz"),
    `insert into customers (${columns}) select ${row(piped, "'K' || lpad(n::text, 8, '0')", "to_timestamp(1735689600 + n::bigint * 7 % 8640000)")}
     from generate_series(1, ${rows}) n`,
  ],
  MariaDB: (rows) => [
    table("datetime(6)"),
    `insert into customers (${columns}) select ${row(concat, "concat('K', lpad(n, 8, '0'))", "from_unixtime(1735689600 + n * 7 mod 8640000)")}
     from (select seq as n from seq_1_to_${rows}) numbers`,
  ],
};

/** A database with one table of so many rows, gone with the part. */
export interface BenchTable extends AsyncDisposable {
  readonly url: string;
  /** Changes so many rows, spread over the table. */
  change(count: number): Promise<void>;
}

export async function benchTable(name: DatabaseName, rows: number): Promise<BenchTable> {
  await using stack = new AsyncDisposableStack();
  const url = await serve(name, stack);
  const writer: Writer = stack.use(await openWriter(url));
  for (const statement of fill[name](rows)) await writer.run(statement);
  await writer.run("create index customers_changed on customers (updated_at, customer_no)");
  const owned = stack.move();
  let version = 0;
  return {
    url,
    async change(count) {
      version++;
      for (let at = 0; at < count; at++) {
        const number = 1 + Math.floor((at * rows) / count);
        const key = `K${String(number).padStart(8, "0")}`;
        await writer.run(`update customers set warning = 'Fassung ${version}' where customer_no = '${key}'`);
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function serve(name: DatabaseName, stack: AsyncDisposableStack): Promise<string> {
  if (name === "PostgreSQL") return stack.use(await startPostgres()).url;
  if (name === "MariaDB") return stack.use(await startMariadb()).url;
  const folder = await mkdtemp(join(tmpdir(), "svcsync-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return `sqlite:${join(folder, "erp.sqlite")}`;
}
