import { createConnection, type Connection } from "mysql2/promise";
import { z } from "zod";
import { Closing } from "#daemon";
import type { JsonObject } from "#model";
import type { Disguise, Password, Records, Right } from "../../erp.ts";
import { edited, presetFile } from "../../preset-file.ts";
import { openDoor, type Door } from "../door.ts";
import { NEEDS_DATABASE, type FoundErp, type Place } from "../place.ts";
import { DolibarrApi } from "./api.ts";
import { recordsOf, type KnownParties } from "./rows.ts";

/** The alias that marks what belongs to the trial. */
const MARK = "svcsync trial";
const COUNTS = { parties: 14, contacts: 14, tickets: 14, interventions: 12 };
/** Contacts that are written at one moment: more than a page of Dolibarr's has. */
const BULK = 120;
const status = z.object({ success: z.object({ dolibarr_version: z.string() }) });
const withId = z.object({ id: z.coerce.number() });
const ofParty = withId.extend({ socid: z.coerce.number().nullish(), fk_soc: z.coerce.number().nullish() });
const LISTS = ["interventions", "tickets", "contacts"] as const;
const NO_RIGHTS = "the API cannot change a user's rights; TRIAL_DATABASE_URL would let the trial do it in the database";

const ONE_BY_ONE =
  "the API writes one record at a time; TRIAL_DATABASE_URL would let the trial write many in the database";

/**
 * Dolibarr at an address, with the modules REST API, third parties, tickets and interventions.
 * @throws {Error} when it is not reached or refuses a key.
 */
