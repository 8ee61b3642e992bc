import { sleep } from "#model";
import type { ContactRow, ErpRows, ErpTable, ErpValue, SampleErp } from "#sandbox";
import type { Dice } from "./dice.ts";

const STREETS = ["Ahorn", "Birke", "Eiche", "Föhre", "Linde", "Ulme"];
const WORDS = ["dringend", "nach Vertrag", "Rückruf", "", "Schlüssel beim Portier", null];
const TAGS = ["Garantie", "Wartung", "Notdienst", "Ersatzteil", "Rückfrage", "VIP", "Montage", "Prüfung §14"];

/** Rows that existed at some moment, by stream: what may explain a record of the service. */
export interface EverKnown {
  readonly customers: Set<string>;
  readonly contacts: Set<string>;
  readonly tickets: Set<string>;
  readonly orders: Set<string>;
  /** All tags that a ticket ever had. */
  readonly tags: Map<string, Set<string>>;
}

/** The names in a ticket's column of tags. */
export function tagsOf(column: string | null): string[] {
  return (column ?? "").split(",").filter(Boolean);
}

export function contactKey({ customer_no, contact_no }: Pick<ContactRow, "customer_no" | "contact_no">): string {
  return `${customer_no}|${contact_no}`;
}

/** The customer that a contact belongs to now. */
export function ownerOf(row: ContactRow & { readonly moved_to?: string | null }): string {
  return row.moved_to ?? row.customer_no;
}

/**
 * The people and programs that work in the ERP: inserts, updates, values that go back to what they were, children entered
 * before their parents, tags that come and go, rows flagged as deleted, rows that vanish and rows that come back.
 */
export class ErpActor {
  readonly ever: EverKnown;
  /** Contacts that changed their customer, by key. */
  readonly moved = new Set<string>();
  changes = 0;
  /** Nobody works in the ERP, except for what is owed. */
  isAtRest = false;
  readonly #erp: SampleErp;
  readonly #dice: Dice;
  #lastNumber = 0;
  /** Customers whose children are there already, entered when their moment has come. */
  readonly #owed: { readonly no: string; readonly at: number }[] = [];
  /** When the orders that are hidden now are shown again. */
  #showAt: number | undefined;

  constructor(erp: SampleErp, dice: Dice) {
    this.#erp = erp;
    this.#dice = dice;
    this.#tellTwinsApart();
    this.ever = {
      customers: new Set(erp.all("customers").map((row) => row.customer_no)),
      contacts: new Set(erp.all("contacts").map(contactKey)),
      tickets: new Set(erp.all("tickets").map((row) => row.ticket_no)),
      orders: new Set(erp.all("service_orders").map((row) => row.order_no)),
      tags: new Map(erp.all("tickets").map((row) => [row.ticket_no, new Set(tagsOf(row.tags))])),
    };
  }

