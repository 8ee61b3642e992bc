import { isJsonObject, type Clock, type Json, type JsonObject } from "#model";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { startWebServer, type WebServer } from "../../kit/http.ts";
import { WeclappTenant } from "../../sources/rest/products/weclapp/tenant.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";

/** weclapp as its documents describe it. */
export async function startWeclapp(clock: Clock): Promise<LocalErp> {
  const tenant = new WeclappTenant(() => clock.now());
  const server = await startWebServer((asked) => {
    const told = tenant.answer(asked);
    return { ...told, headers: { date: new Date(clock.now()).toUTCString(), ...told.headers } };
  });
  return new LocalErp(new Weclapp(tenant, server));
}

const ENTITIES: Readonly<Record<string, string>> = {
  companies: "party",
  persons: "party",
  tickets: "ticket",
  orders: "salesOrder",
};
const OPEN = "1";
const CLOSED = "2";
/** Ids of records by their place: below them are those of statuses. */
const FIRST: Readonly<Record<string, number>> = { companies: 10_000, persons: 20_000, tickets: 30_000, orders: 40_000 };

class Weclapp implements LocalProduct {
  readonly product = "weclapp (documented)";
  readonly retired: LocalProduct["retired"] = {
    customer: { customerStatus: "Inactive" },
    svcDocument: { externalReferenceNumber: "CANCELLED" },
    ticket: { ticketStatus: "Closed" },
  };
  readonly preset = "weclapp";
  readonly counts = { companies: 30, persons: 40, tickets: 30, orders: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #tenant: WeclappTenant;
  readonly #server: WebServer;

  constructor(tenant: WeclappTenant, server: WebServer) {
    this.#tenant = tenant;
    this.#server = server;
    this.environment = { ERP_URL: `${server.url}/webapp/api/v2/`, ERP_TOKEN: tenant.token };
    tenant.put("ticketStatus", { id: OPEN, name: "Neu", internalTicketStatus: "UNASSIGNED" });
    tenant.put("ticketStatus", { id: CLOSED, name: "Fertig", internalTicketStatus: "CLOSED" });
  }

  add(kind: string, at: number): void {
    const id = idOf(kind, at);
    const partyId = idOf("companies", at % REFERRED);
    if (kind === "companies") this.#tenant.put("party", newCompany(id, at));
    if (kind === "persons") {
      this.#tenant.put("party", newPerson(id, at));
      this.#contacts(partyId, (list) => [...list, { id }]);
    }
    if (kind === "tickets")
      this.#tenant.put("ticket", {
        id,
        ticketNumber: `T${at}`,
        subject: `Pumpe ${at}`,
        description: "<p>leckt</p>",
        isTemplate: false,
        partyId,
        contactId: at % 3 === 0 ? null : idOf("persons", at % REFERRED),
        ticketStatusId: OPEN,
      });
    if (kind === "orders")
      this.#tenant.put("salesOrder", {
        id,
        orderNumber: `A${at}`,
        template: false,
        customerId: partyId,
        commission: `PO-${at}`,
        status: "ORDER_ENTRY_IN_PROGRESS",
      });
  }

  edit(kind: string, at: number, round: number): void {
    const id = idOf(kind, at);
    if (kind === "companies")
      this.#tenant.put("party", { id, company: `Umbenannt ${at}.${round} GmbH`, customerBlocked: round % 2 === 0 });
    if (kind === "persons") this.#tenant.put("party", { id, email: `neu${at}.${round}@example.org` });
    if (kind === "tickets") this.#tenant.put("ticket", { id, ticketStatusId: CLOSED });
    if (kind === "orders") this.#tenant.put("salesOrder", { id, commission: `PO-${at}-${round}` });
  }

  remove(kind: string, at: number): void {
    const id = idOf(kind, at);
    if (kind === "persons")
      this.#contacts(idOf("companies", at % REFERRED), (list) => list.filter((one) => one["id"] !== id));
    // An order is never deleted, but cancelled.
    if (kind === "orders") this.#tenant.put("salesOrder", { id, status: "CANCELLED" });
    else this.#tenant.remove(ENTITIES[kind]!, id);
  }

  hide(kind: string, at: readonly number[]): void {
    if (kind !== "persons") for (const one of at) this.#tenant.hidden.add(idOf(kind, one));
  }

  showAll(): void {
    this.#tenant.hidden.clear();
  }

  begin(at: number, company: string): () => void {
    const stamp = this.#tenant.now();
    return () => {
      this.#tenant.put("party", { id: idOf("companies", at), company }, { stamp });
    };
  }

  records(): Records {
    const visible = (entity: string) =>
      [...this.#tenant.table(entity).values()].filter((row) => !this.#tenant.hidden.has(jsonText(row["id"])));
    const companies = visible("party").filter((row) => row["customer"] === true);
    const numbers = new Map(companies.map((row) => [row["id"], row["customerNumber"] ?? null]));
    const persons = this.#tenant.table("party");
    const members = (list: string) =>
      companies.flatMap((row) =>
        listOf(row, list).map((one): JsonObject & { of: Json; company: Json } => ({
          ...one,
          of: row["id"]!,
          company: row["company"]!,
        })),
      );
    const nameOf = (id: Json | undefined): Json => {
      const person = persons.get(jsonText(id));
      return person === undefined ? null : `${jsonText(person["firstName"])} ${jsonText(person["lastName"])}`;
    };
    return {
      customer: byKey(companies, ["id"], (row) => ({
        customerId: row["customerNumber"]!,
        name: row["company"]!,
        shortName: row["company2"]!,
        customerStatus: row["customerBlocked"] === true ? "Inactive" : "Active",
      })),
      customerLocation: byKey(
        members("addresses").filter((one) => one["deliveryAddress"] === true),
        ["of", "id"],
        (row) => ({
          customer: numbers.get(row.of)!,
          name: `${jsonText(row.company)}, Bonn`,
          street: row["street1"]!,
          zipcode: "53111",
          city: "Bonn",
        }),
      ),
      customerContact: byKey(members("contacts"), ["of", "id"], (row) => {
        const { email = null, phone = null, mobilePhone1 = null } = persons.get(jsonText(row["id"])) ?? {};
        const reached = { email, telephone: phone, mobile: mobilePhone1 };
        return { customer: numbers.get(row.of)!, name: nameOf(row["id"]), ...reached, gender: "FEMALE" };
      }),
      ticket: byKey(visible("ticket"), ["id"], (row) => ({
        erpReferenceNumber: row["ticketNumber"]!,
        customer: numbers.get(row["partyId"])!,
        customerContact: nameOf(row["contactId"]),
        description: `${jsonText(row["subject"])}\n\nleckt`,
        priority: "Normal",
        ticketStatus: row["ticketStatusId"] === CLOSED ? "Closed" : "Open",
      })),
      svcDocument: byKey(visible("salesOrder"), ["id"], (row) => ({
        erpReferenceNumber: row["orderNumber"]!,
        customer: numbers.get(row["customerId"])!,
        referenceNumber: row["commission"]!,
        externalReferenceNumber: row["status"]!,
      })),
    };
  }

  deny(isDenied: boolean): void {
    if (isDenied) this.#tenant.forbidden.add("party");
    else this.#tenant.forbidden.clear();
  }

  setPassword(isRight: boolean): void {
    this.#tenant.token = isRight ? "t0ken" : "newer";
  }

  refusedLogins(): number {
    return this.#tenant.refused;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** Nothing says that a company's stamp moves with its list of contacts. */
  #contacts(id: string, change: (list: readonly JsonObject[]) => JsonObject[]): void {
    const company = this.#tenant.table("party").get(id)!;
    const stamp = Number(company["lastModifiedDate"]);
    this.#tenant.put("party", { id, contacts: change(listOf(company, "contacts")) }, { stamp });
  }
}

