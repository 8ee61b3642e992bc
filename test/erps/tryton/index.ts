import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { z } from "zod";
import { Closing } from "#daemon";
import type { Json, JsonObject } from "#model";
import { spawnTalking } from "../talking-child.ts";
import type { Disguise, Erp, Password, Records } from "../erp.ts";
import { edited, presetFile } from "../preset-file.ts";
import { WRONG_PASSWORD_SPEED } from "../trial.ts";
import { foundCompany, PASSWORD, READER, type Company } from "./company.ts";
import { recordsOf } from "./rows.ts";
import { TrytonRpc } from "./rpc.ts";
import { ADMIN_PASSWORD, startServerOfTryton, type TrytonServer } from "./server.ts";

const late = fileURLToPath(new URL("late.py", import.meta.url));
const COUNTS = { parties: 40, persons: 40, complaints: 30, sales: 30 };
/** How long Tryton remembers a refused login unless told otherwise. */
const LOCK_MS = 300_000;
/** Past every overlap: a poll by stamp does not see what bears it. */
const LONG_AGO = "now() at time zone 'UTC' - interval '1 hour'";

const ids = z.array(z.int());
const addressRow = z.object({ id: z.int(), party: z.int() });

/** Tryton with the modules sale_complaint and party_relationship, from Debian packages, on a PostgreSQL of its own. */
export async function startTryton(): Promise<Erp> {
  const closing = new Closing();
  try {
    // Its clock cannot be made to run, so it forgets as much faster as svcsync's runs.
    const server = await startServerOfTryton(closing, LOCK_MS / WRONG_PASSWORD_SPEED);
    const admin = await TrytonRpc.logIn(server.url, "admin", ADMIN_PASSWORD);
    const company = await foundCompany(admin);
    const reader = await TrytonRpc.logIn(server.url, READER, PASSWORD);
    const database = new Client({ connectionString: server.databaseUrl });
    await database.connect();
    closing.defer(() => database.end());
    return new Tryton(server, { admin, reader, database }, company, closing);
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Ways {
  readonly admin: TrytonRpc;
  readonly reader: TrytonRpc;
  /** Past Tryton. */
  readonly database: Client;
}

class Tryton implements Erp {
  readonly product: string;
  readonly retired: Erp["retired"] = {
    customer: { customerStatus: "Inactive" },
    ticket: { ticketStatus: "Closed" },
    svcDocument: { externalReferenceNumber: "Cancelled" },
  };
  /** Relations are read whole, so a trial need not wait for a minute between two polls. */
  readonly syncFile = edited(presetFile("tryton"), "every: 1m", "every: 1s");
  readonly environment: Erp["environment"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly #server: TrytonServer;
  readonly #admin: TrytonRpc;
  readonly #reader: TrytonRpc;
  readonly #database: Client;
  readonly #company: Company;
  readonly #closing: Closing;
  readonly #parties: number[] = [];
  readonly #addresses = new Map<number, number>();
  readonly #persons: number[] = [];
  readonly #complaints: number[] = [];
  readonly #sales: number[] = [];
  #refused = 0;
  #round = 0;

  constructor(server: TrytonServer, { admin, reader, database }: Ways, company: Company, closing: Closing) {
    this.product = `Tryton ${server.version}`;
    this.#server = server;
    this.#admin = admin;
    this.#reader = reader;
    this.#database = database;
    this.#company = company;
    this.#closing = closing;
    this.environment = { ERP_URL: server.url, ERP_USER: READER, ERP_PASSWORD: PASSWORD };
    this.disguises = [this.#activeFlag(), this.#accessRule(), this.#category()];
    const set = (password: string) => admin.write("res.user", [company.readerId], { password });
    this.password = {
      // Tryton lets sessions live on: svcsync's ends, as it does some day; that of the trial stays.
      change: async () => {
        await set("changed-password");
        const others = "delete from ir_session where create_uid = $1 and key <> $2";
        await database.query(others, [company.readerId, reader.session]);
      },
      restore: () => set(PASSWORD),
      refused: () => Promise.resolve(this.#refused),
      opens: () =>
        TrytonRpc.logIn(server.url, READER, PASSWORD).then(
          () => true,
          () => false,
        ),
    };
    server.process.onLine((line) => {
      if (line.includes(`login failed for '${READER}'`) || / 429 /.test(line)) this.#refused += 1;
    });
  }

  async seed(): Promise<void> {
    await this.#addParties(COUNTS.parties);
    await this.#addPersons(COUNTS.persons);
    await this.#addComplaints(COUNTS.complaints);
    await this.#addSales(COUNTS.sales);
    // A draft has no number and is no order yet; a party without the category is no customer.
    await this.#admin.create("sale.sale", this.#saleOf(0));
    await this.#admin.create("party.party", { name: "Supplier" });
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    await this.#addParties(1);
    await this.#addPersons(1);
    await this.#addComplaints(1);
    await this.#addSales(1);
    await this.#admin.write("party.party", [this.#parties[round]!], { name: `Umbenannt ${round} GmbH` });
    // A new address of the person moves no stamp of the relation.
    await this.#admin.write("party.party", [this.#persons[round]!], {
      contact_mechanisms: [["create", [{ type: "mobile", value: `+41791234${100 + round}` }]]],
    });
    await this.#admin.call("sale.complaint", "wait", [this.#complaints[round]!]);
    await this.#admin.call("sale.complaint", "cancel", [this.#complaints[round + 10]!]);
    await this.#admin.write("sale.sale", [this.#sales[round]!], { comment: "changed, but not what is mapped" });
    await this.#admin.call("sale.sale", "cancel", [this.#sales[round + 10]!]);
  }

  async writeLate(): Promise<() => Promise<void>> {
    const { configFile, database } = this.#server;
    const child = spawnTalking("/usr/bin/python3", [late, configFile, database, String(this.#parties[20]), "Spät AG"]);
    this.#closing.use(child);
    await child.said("written");
    return async () => {
      child.say("commit");
      await child.said("committed");
    };
  }

  async remove(): Promise<void> {
    await this.#admin.call("party.party", "delete", [this.#parties[35]!]);
    await this.#admin.call("sale.complaint", "delete", [this.#complaints[28]!]);
    await this.#admin.call("sale.sale", "cancel", [this.#sales[28]!]);
    await this.#admin.call("sale.sale", "delete", [this.#sales[28]!]);
  }

  async records(): Promise<Records> {
    const parties = await this.#database.query<{ id: number; code: string }>("select id, code from party_party");
    const codes = new Map(parties.rows.map(({ id, code }) => [id, code]));
    return recordsOf(codes, this.#company, (model, where, fields) =>
      this.#reader.call(model, "search_read", where, 0, null, null, fields),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closing[Symbol.asyncDispose]();
  }

  #activeFlag(): Disguise {
    const set = (active: boolean) => this.#admin.write("party.party", this.#parties.slice(4, 6), { active });
    return { name: "the active flag", hide: () => set(false), show: () => set(true) };
  }

  /** A rule for the group of svcsync's user. What it hides is changed meanwhile, long before it is lifted. */
  #accessRule(): Disguise {
    const hidden = () =>
      new Map([
        ["party.party", this.#parties.slice(6, 8)],
        ["sale.complaint", this.#complaints.slice(6, 8)],
        ["sale.sale", this.#sales.slice(6, 8)],
      ]);
    const groups: number[] = [];
    return {
      name: "an access rule",
      hide: async () => {
        for (const [model, records] of hidden()) {
          const about = await this.#admin.one("ir.model", ["model", "=", model]);
          const rules: Json = [["create", [{ domain: JSON.stringify([["id", "not in", records]]) }]]];
          const readers: Json = [["add", [this.#company.group]]];
          const group = { name: "trial", model: about, global_p: false, groups: readers, rules };
          groups.push(await this.#admin.create("ir.rule.group", group));
        }
        for (const [model, records] of hidden()) await this.#untilSeen(model, records, 0);
      },
      show: async () => {
        await this.#admin.write("party.party", [this.#parties[6]!], { name: "Heimlich AG" });
        await this.#admin.call("sale.complaint", "cancel", [this.#complaints[6]!]);
        await this.#age();
        await this.#admin.call("ir.rule.group", "delete", groups);
        for (const [model, records] of hidden()) await this.#untilSeen(model, records, records.length);
      },
    };
  }

  /**
   * Tryton keeps rules in a cache, which a request that is under way while a rule changes fills with the old rule again.
   * Writing any rule empties it.
   */
  async #untilSeen(model: string, records: readonly number[], count: number): Promise<void> {
    const seen = async () => ids.parse(await this.#reader.call(model, "search", [["id", "in", [...records]]])).length;
    while ((await seen()) !== count) {
      const any = await this.#admin.one("ir.rule.group", ["global_p", "=", true]);
      await this.#admin.write("ir.rule.group", [any], { perm_read: true });
    }
  }

  /** The link to the category is taken away and given back by plain SQL: no stamp tells. */
  #category(): Disguise {
    const hidden = () => this.#parties.slice(8, 10);
    return {
      name: "the category",
      hide: async () => {
        await this.#database.query("delete from party_category_rel where party = any($1)", [hidden()]);
      },
      show: async () => {
        await this.#age();
        await this.#database.query(
          "insert into party_category_rel (party, category) select id, $1 from party_party where id = any($2)",
          [this.#company.category, hidden()],
        );
      },
    };
  }

  /** Makes every stamp an hour old. */
  async #age(): Promise<void> {
    for (const table of ["party_party", "sale_complaint", "sale_sale"])
      await this.#database.query(
        `update ${table} set create_date = ${LONG_AGO}, write_date = case when write_date is null then null else ${LONG_AGO} end`,
      );
  }

  async #addParties(count: number): Promise<void> {
    const from = this.#parties.length;
    const values = range(from, count).map((at) => ({
      name: `Muster ${at} AG`,
      categories: [["add", [this.#company.category]]],
      addresses: [["create", [{ city: "Bern" }]]],
    }));
    const created = ids.parse(await this.#admin.call("party.party", "create", values));
    this.#parties.push(...created);
    const addresses = await this.#admin.call(
      "party.address",
      "search_read",
      [["party", "in", created]],
      0,
      null,
      null,
      ["party"],
    );
    for (const { id, party } of z.array(addressRow).parse(addresses)) this.#addresses.set(party, id);
  }

  async #addPersons(count: number): Promise<void> {
    const from = this.#persons.length;
    const values = range(from, count).map((at) => ({
      name: `Änne Person${at}`,
      contact_mechanisms: [["create", [{ type: "email", value: `person${at}@example.org` }]]],
    }));
    const created = ids.parse(await this.#admin.call("party.party", "create", values));
    this.#persons.push(...created);
    const relations = created.map((person, index) => ({
      from_: person,
      to: this.#parties[(from + index) % COUNTS.parties]!,
      type: this.#company.relationType,
    }));
    await this.#admin.call("party.relation.all", "create", relations);
  }

  async #addComplaints(count: number): Promise<void> {
    const values = range(this.#complaints.length, count).map((at) => ({
      customer: this.#parties[at % COUNTS.complaints]!,
      company: this.#company.id,
      type: this.#company.complaintType,
      description: `Pumpe ${at} leckt`,
    }));
    this.#complaints.push(...ids.parse(await this.#admin.call("sale.complaint", "create", values)));
  }

  async #addSales(count: number): Promise<void> {
    const values = range(this.#sales.length, count).map((at) => this.#saleOf(at));
    const created = ids.parse(await this.#admin.call("sale.sale", "create", values));
    await this.#admin.call("sale.sale", "quote", created);
    this.#sales.push(...created);
  }

  #saleOf(at: number): JsonObject {
    const party = this.#parties[at % COUNTS.sales]!;
    const address = this.#addresses.get(party)!;
    return {
      party,
      company: this.#company.id,
      currency: this.#company.currency,
      invoice_address: address,
      shipment_address: address,
      reference: `PO-${at}`,
    };
  }
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}
