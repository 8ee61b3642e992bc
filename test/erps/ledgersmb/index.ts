import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { z } from "zod";
import { Closing } from "#daemon";
import { startPostgres } from "../../setup/postgres.ts";
import { disposableFolder } from "../../setup/server.ts";
import type { Disguise, Erp, Password, Records } from "../erp.ts";
import { createDatabase } from "../new-database.ts";
import { unpackPackage } from "../packages.ts";
import { edited, presetFile } from "../preset-file.ts";
import { buildDatabase } from "./database.ts";
import { CUSTOMER, EMAIL, PHONE, recordsOf, SALES_ORDER } from "./rows.ts";

const COUNTS = { customers: 40, contacts: 60, orders: 40 };
const idRow = z.object({ id: z.int() });

/** LedgerSMB: the database that its Debian package makes, on a PostgreSQL of its own. */
export async function startLedgerSmb(): Promise<Erp> {
  const closing = new Closing();
  try {
    const folder = closing.use(await disposableFolder(undefined)).path;
    // apt fetches as a user of its own.
    await chmod(folder, 0o777);
    const version = await unpackPackage("ledgersmb", folder);
    const postgres = closing.use(await startPostgres({ hba: ["host all reader 127.0.0.1/32 scram-sha-256"] }));
    const url = await createDatabase(postgres.url, "company");
    await buildDatabase(url, join(folder, "usr/share/ledgersmb"), "us/chart/General.sql");
    const client = await connect(url, closing);
    const erp = new LedgerSmb(version, url, client, closing);
    postgres.onLine((line) => erp.heard(line));
    await erp.prepare();
    return erp;
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** One connection, for one transaction at a time. */
async function connect(connectionString: string, closing: Closing): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  closing.defer(() => client.end());
  return client;
}

class LedgerSmb implements Erp {
  readonly product: string;
  readonly retired: Erp["retired"] = {
    customer: { customerStatus: "Inactive" },
    svcDocument: { externalReferenceNumber: "Deleted" },
  };
  /** Everything is read whole, so a trial need not wait for a minute between two polls. */
  readonly syncFile = edited(presetFile("ledgersmb"), "every: 1m", "every: 1s");
  readonly environment: Erp["environment"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly #url: string;
  readonly #client: Client;
  readonly #closing: Closing;
  /** Ids, in the order of their creation. */
  readonly #customers: number[] = [];
  readonly #orders: number[] = [];
  #contacts = 0;
  #account = 0;
  #country = 0;
  #refused = 0;
  #round = 0;

  constructor(version: string, url: string, client: Client, closing: Closing) {
    this.product = `LedgerSMB ${version}`;
    this.#url = url;
    this.#client = client;
    this.#closing = closing;
    const reader = readerUrl(url, "right");
    this.environment = { ERP_URL: reader };
    this.disguises = [this.#endDate(), this.#filterColumn()];
    this.password = {
      change: () => this.#setPassword("changed"),
      restore: () => this.#setPassword("right"),
      refused: () => Promise.resolve(this.#refused),
      opens: () => opens(reader),
    };
  }

  heard(line: string): void {
    if (line.includes("password authentication failed")) this.#refused += 1;
  }

  /** The user that the preset asks for, with the rights it names, and what a customer of LedgerSMB needs. */
  async prepare(): Promise<void> {
    await this.#client.query("create role reader login password 'right'");
    await this.#client.query("grant select on entity, entity_credit_account, eca_to_contact, oe to reader");
    this.#account = await this.#id("select account_id as id from account_link where description = 'AR' limit 1");
    this.#country = await this.#id("select id from country where short_name = 'CH'");
  }

  async seed(): Promise<void> {
    for (let at = 0; at < COUNTS.customers; at++) await this.#customer();
    for (let at = 0; at < COUNTS.contacts; at++) await this.#contact();
    for (let at = 0; at < COUNTS.orders; at++) await this.#order();
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    await this.#customer();
    await this.#contact();
    await this.#order();
    await this.#rename(round, `Umbenannt ${round} GmbH`);
    await this.#client.query(
      "update eca_to_contact set contact = $1 where credit_id = $2 and contact_class_id = $3 and description = $4",
      [`neu${round}@example.org`, this.#customers[round], EMAIL, personOf(round)],
    );
    await this.#client.query("update oe set ponumber = $1 where id = $2", [`PO-${round}-neu`, this.#orders[round]]);
    await this.#client.query("update oe set closed = true where id = $1", [this.#orders[round + 10]]);
  }

  async writeLate(): Promise<() => Promise<void>> {
    await this.#client.query("begin");
    await this.#rename(20, "Spät AG");
    await this.#customer();
    return async () => {
      await this.#client.query("commit");
    };
  }

  async remove(): Promise<void> {
    // A customer without orders; its addresses go with it.
    await this.#client.query("delete from entity_credit_account where id = $1", [this.#customers[35]]);
    await this.#client.query("select eca__delete_contact($1, $2, contact) from eca_to_contact where credit_id = $1", [
      this.#customers[25],
      EMAIL,
    ]);
    await this.#client.query("delete from oe where id = $1", [this.#orders[30]]);
  }

  async records(): Promise<Records> {
    // On a connection of its own: the other one may be in a transaction.
    const closing = new Closing();
    await using _closing = closing;
    const client = await connect(this.#url, closing);
    return await recordsOf(async (text) => (await client.query(text)).rows);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closing[Symbol.asyncDispose]();
  }

  #endDate(): Disguise {
    const set = (day: string) =>
      this.#client.query(`update entity_credit_account set enddate = ${day} where id = any($1)`, [
        this.#customers.slice(5, 8),
      ]);
    return {
      name: "the end date",
      hide: async () => void (await set("current_date - 1")),
      show: async () => void (await set("null")),
    };
  }

  /** Customers turned into suppliers and orders into quotations, and back; changed meanwhile. */
  #filterColumn(): Disguise {
    const set = async (customers: number, orders: number) => {
      await this.#client.query("update entity_credit_account set entity_class = $1 where id = any($2)", [
        customers,
        this.#customers.slice(8, 11),
      ]);
      await this.#client.query("update oe set oe_class_id = $1 where id = any($2)", [
        orders,
        this.#orders.slice(8, 11),
      ]);
    };
    return {
      name: "the filter column",
      hide: () => set(1, 3),
      show: async () => {
        await this.#rename(8, "Heimlich AG");
        await this.#client.query("update oe set ponumber = 'PO-heimlich' where id = $1", [this.#orders[8]]);
        await set(CUSTOMER, SALES_ORDER);
      },
    };
  }

  async #customer(): Promise<void> {
    const at = this.#customers.length;
    const entity = await this.#id(
      "select entity_id as id from company__save(null, $1, $2, null, null, null, $3, null, null)",
      [CUSTOMER, `Muster ${at} AG`, this.#country],
    );
    const id = await this.#id(
      `select eca__save(null, $1, $2, $3, 0, false, 0, 0, 30, $4, null, 'en', null, 'USD', current_date, null, 0, $5, null,
         null, null, null) as id`,
      [CUSTOMER, entity, `Filiale ${at}`, `K${at}`, this.#account],
    );
    this.#customers.push(id);
  }

  /** An e-mail address and a telephone number of one person. */
  async #contact(): Promise<void> {
    const at = this.#contacts++;
    const customer = this.#customers[at % COUNTS.customers];
    const save = (kind: number, contact: string) =>
      this.#client.query("select eca__save_contact($1, $2, $3, $4, null, null)", [
        customer,
        kind,
        personOf(at),
        contact,
      ]);
    await save(EMAIL, `person${at}@example.org`);
    await save(PHONE, `+41 44 ${at}`);
  }

  /** LedgerSMB writes its orders without a function, from Perl. */
  async #order(): Promise<void> {
    const at = this.#orders.length;
    const customer = this.#customers[at % 30];
    this.#orders.push(
      await this.#id(
        `insert into oe (ordnumber, ponumber, entity_credit_account, oe_class_id, curr, amount, netamount)
         values ($1, $2, $3, $4, 'USD', 100, 100) returning id`,
        [`A${at}`, `PO-${at}`, customer, SALES_ORDER],
      ),
    );
  }

  async #rename(at: number, name: string): Promise<void> {
    await this.#client.query(
      `select company__save(control_code, entity_class, $1, null, id, null, country_id, null, null) from entity
       where id = (select entity_id from entity_credit_account where id = $2)`,
      [name, this.#customers[at]],
    );
  }

  async #id(text: string, values: readonly unknown[] = []): Promise<number> {
    const { rows } = await this.#client.query(text, [...values]);
    return idRow.parse(rows[0]).id;
  }

  /** Also ends the connections that were opened with the old one. */
  async #setPassword(password: string): Promise<void> {
    await this.#client.query(`alter role reader password '${password}'`);
    await this.#client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'reader'");
  }
}

function personOf(at: number): string {
  return `Änne Person${at}`;
}

function readerUrl(url: string, password: string): string {
  const reader = new URL(url);
  reader.username = "reader";
  reader.password = password;
  return reader.href;
}

async function opens(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