function listOf(row: JsonObject, name: string): JsonObject[] {
  const list = row[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function idOf(kind: string, at: number): string {
  return String(FIRST[kind]! + at);
}

function newCompany(id: string, at: number): JsonObject {
  const address = { city: "Bonn", zipcode: "53111", company: null, street2: null };
  return {
    id,
    partyType: "ORGANIZATION",
    customer: true,
    customerNumber: `K${at}`,
    company: `Muster ${at} AG`,
    company2: `Abteilung ${at}`,
    customerBlocked: false,
    vatIdentificationNumber: `DE${at}`,
    contacts: [],
    addresses: [
      { ...address, id: `${id}1`, street1: `Hauptstr. ${at}`, deliveryAddress: true },
      { ...address, id: `${id}2`, street1: "Postfach", deliveryAddress: false },
    ].filter(({ deliveryAddress }) => deliveryAddress || at % 2 === 0),
  };
}

/** Without a mobile number: weclapp leaves nulls out of what it refers to. */
function newPerson(id: string, at: number): JsonObject {
  const name = { firstName: "Änne", lastName: `Person${at}`, salutation: "MRS" };
  const mobile = at % 2 === 0 ? {} : { mobilePhone1: `0170 ${at}` };
  return {
    id,
    partyType: "PERSON",
    customer: false,
    ...name,
    email: `person${at}@example.org`,
    phone: `0228 ${at}`,
    ...mobile,
  };
}
