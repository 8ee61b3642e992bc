import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sleep } from "#model";
import type { SampleErp } from "#sandbox";
import type { Dice } from "../chaos/dice.ts";
import { hostileStamp, hostileText, hostileValue } from "./hostile.ts";
import { webTables, type WebErp } from "./web-erp.ts";

const PAUSE_MS = 60;

export interface HostileErpParts {
  readonly erp: SampleErp;
  readonly web: WebErp;
  readonly dropFolder: string;
  readonly dice: Dice;
}

/** People and programs that fill all five ERPs with ordinary rows and with rows that nobody expects. */
export class HostileErp implements Disposable {
  readonly #parts: HostileErpParts;
  readonly #database: Database.Database;
  #files = 0;
  #numbers = 0;
  rows = 0;

  constructor(parts: HostileErpParts) {
    this.#parts = parts;
    this.#database = new Database(parts.erp.path, { timeout: 5_000 });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.turn();
      await sleep(PAUSE_MS, signal);
    }
  }

  /** One change somewhere. */
  async turn(): Promise<void> {
    const { dice } = this.#parts;
    this.rows += 1;
    await dice.weighted<() => void | Promise<void>>([
      [5, () => this.#ordinary()],
      [4, () => this.#hostileRow()],
      [3, () => this.#webRow()],
      [2, () => this.#file()],
    ])();
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #ordinary(): void {
    const { erp, dice } = this.#parts;
    // SQLite does not find again what it was given as invalid UTF-8.
    const customer = dice.pick(erp.all("customers").filter(({ customer_no }) => /^\w+$/.test(customer_no)));
    dice.pick<() => void>([
      () => erp.insertCustomer({ customer_no: `N${++this.#numbers}` }),
      () => erp.insertContact({ customer_no: customer.customer_no, contact_no: 1_000 + ++this.#numbers }),
      () => erp.insertTicket({ ticket_no: `T${++this.#numbers}`, customer_no: customer.customer_no }),
      () => erp.insertOrder({ order_no: `A${++this.#numbers}`, customer_no: customer.customer_no }),
      () => erp.change("customers", [customer.customer_no], { warning: hostileText(dice) }),
      () => erp.change("customers", [customer.customer_no], { name1: `Neu ${++this.#numbers}` }),
    ])();
  }

  /** Past the sample ERP's own care: SQLite keeps anything in any column. */
  #hostileRow(): void {
    const { dice } = this.#parts;
    const cell = () =>
      dice.weighted<() => string | number | bigint | Buffer | null>([
        [6, () => hostileText(dice)],
        [1, () => dice.pick([0, -1, 1.5, 1e300])],
        [1, () => 9_223_372_036_854_775_807n],
        [1, () => Buffer.from([0xff, 0xfe, 0x00, dice.between(0, 255)])],
        [1, () => null],
      ])();
    const now = new Date().toISOString().replace("T", " ").slice(0, 23);
    const odd = hostileStamp(dice);
    const stamp = dice.chance(0.15) ? (typeof odd === "string" || typeof odd === "number" ? odd : "") : now;
    const text = dice.chance(0.2) ? "CAST(x'ff80' || ? AS TEXT)" : "?";
    try {
      if (dice.chance(0.6))
        this.#database
          .prepare(
            `INSERT OR REPLACE INTO customers (customer_no, name1, name2, status, warning, updated_at) VALUES (${text}, ?, ?, ?, ?, ?)`,
          )
          .run(cell(), `Name ${hostileText(dice)}`, cell(), dice.pick(["A", "I", "P", "?"]), cell(), stamp);
      else
        this.#database
          .prepare(
            `INSERT OR REPLACE INTO tickets (ticket_no, customer_no, subject, body, priority, status, tags, updated_at) VALUES (${text}, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(cell(), cell(), hostileText(dice), cell(), dice.pick(["low", "high", "??"]), "open", cell(), stamp);
    } catch (thrown) {
      // A key that is null, a column that must not be: SQLite refused the row, the ERP never had it.
      if (!(thrown instanceof Database.SqliteError)) throw thrown;
    }
  }

  #webRow(): void {
    const { web, dice } = this.#parts;
    const table = web.tables[dice.pick(webTables)];
    const key = dice.chance(0.5) ? `W${++this.#numbers}` : hostileText(dice);
    table.write([{ key, name: dice.chance(0.5) ? `Name ${key}` : hostileText(dice) }], Date.now() * 1_000);
  }

  async #file(): Promise<void> {
    const { dropFolder, dice } = this.#parts;
    const lines = Array.from({ length: dice.between(1, 10) }, () => {
      const key = dice.chance(0.6) ? `L${++this.#numbers}` : hostileText(dice);
      return `${quote(key)},${quote(hostileText(dice))}`;
    });
    const good = `no,text\n${lines.join("\n")}\n`;
    const content = dice.weighted<() => string | Buffer>([
      [6, () => good],
      [1, () => Buffer.from(good, "latin1")],
      [1, () => Buffer.from(good, "utf16le")],
      [1, () => `${good}"never closed,${"x".repeat(dice.between(10, 100_000))}`],
      [1, () => `no,text\n${JSON.stringify(hostileValue(dice))}`],
      [1, () => `no;text\n${lines.join("\r")}`],
      [1, () => `${dice.pick(["constructor,text", "no,no", "__proto__,no", ""])}\n1,2\n`],
      [1, () => Buffer.alloc(dice.between(0, 5_000), dice.between(0, 255))],
    ])();
    this.#files += 1;
    await writeFile(join(dropFolder, `notes_${String(this.#files).padStart(6, "0")}.csv`), content);
  }
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
