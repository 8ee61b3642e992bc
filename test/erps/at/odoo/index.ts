import { Client } from "pg";
import { z } from "zod";
import { Closing } from "#daemon";
import type { Json, JsonObject } from "#model";
import type { Disguise, Password, Records, Right } from "../../erp.ts";
import { edited, presetFile } from "../../preset-file.ts";
import { openDoor, type Answered, type Door } from "../door.ts";
import { NEEDS_DATABASE, type FoundErp, type Place } from "../place.ts";
import { KnownPartners, only, recordsOf } from "./rows.ts";
import { OdooRpc } from "./rpc.ts";

/** The tag, the project and the tag of the orders that mark what belongs to the trial. */
const MARK = "svcsync trial";
const COUNTS = { companies: 16, persons: 16, tasks: 16, orders: 14 };
const version = z.object({ server_version_info: z.tuple([z.int()]).rest(z.unknown()), server_version: z.string() });
const MODELS = { customer: "res.partner", ticket: "project.task", svcDocument: "sale.order" } as const;
/** Contacts that are written at one moment: more than a page of svcsync's has. */
const BULK = 520;
/** Far from UTC, and not by whole hours. Odoo shows times in the zone of a user to people only. */
const OTHER_ZONE = "Asia/Kolkata";
/** The groups that let somebody read sales orders. */
const SALES_GROUPS = ["group_sale_salesman", "group_sale_salesman_all_leads", "group_sale_manager"];

/**
 * Odoo at an address, with the apps Contacts, Project and Sales: what both editions have. Helpdesk and Field Service are not tried.
 * @throws {Error} when it is not reached, refuses a login, or lacks an app.
 */