  /** Works until the signal is aborted, then enters what it still owes. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (!this.isAtRest) this.#turn();
      this.#payOwed(Date.now());
      await sleep(this.#dice.between(20, 160), signal);
    }
    this.#payOwed(Number.POSITIVE_INFINITY);
  }

  /** Changes a ticket's text. */
  rewrite(ticket_no: string): void {
    if (this.#erp.all("tickets").some((row) => row.ticket_no === ticket_no))
      this.#change("tickets", [ticket_no], { body: `Fassung ${this.#number()}` });
  }

  /** A new order of a ticket. */
  order(ticket_no: string): void {
    const row = this.#erp.all("tickets").find((each) => each.ticket_no === ticket_no);
    if (row) this.#insertOrder(row.customer_no, ticket_no);
  }

  /** A new ticket. */
  ticket(): void {
    this.#insertTicket(this.#any("customers").customer_no);
  }

  /** The keys of a stream's rows that are not deleted. */
  live(stream: "contacts" | "tickets"): string[] {
    if (stream === "tickets") return this.#erp.all(stream).flatMap((row) => (row.deleted ? [] : [row.ticket_no]));
    return this.#erp.all(stream).flatMap((row) => (row.deleted ? [] : [contactKey(row)]));
  }

  /** A new row whose customer is there already; its key. */
  enter(stream: "contacts" | "tickets", customer_no: string): string {
    if (stream === "contacts") return this.#insertContact(customer_no);
    const ticket_no = `T${this.#number()}`;
    this.#erp.insertTicket({ ticket_no, customer_no });
    this.ever.tickets.add(ticket_no);
    this.changes += 1;
    return ticket_no;
  }

  #turn(): void {
    this.#dice.weighted<() => void>([
      [14, () => this.#changeCustomer()],
      [10, () => this.#changeContact()],
      [5, () => this.#moveContact()],
      [20, () => this.#changeTicket()],
      [10, () => this.#changeOrder()],
      [4, () => this.#insertFamily()],
      [5, () => this.#insertChild()],
      [4, () => this.#flag()],
      [3, () => this.#vanish()],
      [2, () => this.#burst()],
      [1, () => this.#hide()],
    ])();
  }

  #changeCustomer(): void {
    const row = this.#any("customers");
    const values = this.#dice.weighted<Record<string, ErpValue>>([
      [4, { name1: `${this.#dice.pick(STREETS)} & Söhne`, name2: this.#dice.pick([null, "", "GmbH", "Filiale Süd"]) }],
      [3, { status: this.#dice.pick(["A", "I", "P"]) }],
      [2, { warning: this.#dice.pick(WORDS) }],
      [2, { short_name: this.#dice.pick(STREETS).toUpperCase() }],
      [1, { email_domain: this.#dice.pick([null, "chaos.example"]) }],
      [1, { remarks: this.#dice.pick(WORDS) }],
    ]);
    this.#change("customers", [row.customer_no], values);
  }

  #changeContact(): void {
    const row = this.#any("contacts");
    const values = this.#dice.weighted<Record<string, ErpValue>>([
      [3, { phone: this.#dice.pick([null, "", "+43 1 234", "+43 1 999"]) }],
      [3, { last_name: `${this.#dice.pick(STREETS)} ${row.contact_no}` }],
      [2, { notes: this.#dice.pick(WORDS) }],
      [2, { gender: this.#dice.pick(["m", "f", null]) }],
      [1, { email: this.#dice.pick([null, `k${row.contact_no}@${row.customer_no}.example`]) }],
    ]);
    this.#change("contacts", [row.customer_no, row.contact_no], values);
  }

  /** A contact works for another customer from now on: one that is known, one that is entered later, or the one of before. */
  #moveContact(): void {
    const { customer_no, contact_no } = this.#any("contacts");
    const target = this.#dice.weighted<() => string | null>([
      [6, () => this.#any("customers").customer_no],
      [2, () => this.#oweCustomer()],
      [2, () => null],
    ])();
    this.moved.add(contactKey({ customer_no, contact_no }));
    const more = this.#dice.chance(0.3) ? { last_name: `Umzug ${contact_no}` } : {};
    this.#change("contacts", [customer_no, contact_no], { moved_to: target, ...more });
    if (this.#dice.chance(0.1)) this.#change("contacts", [customer_no, contact_no], { moved_to: null });
  }

  #changeTicket(): void {
    const row = this.#any("tickets");
    const tags = this.#tags(row.ticket_no);
    const values = this.#dice.weighted<Record<string, ErpValue>>([
      [4, { status: this.#dice.pick(["open", "waiting", "closed"]) }],
      [2, { priority: this.#dice.pick(["low", "normal", "high"]) }],
      [4, { tags }],
      [2, { subject: `Störung ${this.#dice.pick(STREETS)}`, body: this.#dice.pick(WORDS) }],
      [1, { due_date: this.#dice.pick([null, "2031-01-15", "2031-07-01"]) }],
    ]);
    this.#change("tickets", [row.ticket_no], values);
  }

  #changeOrder(): void {
    const row = this.#any("service_orders");
    const values = this.#dice.weighted<Record<string, ErpValue>>([
      [3, { reference: this.#dice.pick([null, "", "Bestellung 7", "Bestellung 8"]) }],
      [2, { billable: this.#dice.pick([0, 1]) }],
      [1, { amount: `${this.#dice.between(1, 99)}.00` }],
    ]);
    this.#change("service_orders", [row.order_no], values);
  }

  /** A customer with its first contact, ticket and order; every other time the customer comes last, and late. */
  #insertFamily(): void {
    const no = this.#dice.chance(0.5) ? this.#oweCustomer() : this.#newCustomer();
    this.#insertContact(no);
    const ticket = this.#insertTicket(no);
    this.#insertOrder(no, ticket);
    this.changes += 1;
  }

  /** The number of a customer that is entered later than what refers to it. */
  #oweCustomer(): string {
    const no = `C${this.#number()}`;
    this.ever.customers.add(no);
    this.#owed.push({ no, at: Date.now() + this.#dice.between(100, 4_000) });
    return no;
  }

  #newCustomer(): string {
    const no = `C${this.#number()}`;
    this.ever.customers.add(no);
    this.#erp.insertCustomer({ customer_no: no });
    return no;
  }

  #insertChild(): void {
    const { customer_no } = this.#any("customers");
    this.#dice.pick([
      () => this.#insertContact(customer_no),
      () => void this.#insertTicket(customer_no),
      () => this.#insertOrder(customer_no, null),
    ])();
  }

  /** Flags a row as deleted, or takes the flag back. */
  #flag(): void {
    const table = this.#dice.weighted<ErpTable>([
      [1, "customers"],
      [3, "contacts"],
      [3, "tickets"],
      [4, "service_orders"],
    ]);
    const row = { ...this.#any(table) };
    if (table === "contacts" && !row.deleted) this.#leave(row);
    this.#change(table, keyOf(table, row), { deleted: row.deleted ? 0 : 1 });
  }

  /** A row goes without a trace; some come back under the same key. */
  #vanish(): void {
    const table = this.#dice.pick<ErpTable>(["contacts", "tickets", "service_orders"]);
    const row = { ...this.#any(table) };
    if (table === "contacts") this.#leave(row);
    if ("subject" in row)
      for (const order of this.#erp.all("service_orders"))
        if (order.ticket_no === row.ticket_no) this.#change("service_orders", [order.order_no], { ticket_no: null });
    this.#erp.deleteRow(table, keyOf(table, row));
    this.changes += 1;
    if (!this.#dice.chance(0.3)) return;
    if ("contact_no" in row && table === "contacts") this.#insertContact(row.customer_no, row.contact_no ?? undefined);
    else if ("subject" in row) this.#insertTicket(row.customer_no, row.ticket_no);
    else if ("order_no" in row) this.#insertOrder(row.customer_no, null, row.order_no);
  }

  /** An access rule takes orders out of sight for a while: longer than two sweeps, or shorter. Their stamps do not move. */
  #hide(): void {
    if (this.#showAt !== undefined) return;
    this.#erp.hide("service_orders", [this.#any("service_orders").order_no]);
    this.#showAt = Date.now() + this.#dice.between(1_000, 20_000);
    this.changes += 1;
  }

  /** One row, many versions within a moment. */
  #burst(): void {
    const row = this.#any("customers");
    for (let at = this.#dice.between(3, 8); at > 0; at--)
      this.#change("customers", [row.customer_no], { name1: `Fassung ${at}`, status: this.#dice.pick(["A", "P"]) });
  }

  /** No ticket names a contact that is about to go. */
  #leave(contact: Record<string, ErpValue>): void {
    for (const ticket of this.#erp.all("tickets"))
      if (ticket.customer_no === contact["customer_no"] && ticket.contact_no === contact["contact_no"])
        this.#change("tickets", [ticket.ticket_no], { contact_no: null });
  }

  #insertContact(customer_no: string, again?: number): string {
    const contact_no = again ?? 1_000 + this.#number();
    const email = this.#dice.pick([null, `k${contact_no}@${customer_no}.example`]);
    this.#erp.insertContact({ customer_no, contact_no, email, last_name: `Kontakt ${contact_no}` });
    const key = contactKey({ customer_no, contact_no });
    this.ever.contacts.add(key);
    this.changes += 1;
    return key;
  }

  #insertTicket(customer_no: string, again?: string): string {
    const ticket_no = again ?? `T${this.#number()}`;
    const contacts = this.#erp.all("contacts").filter((row) => row.customer_no === customer_no && !row.deleted);
    const contact_no = contacts.length > 0 ? this.#dice.pick(contacts).contact_no : null;
    this.#erp.insertTicket({ ticket_no, customer_no, contact_no, tags: this.#tags(ticket_no) });
    this.ever.tickets.add(ticket_no);
    this.changes += 1;
    return ticket_no;
  }

  #insertOrder(customer_no: string, ticket_no: string | null, again?: string): void {
    const order_no = again ?? `A${this.#number()}`;
    this.#erp.insertOrder({ order_no, customer_no, ticket_no });
    this.ever.orders.add(order_no);
    this.changes += 1;
  }

  #change(table: ErpTable, key: readonly ErpValue[], values: Record<string, ErpValue>): void {
    this.#erp.change(table, key, values);
    this.changes += 1;
  }

  #payOwed(now: number): void {
    if (this.#showAt !== undefined && this.#showAt <= now) {
      this.#erp.show();
      this.#showAt = undefined;
    }
    for (let at = this.#owed.length - 1; at >= 0; at--)
      if (this.#owed[at]!.at <= now) {
        this.#erp.insertCustomer({ customer_no: this.#owed[at]!.no });
        this.#owed.splice(at, 1);
        this.changes += 1;
      }
  }

  #tags(ticket_no: string): string | null {
    const names = TAGS.filter(() => this.#dice.chance(0.25));
    this.ever.tags.set(ticket_no, new Set([...(this.ever.tags.get(ticket_no) ?? []), ...names]));
    return names.length === 0 ? null : names.join(",");
  }

  #any<Table extends ErpTable>(table: Table): ErpRows[Table] {
    return this.#dice.pick(this.#erp.all(table));
  }

  #number(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** Two contacts of one customer with one name and no address are one and the same for any natural key. */
  #tellTwinsApart(): void {
    for (const row of this.#erp.all("contacts"))
      this.#erp.change("contacts", [row.customer_no, row.contact_no], {
        last_name: `${row.last_name} ${row.contact_no}`,
      });
  }
}

function keyOf(table: ErpTable, row: Record<string, ErpValue>): ErpValue[] {
  switch (table) {
    case "customers":
      return [row["customer_no"]!];
    case "contacts":
      return [row["customer_no"]!, row["contact_no"]!];
    case "tickets":
      return [row["ticket_no"]!];
    case "service_orders":
      return [row["order_no"]!];
  }
}