export async function findDolibarr(place: Place): Promise<FoundErp> {
  if (place.databaseUrl !== undefined && place.user === undefined)
    throw new Error("with TRIAL_DATABASE_URL, Dolibarr needs --user: the login of the user that svcsync reads with");
  const closing = new Closing();
  try {
    const writer = new DolibarrApi(place.url, place.writerKey);
    const { dolibarr_version: version } = status.parse(await writer.get("status")).success;
    const door = closing.use(await openDoor(place.url, place.key, (answered) => answered.status === 401));
    let below: Connection | undefined;
    if (place.databaseUrl !== undefined) {
      const connection = await createConnection(place.databaseUrl);
      closing.defer(() => connection.end());
      below = connection;
    }
    const dolibarr = new Dolibarr(
      place,
      version,
      { writer, reader: new DolibarrApi(place.url, place.key), door, below },
      closing,
    );
    await dolibarr.prepare();
    return dolibarr;
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Ways {
  readonly writer: DolibarrApi;
  readonly reader: DolibarrApi;
  readonly door: Door;
  /** The database, past Dolibarr. */
  readonly below: Connection | undefined;
}

class Dolibarr implements FoundErp {
  readonly product: string;
  readonly retired: FoundErp["retired"] = {
    customer: { customerStatus: "Inactive" },
    ticket: { ticketStatus: "Closed" },
  };
  readonly syncFile: string;
  readonly environment: FoundErp["environment"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly right?: Right;
  readonly deeds: NonNullable<FoundErp["deeds"]>;
  readonly skipped: NonNullable<FoundErp["skipped"]>;
  readonly #writer: DolibarrApi;
  readonly #reader: DolibarrApi;
  readonly #below: Connection | undefined;
  readonly #closing: Closing;
  readonly #statusField: string;
  readonly #known: KnownParties = { codes: new Map(), places: new Map() };
  readonly #parties: number[] = [];
  readonly #contacts: number[] = [];
  readonly #tickets: number[] = [];
  readonly #interventions: number[] = [];
  #round = 0;

  constructor(place: Place, version: string, { writer, reader, door, below }: Ways, closing: Closing) {
    this.product = `Dolibarr ${version}`;
    this.#writer = writer;
    this.#reader = reader;
    this.#below = below;
    this.#closing = closing;
    this.#statusField = Number.parseInt(version, 10) < 19 ? "fk_statut" : "status";
    this.syncFile = zoned(presetFile(place.preset ?? "dolibarr"), place);
    this.environment = { ERP_URL: door.url, ERP_KEY: place.key };
    this.disguises = [this.#noCustomer(), ...(below === undefined ? [] : [this.#otherEntity(below)])];
    this.skipped =
      below === undefined ? { "late commit": NEEDS_DATABASE, "less rights": NO_RIGHTS, bulk: ONE_BY_ONE } : {};
    this.deeds = {
      moved: () => this.#move(),
      merged: () => this.#merge(),
      ...(below !== undefined && { bulk: () => this.#writeMany(below) }),
    };
    this.password = {
      change: async () => void (door.isLocked = true),
      restore: async () => void (door.isLocked = false),
      refused: async () => door.refused,
      opens: async () => (await reader.status("status")) === 200,
    };
    if (below !== undefined) this.right = this.#ticketsRight(below, place.user!);
  }

  async foreign(limit: number): Promise<number> {
    let found = 0;
    for (const list of ["thirdparties", ...LISTS])
      if (found < limit) found += (await this.#writer.list(list, limit - found)).length;
    return found;
  }

  /** Removes what an interrupted trial has left. */
  async prepare(): Promise<void> {
    await this.#removeAll();
  }

  async seed(): Promise<void> {
    for (let at = 0; at < COUNTS.parties; at++) await this.#addParty();
    for (let at = 0; at < COUNTS.contacts; at++) await this.#addContact();
    for (let at = 0; at < COUNTS.tickets; at++) await this.#addTicket();
    for (let at = 0; at < COUNTS.interventions; at++) await this.#addIntervention();
    // A draft has no number yet.
    await this.#writer.create("interventions", this.#interventionOf(0));
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    await this.#addParty();
    await this.#addContact();
    await this.#addTicket();
    await this.#addIntervention();
    await this.#writer.write(`thirdparties/${this.#parties[round]!}`, {
      name: `Umbenannt ${round} GmbH`,
      address: `Hauptstr. ${round}\nHof ${round}`,
    });
    await this.#writer.write(`contacts/${this.#contacts[round]!}`, {
      email: `neu${round}@example.org`,
      phone_mobile: `+49 171 ${100 + round}`,
    });
    await this.#writer.write(`tickets/${this.#tickets[round]!}`, { [this.#statusField]: 8 });
    await this.#writer.write(`tickets/${this.#tickets[round + 5]!}`, { severity_code: "HIGH" });
  }

  async writeLate(): Promise<() => Promise<void>> {
    const below = this.#below!;
    await below.beginTransaction();
    await below.execute("update llx_societe set nom = 'Spät AG' where rowid = ?", [this.#parties[11]!]);
    return () => below.commit();
  }

  async remove(): Promise<void> {
    await this.#writer.remove(`contacts/${this.#contacts[13]!}`);
    await this.#writer.remove(`tickets/${this.#tickets[13]!}`);
    await this.#writer.remove(`interventions/${this.#interventions[11]!}`);
  }

  records(): Promise<Records> {
    return recordsOf(this.#reader, this.#known);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#removeAll();
    } finally {
      await this.#closing[Symbol.asyncDispose]();
    }
  }

  /** Every third party that bears the mark, after what belongs to it. */
  async #removeAll(): Promise<void> {
    const marked = `thirdparties?sqlfilters=${encodeURIComponent(`(t.name_alias:=:'${MARK}')`)}`;
    const parties = new Set(
      z
        .array(withId)
        .parse(await this.#writer.list(marked))
        .map(({ id }) => id),
    );
    if (parties.size === 0) return;
    for (const list of LISTS)
      for (const { id, socid, fk_soc: other } of z.array(ofParty).parse(await this.#writer.list(list)))
        if (parties.has(socid ?? other ?? 0)) await this.#writer.remove(`${list}/${id}`);
    for (const id of parties) await this.#writer.remove(`thirdparties/${id}`);
  }

  /** Two contacts get another third party. */
  async #move(): Promise<void> {
    for (const id of this.#contacts.slice(8, 10))
      await this.#writer.write(`contacts/${id}`, { socid: this.#parties[2]! });
  }

  /** A third party with a contact, a ticket and an intervention is merged into another one. */
  async #merge(): Promise<void> {
    await this.#writer.write(`thirdparties/${this.#parties[12]!}/merge/${this.#parties[10]!}`, {});
  }

  /** Many contacts, and then one statement for them all. */
  async #writeMany(below: Connection): Promise<void> {
    const many: number[] = [];
    for (let at = 0; at < BULK; at++)
      many.push(await this.#writer.create("contacts", { socid: this.#parties[0]!, lastname: `Viele ${at}` }));
    await below.query("update llx_socpeople set email = 'viele@example.org' where rowid in (?)", [many]);
  }

  /** A third party that becomes a prospect and a customer again. */
  #noCustomer(): Disguise {
    const set = async (client: number) => {
      for (const id of this.#parties.slice(5, 7)) await this.#writer.write(`thirdparties/${id}`, { client });
    };
    return { name: "the customer flag", hide: () => set(2), show: () => set(1) };
  }

  /** Half of everything goes to another entity and comes back past Dolibarr, which moves no stamp. */
  #otherEntity(below: Connection): Disguise {
    const set = async (entity: number) => {
      const hidden = {
        llx_societe: this.#parties.slice(8, 14),
        llx_socpeople: this.#contacts.slice(7, 13),
        llx_ticket: this.#tickets.slice(7, 13),
        llx_fichinter: this.#interventions.slice(6, 11),
      };
      for (const [table, ids] of Object.entries(hidden))
        for (const id of ids)
          await below.execute(`update ${table} set entity = ?, tms = tms - interval 2 hour where rowid = ?`, [
            entity,
            id,
          ]);
    };
    return { name: "another entity", hide: () => set(99), show: () => set(1) };
  }

  #ticketsRight(below: Connection, login: string): Right {
    const read = "module = 'ticket' and perms = 'read' and entity = 1";
    const user = "(select rowid from llx_user where login = ?)";
    return {
      stream: "tickets",
      resource: "ticket",
      take: async () =>
        void (await below.execute(
          `delete from llx_user_rights where fk_user = ${user} and fk_id in (select id from llx_rights_def where ${read})`,
          [login],
        )),
      give: async () =>
        void (await below.execute(
          `insert into llx_user_rights (entity, fk_user, fk_id) select 1, ${user}, id from llx_rights_def where ${read}`,
          [login],
        )),
    };
  }

  async #addParty(): Promise<void> {
    const at = this.#parties.length;
    const values = {
      name: `Muster ${at} GmbH`,
      name_alias: MARK,
      client: 1,
      code_client: "auto",
      address: at % 4 === 0 ? `Hauptstr. ${at}\nHinterhaus` : `Hauptstr. ${at}`,
      zip: String(50_000 + at),
      town: at % 5 === 4 ? "" : "Köln",
      country_id: 5,
      tva_intra: `DE${123_456_700 + at}`,
    };
    this.#parties.push(await this.#writer.create("thirdparties", values));
  }

  async #addContact(): Promise<void> {
    const at = this.#contacts.length;
    const values = {
      socid: this.#parties[at % COUNTS.parties]!,
      firstname: "Änne",
      lastname: `Person${at}`,
      email: `person${at}@example.org`,
      phone_pro: `+49 221 ${100 + at}`,
      poste: "Einkauf",
      civility_code: at % 2 === 0 ? "MME" : "MR",
    };
    this.#contacts.push(await this.#writer.create("contacts", values));
  }

  async #addTicket(): Promise<void> {
    const at = this.#tickets.length;
    const values = {
      fk_soc: this.#parties[at % COUNTS.parties]!,
      subject: `Pumpe ${at} leckt`,
      message: `<p>Seit <b>gestern</b>: ${at}</p>`,
      type_code: "ISSUE",
      category_code: "OTHER",
      severity_code: "NORMAL",
    };
    this.#tickets.push(await this.#writer.create("tickets", values));
  }

  async #addIntervention(): Promise<void> {
    const at = this.#interventions.length;
    const id = await this.#writer.create("interventions", this.#interventionOf(at));
    await this.#writer.act(`interventions/${id}/validate`);
    this.#interventions.push(id);
  }

  #interventionOf(at: number): JsonObject {
    return {
      socid: this.#parties[at % COUNTS.parties]!,
      description: `Wartung ${at}`,
      ref_client: `PO-${at}`,
      fk_project: 0,
      duree: 0,
    };
  }
}

/** The preset's file with the zones of this place. */
function zoned(text: string, { timezone, databaseTimezone }: Place): string {
  const own = "    timezone: Europe/Berlin\n";
  const lines = [
    `    timezone: ${timezone ?? "Europe/Berlin"}\n`,
    ...(databaseTimezone ? [`    databaseTimezone: ${databaseTimezone}\n`] : []),
  ];
  return edited(text, own, lines.join(""));
}