export async function findOdoo(place: Place): Promise<FoundErp> {
  const { url, database, user, writer } = place;
  if (database === undefined || user === undefined || writer === undefined)
    throw new Error(
      "Odoo needs --database, --user (svcsync's login) and --writer (the login that writes the trial's records)",
    );
  const closing = new Closing();
  try {
    const { server_version_info: info, server_version: product } = version.parse(await OdooRpc.version(url));
    const admin = await OdooRpc.logIn(url, database, writer, place.writerKey);
    const reader = await OdooRpc.logIn(url, database, user, place.key);
    const door = closing.use(await openDoor(url, place.key, isRefusal));
    let below: Client | undefined;
    if (place.databaseUrl !== undefined) {
      const client = new Client({ connectionString: place.databaseUrl });
      await client.connect();
      closing.defer(() => client.end());
      below = client;
    }
    const odoo = new Odoo(place, { product, major: info[0] }, { admin, reader, door, below }, closing);
    await odoo.prepare();
    return odoo;
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

function isRefusal({ status, body }: Answered): boolean {
  return status === 401 || body.includes("AccessDenied") || /"result":\s*false/.test(body);
}

interface Ways {
  readonly admin: OdooRpc;
  readonly reader: OdooRpc;
  readonly door: Door;
  /** The database, past Odoo. */
  readonly below: Client | undefined;
}

class Odoo implements FoundErp {
  readonly product: string;
  readonly retired: FoundErp["retired"] = {
    customer: { customerStatus: "Inactive" },
    ticket: { ticketStatus: "Closed" },
    svcDocument: { externalReferenceNumber: "Cancelled" },
  };
  readonly syncFile: string;
  readonly environment: FoundErp["environment"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly right: Right;
  readonly deeds: NonNullable<FoundErp["deeds"]>;
  readonly skipped: NonNullable<FoundErp["skipped"]>;
  readonly #admin: OdooRpc;
  readonly #reader: OdooRpc;
  readonly #below: Client | undefined;
  readonly #closing: Closing;
  readonly #hasMobile: boolean;
  readonly #groupsField: string;
  #mark = { tag: 0, project: 0, orderTag: 0, product: 0 };
  readonly #companies: number[] = [];
  readonly #persons: number[] = [];
  readonly #tasks: number[] = [];
  readonly #orders: number[] = [];
  readonly #rules: number[] = [];
  /** What svcsync's user may see now or could see once, as the service keeps it. */
  readonly #known = new KnownPartners();
  /** The time zone of svcsync's user before the trial. */
  #zone: Json = false;
  #round = 0;

  constructor(place: Place, { product, major }: { product: string; major: number }, ways: Ways, closing: Closing) {
    const { admin, reader, door, below } = ways;
    this.product = `Odoo ${product}`;
    this.#admin = admin;
    this.#reader = reader;
    this.#below = below;
    this.#closing = closing;
    this.#hasMobile = major < 19;
    this.#groupsField = major < 19 ? "groups_id" : "group_ids";
    this.syncFile = markedFile(place.preset ?? (major < 19 ? "odoo18Community" : "odooCommunity"));
    this.environment = {
      ERP_URL: door.url,
      ERP_DATABASE: place.database!,
      ERP_USER: place.user!,
      ERP_KEY: place.key,
    };
    this.disguises = [this.#archived(), this.#tag(), this.#recordRule()];
    this.skipped = below === undefined ? { "late commit": NEEDS_DATABASE } : {};
    this.password = {
      change: async () => void (door.isLocked = true),
      restore: async () => void (door.isLocked = false),
      refused: async () => door.refused,
      opens: () =>
        OdooRpc.logIn(place.url, place.database!, place.user!, place.key).then(
          () => true,
          () => false,
        ),
    };
    this.right = this.#salesRight();
    this.deeds = { moved: () => this.#move(), merged: () => this.#merge(), bulk: () => this.#writeMany() };
  }

  async foreign(limit: number): Promise<number> {
    const counts = await Promise.all(Object.values(MODELS).map((model) => this.#admin.count(model, [])));
    return Math.min(
      limit,
      counts.reduce((sum, count) => sum + count, 0),
    );
  }

  /** What must be there before svcsync starts. Removes what an interrupted trial has left. */
  async prepare(): Promise<void> {
    await this.#removeAll();
    const [user] = z
      .array(z.object({ tz: z.json() }))
      .parse(await this.#admin.read("res.users", [["id", "=", this.#reader.user]], ["tz"]));
    this.#zone = user!.tz;
    await this.#setZone(OTHER_ZONE);
  }

  #setZone(tz: Json): Promise<void> {
    return this.#admin.write("res.users", [this.#reader.user], { tz });
  }

  async seed(): Promise<void> {
    const one = async (model: string, values: JsonObject) => (await this.#admin.create(model, [values]))[0]!;
    this.#mark = {
      tag: await one("res.partner.category", { name: MARK }),
      project: await one("project.project", { name: MARK }),
      orderTag: await one("crm.tag", { name: MARK }),
      product: await one("product.product", { name: MARK, type: "service", invoice_policy: "order" }),
    };
    await this.#addCompanies(COUNTS.companies);
    await this.#addPersons(COUNTS.persons);
    await this.#addTasks(COUNTS.tasks);
    await this.#addOrders(COUNTS.orders);
    // A quotation is no order yet; a task without a customer has nobody to show it to.
    await this.#admin.create("sale.order", [this.#orderOf(0)]);
    await this.#admin.create("project.task", [{ name: "Intern", project_id: this.#mark.project }]);
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    await this.#addCompanies(1);
    await this.#addPersons(1);
    await this.#addTasks(1);
    await this.#addOrders(1);
    await this.#admin.write("res.partner", [this.#companies[round]!], {
      name: `Umbenannt ${round} GmbH`,
      street2: `Hof ${round}`,
    });
    await this.#admin.write("res.partner", [this.#persons[round]!], {
      email: `neu${round}@example.org`,
      ...(this.#hasMobile ? { mobile: `+49 171 ${100 + round}` } : { phone: `+49 171 ${100 + round}` }),
    });
    await this.#admin.write("project.task", [this.#tasks[round]!], { state: "1_done" });
    await this.#admin.write("project.task", [this.#tasks[round + 6]!], { priority: "1" });
    await this.#admin.act("sale.order", "action_cancel", [this.#orders[round]!]);
    await this.#admin.write("sale.order", [this.#orders[round + 5]!], { client_order_ref: `PO-${round}-neu` });
  }

  async writeLate(): Promise<() => Promise<void>> {
    const below = this.#below!;
    await below.query("begin");
    // Odoo stamps with the time at which the transaction began.
    await below.query(
      "update res_partner set name = 'Spät AG', complete_name = 'Spät AG', write_date = (now() at time zone 'UTC') where id = $1",
      [this.#companies[12]],
    );
    return async () => void (await below.query("commit"));
  }

  async remove(): Promise<void> {
    await this.#admin.act("res.partner", "unlink", [this.#persons[14]!]);
    await this.#admin.act("project.task", "unlink", [this.#tasks[15]!]);
    const order = [this.#orders[13]!];
    await this.#admin.act("sale.order", "action_cancel", order);
    await this.#admin.act("sale.order", "unlink", order);
  }

  records(): Promise<Records> {
    return recordsOf(this.#reader, MARK, this.#hasMobile, this.#known);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#removeAll();
      await this.#setZone(this.#zone);
    } finally {
      await this.#closing[Symbol.asyncDispose]();
    }
  }

  /** Everything that bears the mark. */
  async #removeAll(): Promise<void> {
    const admin = this.#admin;
    await admin.act("ir.rule", "unlink", await admin.search("ir.rule", [["name", "=", MARK]]));
    const orders = await admin.search("sale.order", [["tag_ids.name", "=", MARK]]);
    const open = await admin.search("sale.order", [
      ["id", "in", orders],
      ["state", "not in", ["draft", "cancel"]],
    ]);
    await admin.act("sale.order", "action_cancel", open);
    await admin.act("sale.order", "unlink", orders);
    await admin.act("project.task", "unlink", await admin.search("project.task", [["project_id.name", "=", MARK]]));
    await admin.act("project.project", "unlink", await admin.search("project.project", [["name", "=", MARK]]));
    const companies = await admin.search("res.partner", [["commercial_partner_id.category_id.name", "=", MARK]]);
    const marked = await admin.search("res.partner", [["comment", "like", MARK]]);
    const partners = [...new Set([...companies, ...marked])];
    const below = await admin.search("res.partner", [["id", "child_of", partners]]);
    await admin.act(
      "res.partner",
      "unlink",
      below.toSorted((a, b) => b - a),
    );
    for (const model of ["res.partner.category", "crm.tag", "product.product"])
      await admin.act(model, "unlink", await admin.search(model, [["name", "=", MARK]]));
  }

  /** Two contacts get another company, and a branch with a person below it gets another company above it. */
  async #move(): Promise<void> {
    const [branch] = await this.#admin.create("res.partner", [
      { name: "Zweigstelle", is_company: false, comment: MARK, parent_id: this.#companies[8]! },
    ]);
    const [person] = await this.#admin.create("res.partner", [
      { name: "Person der Zweigstelle", comment: MARK, parent_id: branch! },
    ]);
    await this.#admin.write("res.partner", this.#persons.slice(8, 10), { parent_id: this.#companies[2]! });
    await this.#admin.write("res.partner", [branch!], { parent_id: this.#companies[1]! });
    this.#persons.push(branch!, person!);
  }

  /**
   * A company with a contact, a task and an order is merged into another one: Odoo moves the latter by plain SQL. It has no address of
   * delivery: the service gives no location another customer.
   */
  async #merge(): Promise<void> {
    const [into, merged] = [this.#companies[14]!, this.#companies[10]!];
    const [wizard] = await this.#admin.create("base.partner.merge.automatic.wizard", [
      { partner_ids: only([into, merged]), dst_partner_id: into, state: "selection" },
    ]);
    await this.#admin.act("base.partner.merge.automatic.wizard", "action_merge", [wizard!]);
  }

  /** Many contacts at one moment, first created, then changed. */
  async #writeMany(): Promise<void> {
    const many = await this.#admin.create(
      "res.partner",
      range(0, BULK).map((at) => ({ name: `Viele ${at}`, comment: MARK, parent_id: this.#companies[0]! })),
    );
    await this.#admin.write("res.partner", many, { email: "viele@example.org" });
  }

  #archived(): Disguise {
    const set = (active: boolean) => this.#admin.write("res.partner", this.#companies.slice(3, 5), { active });
    return { name: "the archive", hide: () => set(false), show: () => set(true) };
  }

  /** A company that loses the tag is no customer any more, and neither it nor its contacts are shown. */
  #tag(): Disguise {
    const set = (tags: readonly number[]) =>
      this.#admin.write("res.partner", this.#companies.slice(5, 7), { category_id: only(tags) });
    return { name: "the tag", hide: () => set([]), show: () => set([this.#mark.tag]) };
  }

  /** A rule for svcsync's user alone that hides half of everything. What it hides is changed meanwhile, long before it is lifted. */
  #recordRule(): Disguise {
    return {
      name: "a record rule",
      hide: async () => {
        const hidden = {
          "res.partner": [...this.#companies.slice(8, 16), ...this.#persons.slice(8, 16)],
          "project.task": this.#tasks.slice(8, 16),
          "sale.order": this.#orders.slice(8, 13),
        };
        for (const [model, records] of Object.entries(hidden)) {
          const [about] = await this.#admin.search("ir.model", [["model", "=", model]]);
          const rule = `[('id', 'not in', ${JSON.stringify(records)})] if user.id == ${this.#reader.user} else [(1, '=', 1)]`;
          this.#rules.push(
            ...(await this.#admin.create("ir.rule", [{ name: MARK, model_id: about!, domain_force: rule }])),
          );
        }
      },
      show: async () => {
        await this.#admin.write("res.partner", [this.#companies[9]!], { name: "Heimlich AG" });
        await this.#age();
        await this.#admin.act("ir.rule", "unlink", this.#rules.splice(0));
      },
    };
  }

  /** Makes every stamp of the trial an hour old, past every overlap. */
  async #age(): Promise<void> {
    const records = {
      res_partner: [...this.#companies, ...this.#persons],
      project_task: this.#tasks,
      sale_order: this.#orders,
    };
    for (const [table, of] of Object.entries(records))
      await this.#below?.query(`update ${table} set write_date = write_date - interval '1 hour' where id = any($1)`, [
        of,
      ]);
  }

  #salesRight(): Right {
    const taken: number[] = [];
    const set = (command: number, groups: readonly number[]) =>
      this.#admin.write("res.users", [this.#reader.user], {
        [this.#groupsField]: groups.map((group): Json => [command, group]),
      });
    return {
      stream: "orders",
      resource: "svcDocument",
      take: async () => {
        const names: Json[] = ["&", ["module", "=", "sales_team"], ["name", "in", SALES_GROUPS]];
        const groups = z
          .array(z.object({ res_id: z.int() }))
          .parse(await this.#admin.read("ir.model.data", names, ["res_id"]));
        const held = z
          .array(z.record(z.string(), z.json()))
          .parse(await this.#admin.read("res.users", [["id", "=", this.#reader.user]], [this.#groupsField]));
        const of = z.array(z.int()).parse(held[0]?.[this.#groupsField]);
        taken.push(...groups.map(({ res_id: id }) => id).filter((id) => of.includes(id)));
        await set(3, taken);
      },
      give: () => set(4, taken.splice(0)),
    };
  }

  async #addCompanies(count: number): Promise<void> {
    const values = range(this.#companies.length, count).map((at) => ({
      name: `Muster ${at} GmbH`,
      ref: `K-${at}`,
      is_company: true,
      comment: MARK,
      category_id: only([this.#mark.tag]),
      street: `Hauptstraße ${at}`,
      zip: String(50_000 + at),
      city: at % 5 === 4 ? false : "Köln",
      child_ids:
        at % 4 === 0
          ? [
              [
                0,
                0,
                {
                  type: "delivery",
                  name: at % 8 === 0 ? `Lager ${at}` : false,
                  street: `Am Hafen ${at}`,
                  zip: "20457",
                  city: "Hamburg",
                },
              ],
            ]
          : [],
    }));
    this.#companies.push(...(await this.#admin.create("res.partner", values)));
  }

  async #addPersons(count: number): Promise<void> {
    const values = range(this.#persons.length, count).map((at) => ({
      name: `Änne Person${at}`,
      email: `person${at}@example.org`,
      phone: `+49 221 ${100 + at}`,
      function: "Einkauf",
      comment: MARK,
      parent_id: this.#companies[at % COUNTS.companies]!,
    }));
    this.#persons.push(...(await this.#admin.create("res.partner", values)));
  }

  async #addTasks(count: number): Promise<void> {
    const values = range(this.#tasks.length, count).map((at) => ({
      name: `Pumpe ${at} leckt`,
      description: `<p>Seit <b>gestern</b>: ${at}</p>`,
      project_id: this.#mark.project,
      partner_id: at % 2 === 0 ? this.#companies[at % COUNTS.companies]! : this.#persons[at % 8]!,
      user_ids: [],
    }));
    this.#tasks.push(...(await this.#admin.create("project.task", values)));
  }

  async #addOrders(count: number): Promise<void> {
    const created = await this.#admin.create(
      "sale.order",
      range(this.#orders.length, count).map((at) => this.#orderOf(at)),
    );
    await this.#admin.act("sale.order", "action_confirm", created);
    this.#orders.push(...created);
  }

  #orderOf(at: number): JsonObject {
    return {
      partner_id: at % 2 === 0 ? this.#companies[at % COUNTS.companies]! : this.#persons[at % 8]!,
      client_order_ref: `PO-${at}`,
      tag_ids: only([this.#mark.orderTag]),
      order_line: [[0, 0, { product_id: this.#mark.product, name: `Wartung ${at}`, product_uom_qty: 1 }]],
    };
  }
}

/** The preset's file with the names of this trial in place of the tag, the project and all orders. */
function markedFile(preset: string): string {
  const named = edited(edited(presetFile(preset), '"=", Customer]', `"=", ${MARK}]`), '"=", Support]', `"=", ${MARK}]`);
  return edited(named, "[sale, done, cancel]]]", `[sale, done, cancel]], [tag_ids.name, "=", ${MARK}]]`);
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}
