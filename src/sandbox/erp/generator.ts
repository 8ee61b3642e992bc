import { DAY_MS } from "#model";
import { between, pick, seededRandom, type Random } from "../random.ts";
import { TAG_NAMES } from "../seed/reference-data.ts";
import { erpStamp, type ContactRow, type CustomerRow, type ServiceOrderRow, type TicketRow } from "./schema.ts";
import {
  BODIES,
  FORMS,
  MEN,
  ORDER_REMARKS,
  REMARKS,
  SUBJECTS,
  SURNAMES,
  TOWNS,
  TRADES,
  WARNINGS,
  WOMEN,
} from "./words.ts";

/** The number of rows of each kind. */
export interface ErpCounts {
  readonly customers: number;
  readonly contacts: number;
  readonly tickets: number;
  readonly orders: number;
}

const FIRST_CUSTOMER = 10_001;
/** Rows were changed within this many days before the reference moment. */
const SPAN_DAYS = 400;
/** Every fifth row belongs to an import that gave all its rows the same stamp. */
const IMPORT_EVERY = 5;
const IMPORTS = 8;

/**
 * Realistic rows of a service company, identical for the same seed, counts and moment: umlauts and quotes, empty texts
 * and NULLs, many equal stamps, children changed before their parents, deletion flags.
 */
export class ErpGenerator {
  readonly #random: Random;
  readonly #counts: ErpCounts;
  readonly #now: number;
  readonly #imports: readonly string[];
  #lastContact = new Map<string, number>();

  constructor(seed: number, counts: ErpCounts, now: number) {
    this.#random = seededRandom(seed);
    this.#counts = counts;
    this.#now = now;
    this.#imports = Array.from({ length: IMPORTS }, (_, at) => erpStamp(now - (at + 2) * 30 * DAY_MS));
  }

