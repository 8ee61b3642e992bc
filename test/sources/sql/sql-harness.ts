import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import type { Engine } from "../../../src/sources/sql/engines/engine.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { SqlStream } from "../../../src/sources/sql/stream.ts";
import type { SourceHarness, StreamOptions, TestRow } from "../../conformance/source-harness.ts";
import { ownTls } from "./opened.ts";
import { openPlace, type Place } from "./place.ts";
import type { DialectName, Shape } from "./shapes.ts";
import { sqlStream } from "./sql-stream.ts";
import { beginOf, renameColumn } from "./statements.ts";
import { openWriter, type Writer } from "./writer.ts";
import { sql } from "../../../src/sources/sql/sql-text.ts";

const zone = "Europe/Berlin";
const rowsPerStatement = 500;

/** A table `items` of one shape in one database. */
export async function openSqlHarness(dialect: DialectName, shape: Shape, server?: string): Promise<SourceHarness> {
  const place = await openPlace(dialect, server);
  await place.writer.run(schemaOf(dialect, shape));
  return new SqlHarness(dialect, shape, place);
}

class SqlHarness implements SourceHarness {
  readonly #dialect: DialectName;
  readonly #shape: Shape;
  readonly #place: Place;
  readonly #databases: SourceDatabase[] = [];
  readonly writesBesideLate: boolean;
  readonly cut?: () => Promise<void>;

  constructor(dialect: DialectName, shape: Shape, place: Place) {
    this.#dialect = dialect;
    this.#shape = shape;
    this.#place = place;
    this.writesBesideLate = dialect !== "sqlite";
    if (place.cut) this.cut = place.cut;
  }

  stream(options: StreamOptions): SqlStream {
    return this.#open(options, (engine) => engine);
  }

  /** Every column is compared with itself, and never strictly: always true. */
  deafStream(options: StreamOptions): SqlStream {
    return this.#open(options, (engine) => ({
      ...engine,
      bound: (_, column) => sql.id(column.name),
      async connect() {
        const session = await engine.connect();
        return {
          query: (text, values, signal) => session.query(deaf(text), values, signal),
          end: () => session.end(),
          destroy: () => session.destroy(),
        };
      },
    }));
  }

  unreachable(): SqlStream {
    return this.#open({ pageSize: 10 }, (engine) => engine, this.#place.deadUrl);
  }

  async put(rows: readonly TestRow[], atMs: number | null = Date.now()): Promise<void> {
    const { writer } = this.#place;
    await writer.run(beginOf(this.#dialect));
    await this.#write(writer, rows, atMs);
    await writer.run("commit");
  }

  async putLate(rows: readonly TestRow[]): Promise<() => Promise<void>> {
    const writer = await openWriter(this.#place.url);
    await writer.run(beginOf(this.#dialect));
    await this.#write(writer, rows, Date.now());
    return async () => {
      await writer.run("commit");
      await writer[Symbol.asyncDispose]();
    };
  }

  async delete(keys: readonly string[]): Promise<void> {
    const { writer } = this.#place;
    const list = keys.map((key) => `'${key}'`).join(", ");
    await writer.run(beginOf(this.#dialect));
    await writer.run(`delete from items where nr in (${list})`);
    await this.#logKeys(writer, keys);
    if (this.#shape.tombstones) {
      const [at = ""] = this.#shape.values(Date.now(), this.#dialect);
      await writer.run(`insert into deleted values ${keys.map((key) => `('${key}', ${at})`).join(", ")}`);
    }
    await writer.run("commit");
  }

  async breakSchema(): Promise<void> {
    await this.#place.writer.run(renameColumn(this.#dialect, "items", "nr", "number_of_customer"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const database of this.#databases) await database[Symbol.asyncDispose]();
    await this.#place[Symbol.asyncDispose]();
  }

  #open(options: StreamOptions, wrap: (engine: Engine) => Engine, url = this.#place.url): SqlStream {
    const plain = engineOf(settings.parse({ url, connectTimeout: "5s", ...ownTls(this.#dialect) }));
    const { clockMs } = options;
    const timed: Engine = clockMs
      ? {
          ...plain,
          moment: async (ask) => ({ ...(await plain.moment(ask)), atMs: clockMs(), oldestMs: undefined }),
          get clock() {
            return sql.raw(String(clockMs()));
          },
        }
      : plain;
    const database = new SourceDatabase(wrap(timed), { source: "erp", connections: 2 });
    this.#databases.push(database);
    const deletions = this.#shape.tombstones ? { table: "deleted", key: "nr", changed: "at" } : undefined;
    const stream = { table: "items", key: "nr", pageSize: options.pageSize, ...this.#shape.read, deletions };
    return sqlStream(database, stream, zone);
  }

  async #write(writer: Writer, rows: readonly TestRow[], atMs: number | null): Promise<void> {
    const { marks } = this.#shape;
    const values = this.#shape.values(atMs, this.#dialect);
    for (let at = 0; at < rows.length; at += rowsPerStatement) {
      const some = rows.slice(at, at + rowsPerStatement);
      const tuples = some.map(({ key, name }) => `(${[`'${key}'`, `'${name}'`, ...values].join(", ")})`);
      const keys = some.map(({ key }) => key);
      await writer.run(upsertOf(this.#dialect, ["name", ...marks], tuples.join(", "), keys));
      await this.#logKeys(writer, keys);
    }
  }

  async #logKeys(writer: Writer, keys: readonly string[]): Promise<void> {
    if (!this.#shape.outbox) return;
    await writer.run(`insert into outbox (nr) values ${keys.map((key) => `('${key}')`).join(", ")}`);
  }
}

function deaf(text: string): string {
  return text.replaceAll(/(["`]) > (["`])/g, "$1 >= $2");
}

function upsertOf(dialect: DialectName, columns: readonly string[], tuples: string, keys: readonly string[]): string {
  const names = ["nr", ...columns].join(", ");
  const set = (given: (column: string) => string) => columns.map((column) => `${column} = ${given(column)}`).join(", ");
  const insert = `insert into items (${names}) values ${tuples}`;
  switch (dialect) {
    case "mysql":
      return `${insert} on duplicate key update ${set((column) => `values(${column})`)}`;
    case "mssql":
      // Not by MERGE, which Babelfish does not know.
      return `delete from items where nr in (${keys.map((key) => `'${key}'`).join(", ")}); ${insert}`;
    case "sqlite":
    case "postgres":
      return `${insert} on conflict (nr) do update set ${set((column) => `excluded.${column}`)}`;
  }
}

const numbers: Readonly<Record<DialectName, string>> = {
  sqlite: "number integer primary key autoincrement",
  postgres: "number bigint generated always as identity primary key",
  mysql: "number bigint auto_increment primary key",
  mssql: "number bigint identity primary key",
};

function schemaOf(dialect: DialectName, shape: Shape): string {
  const marks = shape.columns[dialect] ?? "";
  const name = dialect === "mssql" ? "name nvarchar(max)" : "name text";
  const columns = ["nr varchar(40) not null primary key", name, marks].filter(Boolean);
  return [
    dialect === "postgres" ? "create sequence revisions" : "",
    `create table items (${columns.join(", ")})`,
    shape.name === "change tracking" ? "alter table items enable change_tracking" : "",
    shape.marks.length > 0 ? `create index by_mark on items (${shape.marks.join(", ")})` : "",
    shape.tombstones ? `create table deleted (nr varchar(40), ${marks.replace("changed", "at")})` : "",
    shape.outbox ? `create table outbox (${numbers[dialect]}, nr varchar(40))` : "",
  ]
    .filter((statement) => statement !== "")
    .join("; ");
}
