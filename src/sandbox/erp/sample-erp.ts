import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { StopError, systemClock, type Clock } from "#model";
import { ErpGenerator, type ErpCounts } from "./generator.ts";
import { ERP_KEYS, erpStamp, SCHEMA, type ErpRows, type ErpTable, type ErpValue } from "./schema.ts";

export interface SampleErpOptions extends Partial<ErpCounts> {
  /** Rows are identical for the same seed, counts and clock. Default 1. */
  readonly seed?: number;
  /** Supplies `updated_at`; the generated rows were changed in the 400 days before its present. */
  readonly clock?: Clock;
}

const DEFAULT_COUNTS: ErpCounts = { customers: 500, contacts: 1_200, tickets: 800, orders: 600 };
const BUSY_TIMEOUT_MS = 5_000;

type Values<Table extends ErpTable> = Partial<Omit<ErpRows[Table], "updated_at">>;
type Key = readonly ErpValue[];

/**
 * The sample ERP: one SQLite file that others may read while it is changed here. Every change sets `updated_at` to the
 * clock's present, in UTC.
 */
export class SampleErp implements Disposable {
  readonly path: string;
  readonly #clock: Clock;
  readonly #database: Database.Database;
  readonly #hidden: { readonly table: ErpTable; readonly row: Record<string, ErpValue> }[] = [];

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
    this.#database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = NORMAL");
  }

  /** Creates the tables and fills them in one transaction. */
  populate(generator: ErpGenerator): void {
    this.#database.transaction(() => {
      this.#database.exec(SCHEMA);
      this.#insertAll("customers", generator.customers());
      this.#insertAll("contacts", generator.contacts());
      this.#insertAll("tickets", generator.tickets());
      this.#insertAll("service_orders", generator.orders());
    })();
  }

  /** All rows by key, for verdicts. */
  all<Table extends ErpTable>(table: Table): ErpRows[Table][] {
    const order = ERP_KEYS[table].join(", ");
    return this.#database.prepare<[], ErpRows[Table]>(`SELECT * FROM ${table} ORDER BY ${order}`).all();
  }

  renameCustomer(customerNo: string, name1: string): void {
    this.change("customers", [customerNo], { name1 });
  }

  /** Adds a customer. Values that are not given are those of an ordinary active one. */
  insertCustomer(values: Values<"customers"> & { readonly customer_no: string }): void {
    this.#insert("customers", { name1: `Kunde ${values.customer_no}`, status: "A", ...values });
  }

  insertContact(values: Values<"contacts"> & { readonly customer_no: string; readonly contact_no: number }): void {
    this.#insert("contacts", { last_name: `Kontakt ${values.contact_no}`, ...values });
  }

  insertTicket(values: Values<"tickets"> & { readonly ticket_no: string; readonly customer_no: string }): void {
    this.#insert("tickets", { subject: `Ticket ${values.ticket_no}`, priority: "normal", status: "open", ...values });
  }

  insertOrder(values: Values<"service_orders"> & { readonly order_no: string; readonly customer_no: string }): void {
    this.#insert("service_orders", { billable: 1, amount: "0.00", ...values });
  }

  /** Sets columns of one row. */
  change(table: ErpTable, key: Key, values: Readonly<Record<string, ErpValue>>): void {
    const columns = Object.keys(values);
    const sets = [...columns, "updated_at"].map((column) => `${column} = ?`).join(", ");
    const statement = this.#database.prepare(`UPDATE ${table} SET ${sets} WHERE ${where(table)}`);
    const stamp = erpStamp(this.#clock.now());
    this.#expectOne(table, key, statement.run(...columns.map((column) => values[column]), stamp, ...key).changes);
  }

  flagDeleted(table: ErpTable, key: Key): void {
    this.change(table, key, { deleted: 1 });
  }

  /** Deletes the row without a trace: only a sweep can notice. */
  deleteRow(table: ErpTable, key: Key): void {
    const statement = this.#database.prepare(`DELETE FROM ${table} WHERE ${where(table)}`);
    this.#expectOne(table, key, statement.run(...key).changes);
  }

  /** Hides the row, as an access rule does; its stamp stays. {@link show} restores it. */
  hide(table: ErpTable, key: Key): void {
    const select = `SELECT * FROM ${table} WHERE ${where(table)}`;
    const row = this.#database.prepare<ErpValue[], Record<string, ErpValue>>(select).get(...key);
    this.deleteRow(table, key);
    if (row !== undefined) this.#hidden.push({ table, row });
  }

  /** Restores all hidden rows, with these values and their old stamps, so that no poll can notice. */
  show(values: Readonly<Record<string, ErpValue>> = {}): void {
    for (const { table, row } of this.#hidden.splice(0)) this.#insertAll(table, [{ ...row, ...values }]);
  }

  /** Changes the stamp and nothing else. */
  touch(table: ErpTable, key: Key): void {
    this.change(table, key, {});
  }

  /** Makes a customer that the service refuses, by emptying its name, which is required there. `renameCustomer` fixes it. */
  breakOne(customerNo: string): void {
    this.change("customers", [customerNo], { name1: "", name2: "" });
  }

  /** Runs statements of the ERP's administrator, such as those that create an inbox. */
  run(statements: string): void {
    this.#database.exec(statements);
  }

  /** The ERP's own job: takes the oldest return that is not answered, and books it under this number. Undefined if there is none. */
  book(document: string): { readonly lines: number; readonly hours: number } | undefined {
    const open = this.#database
      .prepare<[], { return_id: string; line_count: number }>("SELECT * FROM svcsync_open")
      .get();
    if (open === undefined) return undefined;
    const hours = this.#database
      .prepare<[string], { sum: number }>(
        "SELECT sum(amount) AS sum FROM svcsync_return_lines WHERE return_id = ? AND line_kind = 'time'",
      )
      .get(open.return_id);
    this.#database
      .prepare("INSERT INTO svcsync_answers (return_id, result, document, answered_at) VALUES (?, 'ok', ?, ?)")
      .run(open.return_id, document, new Date(this.#clock.now()).toISOString());
    return { lines: open.line_count, hours: hours?.sum ?? 0 };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #insert(table: ErpTable, values: Readonly<Record<string, ErpValue | undefined>>): void {
    this.#insertAll(table, [{ ...values, updated_at: erpStamp(this.#clock.now()) }]);
  }

  /** Rows with the same columns. Other columns are NULL, or 0 for a flag. */
  #insertAll(table: ErpTable, rows: Iterable<object>): void {
    let statement: Database.Statement | undefined;
    for (const row of rows) {
      const columns = Object.keys(row);
      const marks = columns.map((column) => `@${column}`).join(", ");
      statement ??= this.#database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${marks})`);
      statement.run(row);
    }
  }

  #expectOne(table: ErpTable, key: Key, changes: number): void {
    if (changes !== 1) throw new StopError("E_SAMPLE_ERP_ROW", `the sample ERP has no ${table} ${key.join(" ")}`);
  }
}

const where = (table: ErpTable): string => ERP_KEYS[table].map((column) => `${column} = ?`).join(" AND ");

/**
 * Creates a new sample ERP in a file.
 * @throws {StopError} E_SAMPLE_ERP_EXISTS when the file exists: nothing is ever overwritten.
 */
export function createSampleErp(path: string, options: SampleErpOptions = {}): SampleErp {
  if (existsSync(path)) throw new StopError("E_SAMPLE_ERP_EXISTS", `there is a file at ${path} already`);
  const { seed = 1, clock = systemClock, ...counts } = options;
  const erp = new SampleErp(path, clock);
  erp.populate(new ErpGenerator(seed, { ...DEFAULT_COUNTS, ...counts }, clock.now()));
  return erp;
}