  *customers(): Iterable<CustomerRow> {
    for (let at = 0; at < this.#counts.customers; at++) {
      const surname = pick(this.#random, SURNAMES);
      const town = pick(this.#random, TOWNS);
      const trade = pick(this.#random, TRADES);
      yield {
        customer_no: customerNo(at),
        name1: this.#chance(0.15) ? `${trade} "Zum ${surname}"` : `${surname} ${trade} ${pick(this.#random, FORMS)}`,
        name2: this.#some(0.4, () => `Niederlassung ${town}`, true),
        short_name: this.#some(0.7, () => surname.toUpperCase().slice(0, 8), false),
        status: this.#chance(0.85) ? "A" : pick(this.#random, ["I", "P"] as const),
        email_domain: this.#some(0.6, () => `${plain(surname)}-${plain(trade)}.example`, false),
        remarks: this.#some(0.35, () => pick(this.#random, REMARKS), true),
        warning: this.#some(0.1, () => pick(this.#random, WARNINGS), false),
        deleted: this.#chance(0.02) ? 1 : 0,
        updated_at: this.#stamp(at),
      };
    }
  }

  *contacts(): Iterable<ContactRow> {
    if (this.#counts.customers === 0) return;
    for (let at = 0; at < this.#counts.contacts; at++) {
      const customer = this.#customer();
      const number = (this.#lastContact.get(customer) ?? 0) + 1;
      this.#lastContact.set(customer, number);
      const gender = this.#chance(0.08) ? null : pick(this.#random, ["m", "f"] as const);
      const first = pick(this.#random, gender === "m" ? MEN : WOMEN);
      const last = pick(this.#random, SURNAMES);
      const mail = () => `${plain(first)}.${plain(last)}.${customer}.${number}@example.com`;
      yield {
        customer_no: customer,
        contact_no: number,
        first_name: this.#some(0.92, () => first, true),
        last_name: last,
        email: this.#some(0.8, mail, false),
        phone: this.#some(
          0.7,
          () => `+43 ${between(this.#random, 1, 7)}${between(this.#random, 100_000, 9_999_999)}`,
          true,
        ),
        mobile: this.#some(0.5, () => `+43 664 ${between(this.#random, 1_000_000, 9_999_999)}`, false),
        gender,
        notes: this.#some(0.15, () => pick(this.#random, REMARKS), false),
        deleted: this.#chance(0.02) ? 1 : 0,
        updated_at: this.#stamp(at),
      };
    }
  }

  *tickets(): Iterable<TicketRow> {
    if (this.#counts.customers === 0) return;
    for (let at = 0; at < this.#counts.tickets; at++) {
      const customer = this.#customer();
      const contacts = this.#lastContact.get(customer) ?? 0;
      yield {
        ticket_no: `T-${String(at + 1).padStart(6, "0")}`,
        customer_no: customer,
        contact_no: contacts > 0 && this.#chance(0.7) ? between(this.#random, 1, contacts) : null,
        subject: pick(this.#random, SUBJECTS),
        body: this.#some(0.8, () => pick(this.#random, BODIES), true),
        priority: this.#chance(0.7) ? "normal" : pick(this.#random, ["low", "high"] as const),
        status: pick(this.#random, ["open", "waiting", "closed", "closed"] as const),
        tags: this.#some(0.5, () => this.#tags(), false),
        due_date: this.#some(
          0.4,
          () => erpStamp(this.#now + between(this.#random, 1, 60) * DAY_MS).slice(0, 10),
          false,
        ),
        deleted: this.#chance(0.01) ? 1 : 0,
        updated_at: this.#stamp(at),
      };
    }
  }

  *orders(): Iterable<ServiceOrderRow> {
    if (this.#counts.customers === 0) return;
    for (let at = 0; at < this.#counts.orders; at++) {
      const ticket =
        this.#counts.tickets > 0 && this.#chance(0.6) ? between(this.#random, 1, this.#counts.tickets) : null;
      yield {
        order_no: `A-${String(at + 1).padStart(6, "0")}`,
        customer_no: this.#customer(),
        ticket_no: ticket === null ? null : `T-${String(ticket).padStart(6, "0")}`,
        reference: this.#some(0.5, () => `Bestellung ${between(this.#random, 1_000, 99_999)}/${at % 100}`, true),
        billable: this.#chance(0.8) ? 1 : 0,
        amount: `${between(this.#random, 0, 9_999)}.${String(between(this.#random, 0, 99)).padStart(2, "0")}`,
        planned_at: this.#some(0.7, () => erpStamp(this.#now + between(this.#random, -30, 30) * DAY_MS), false),
        remarks: this.#some(0.3, () => pick(this.#random, ORDER_REMARKS), true),
        deleted: this.#chance(0.01) ? 1 : 0,
        updated_at: this.#stamp(at),
      };
    }
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A text or NULL; with `emptyToo`, sometimes an empty text. */
  #some(probability: number, text: () => string, emptyToo: boolean): string | null {
    if (this.#chance(probability)) return text();
    return emptyToo && this.#chance(0.5) ? "" : null;
  }

  #customer(): string {
    return customerNo(between(this.#random, 0, this.#counts.customers - 1));
  }

  #stamp(at: number): string {
    if (at % IMPORT_EVERY === 0) return pick(this.#random, this.#imports);
    return erpStamp(this.#now - Math.floor(this.#random() * SPAN_DAYS * DAY_MS));
  }

  #tags(): string {
    const names = Array.from({ length: between(this.#random, 1, 3) }, () => pick(this.#random, TAG_NAMES));
    return [...new Set(names)].join(",");
  }
}

const customerNo = (at: number): string => String(FIRST_CUSTOMER + at);

const FOLDED: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" };

/** A name in a form that an e-mail address allows. */
function plain(name: string): string {
  const folded = name.toLowerCase().replace(/[äöüß]/g, (letter) => FOLDED[letter]!);
  return folded.normalize("NFD").replace(/[^a-z]/g, "");
}
