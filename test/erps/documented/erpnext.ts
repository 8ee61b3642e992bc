import type { Clock, Json, JsonObject } from "#model";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { startWebServer, type WebServer } from "../../kit/http.ts";
import { FrappeSite } from "../../sources/rest/products/frappe/site.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";

const MICROS_PER_MS = 1000;

/** ERPNext on Frappe 16 as its public source answers, with a user who has roles, not the System Manager's. */
export async function startErpNext(clock: Clock): Promise<LocalErp> {
  const site = new FrappeSite({ version: 16, now: () => clock.now() * MICROS_PER_MS });
  site.roles = ROLES;
  const server = await startWebServer((asked) => {
    const told = site.answer(asked);
    return { ...told, headers: { date: new Date(clock.now()).toUTCString(), ...told.headers } };
  });
  return new LocalErp(new ErpNext(site, server, clock));
}

const ROLES = ["Sales User", "Support Team", "Maintenance User"];
const TYPES: Readonly<Record<string, string>> = {
  customers: "Customer",
  contacts: "Contact",
  sites: "Address",
  issues: "Issue",
  visits: "Maintenance Visit",
};

class ErpNext implements LocalProduct {
  readonly product = "ERPNext (public source)";
  readonly retired: LocalProduct["retired"] = {
    customer: { customerStatus: "Inactive" },
    svcDocument: { externalReferenceNumber: "Cancelled" },
    ticket: { ticketStatus: "Closed" },
  };
  readonly preset = "erpnext";
  readonly counts = { customers: 30, contacts: 40, sites: 30, issues: 30, visits: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #site: FrappeSite;
  readonly #server: WebServer;
  readonly #clock: Clock;
  readonly #hidden = new Map<string, JsonObject>();

  constructor(site: FrappeSite, server: WebServer, clock: Clock) {
    this.#site = site;
    this.#server = server;
    this.#clock = clock;
    this.environment = { ERP_URL: server.url, ERP_KEY: "key", ERP_SECRET: site.secret };
  }

  add(kind: string, at: number): void {
    const customer = nameOf("customers", at % REFERRED);
    const links = (parenttype: string) => [{ link_doctype: "Customer", link_name: customer, parenttype }];
    const rows: Record<string, () => JsonObject> = {
      customers: () => ({
        customer_name: `Muster ${at} AG`,
        disabled: 0,
        is_frozen: 0,
        tax_id: `DE${at}`,
        language: "de",
      }),
      contacts: () => ({ ...newContact(at), links: links("Contact") }),
      sites: () => ({ ...newSite(at), links: links("Address") }),
      issues: () => ({
        customer,
        contact: at % 3 === 0 ? null : nameOf("contacts", at % REFERRED),
        subject: `Pumpe ${at}`,
        description: "<p>leckt</p>",
        priority: "Medium",
        status: "Open",
      }),
      visits: () => ({ customer, contact_person: null, maintenance_type: "Breakdown", docstatus: 1 }),
    };
    this.#site.save(TYPES[kind]!, nameOf(kind, at), rows[kind]!());
  }

  edit(kind: string, at: number, round: number): void {
    const rows: Record<string, JsonObject> = {
      customers: { customer_name: `Umbenannt ${at}.${round} GmbH`, disabled: round % 2 },
      contacts: { email_id: `neu${at}.${round}@example.org` },
      sites: { city: `Ulm ${round}` },
      issues: { status: "Closed", priority: "High" },
      visits: { maintenance_type: "Scheduled" },
    };
    const name = nameOf(kind, at);
    const hidden = this.#hidden.get(name);
    this.#site.save(TYPES[kind]!, name, { ...hidden, ...rows[kind] });
    if (hidden === undefined) return;
    this.#hidden.set(name, this.#site.table(TYPES[kind]!).get(name)!);
    this.#site.table(TYPES[kind]!).delete(name);
  }

  remove(kind: string, at: number): void {
    // A submitted visit is cancelled, never deleted.
    if (kind === "visits") this.#site.save("Maintenance Visit", nameOf(kind, at), { docstatus: 2 });
    else this.#site.remove(TYPES[kind]!, nameOf(kind, at));
  }

  /** As a query of permissions does it, which a hook or a server script adds. */
  hide(kind: string, at: readonly number[]): void {
    const table = this.#site.table(TYPES[kind]!);
    for (const name of at.map((one) => nameOf(kind, one))) {
      this.#hidden.set(name, table.get(name)!);
      table.delete(name);
    }
  }

  showAll(): void {
    for (const [name, row] of this.#hidden) {
      const kind = Object.keys(TYPES).find((one) => name.startsWith(one))!;
      this.#site.table(TYPES[kind]!).set(name, row);
    }
    this.#hidden.clear();
  }

  begin(at: number, customer_name: string): () => void {
    const stamp = this.#clock.now() * MICROS_PER_MS;
    return () => {
      this.#site.save("Customer", nameOf("customers", at), { customer_name }, { stamp });
    };
  }

  records(): Records {
    const all = (kind: string) => [...this.#site.table(TYPES[kind]!).values()];
    const contactNames = new Map(all("contacts").map((row) => [row["name"], row["full_name"]!]));
    return {
      customer: byKey(all("customers"), ["name"], (row) => ({
        customerId: row["name"]!,
        name: row["customer_name"]!,
        customerStatus: row["disabled"] === 1 ? "Inactive" : "Active",
      })),
      customerLocation: byKey(all("sites"), ["name"], (row) => ({
        customer: customerOf(row["address_title"]),
        name: row["address_title"]!,
        street: row["address_line1"]!,
        zipcode: row["pincode"]!,
        city: row["city"]!,
      })),
      customerContact: byKey(all("contacts"), ["name"], (row) => ({
        customer: customerOf(row["full_name"]),
        name: row["full_name"]!,
        email: row["email_id"]!,
        mobile: row["mobile_no"]!,
        gender: "FEMALE",
      })),
      ticket: byKey(all("issues"), ["name"], (row) => ({
        erpReferenceNumber: row["name"]!,
        customer: row["customer"]!,
        customerContact: contactNames.get(row["contact"]) ?? null,
        description: `${jsonText(row["subject"])}\n\nleckt`,
        priority: row["priority"] === "High" ? "High" : "Normal",
        ticketStatus: row["status"]!,
      })),
      svcDocument: byKey(all("visits"), ["name"], (row) => ({
        erpReferenceNumber: row["name"]!,
        customer: row["customer"]!,
        referenceNumber: row["maintenance_type"]!,
        externalReferenceNumber: row["docstatus"] === 2 ? "Cancelled" : "Submitted",
      })),
    };
  }

  deny(isDenied: boolean): void {
    this.#site.roles = isDenied ? ROLES.filter((role) => role !== "Sales User") : ROLES;
  }

  setPassword(isRight: boolean): void {
    this.#site.secret = isRight ? "secret" : "another";
  }

  refusedLogins(): number {
    return this.#site.refused;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

/** The customer of the contact or the site with this name: the place of each is in its name. */
function customerOf(name: Json | undefined): string {
  return nameOf("customers", Number(jsonText(name).split(" ")[1]) % REFERRED);
}

function nameOf(kind: string, at: number): string {
  return `${kind}-${String(at).padStart(4, "0")}`;
}

function newContact(at: number): JsonObject {
  const name = { full_name: `Person ${at}`, first_name: "Person", last_name: String(at), gender: "Female" };
  return { ...name, email_id: `person${at}@example.org`, phone: `0228 ${at}`, mobile_no: `0170 ${at}` };
}

function newSite(at: number): JsonObject {
  const place = { address_line1: `Hauptstr. ${at}`, address_line2: null, pincode: "53111", city: "Bonn" };
  return { address_title: `Werk ${at}`, ...place, is_shipping_address: 1 };
}
