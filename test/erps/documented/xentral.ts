import { isJsonObject, type Clock, type JsonObject } from "#model";
import { jsonText, valueAt } from "../../../src/sources/wire/stamps/values.ts";
import { startWebServer, type WebServer } from "../../kit/http.ts";
import { XentralInstance } from "../../sources/rest/products/xentral/instance.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";

/** Xentral as its documents describe it. */
export async function startXentral(clock: Clock): Promise<LocalErp> {
  const xentral = new XentralInstance(() => clock.now());
  const server = await startWebServer((asked) => {
    const told = xentral.answer(asked);
    return { ...told, headers: { date: new Date(clock.now()).toUTCString(), ...told.headers } };
  });
  return new LocalErp(new Xentral(xentral, server, clock));
}

class Xentral implements LocalProduct {
  readonly product = "Xentral (documented)";
  readonly retired: LocalProduct["retired"] = {
    customer: { customerStatus: "Inactive" },
    svcDocument: { externalReferenceNumber: "cancelled" },
  };
  readonly preset = "xentral";
  readonly counts = { customers: 30, persons: 40, orders: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #xentral: XentralInstance;
  readonly #server: WebServer;
  readonly #clock: Clock;

  constructor(xentral: XentralInstance, server: WebServer, clock: Clock) {
    this.#xentral = xentral;
    this.#server = server;
    this.#clock = clock;
    this.environment = { ERP_URL: server.url, ERP_TOKEN: xentral.token };
  }

  add(kind: string, at: number): void {
    if (kind === "customers") this.#xentral.put("customers", newCustomer(at));
    if (kind === "persons") this.#persons(at, (list) => [...list, newPerson(at)]);
    if (kind === "orders")
      this.#xentral.put("salesOrders", {
        id: idOf(at),
        documentNumber: `A${at}`,
        status: "released",
        address: { id: idOf(at % REFERRED) },
        customerNumber: `K${at % REFERRED}`,
        customerOrderNumber: `PO-${at}`,
      });
  }

  edit(kind: string, at: number, round: number): void {
    const id = idOf(at);
    const primaryAddress = { ...addressOf(at), name: `Umbenannt ${at}.${round} GmbH` };
    if (kind === "customers") this.#xentral.put("customers", { id, primaryAddress });
    if (kind === "persons")
      this.#persons(at, (list) =>
        list.map((one) => (one["id"] === `p${at}` ? { ...one, email: `neu${at}.${round}@example.org` } : one)),
      );
    if (kind === "orders") this.#xentral.put("salesOrders", { id, customerOrderNumber: `PO-${at}-${round}` });
  }

  remove(kind: string, at: number): void {
    if (kind === "customers") this.#xentral.remove("customers", idOf(at));
    if (kind === "persons") this.#persons(at, (list) => list.filter((one) => one["id"] !== `p${at}`));
    if (kind === "orders") this.#xentral.put("salesOrders", { id: idOf(at), status: "cancelled" });
  }

  /** Customers and orders have ids of their own, so hiding the one hides the other of the same place. */
  hide(kind: string, at: readonly number[]): void {
    if (kind !== "persons") for (const one of at) this.#xentral.hidden.add(idOf(one));
  }

  showAll(): void {
    this.#xentral.hidden.clear();
  }

  begin(at: number, name: string): () => void {
    const stamp = this.#clock.now();
    return () => {
      this.#xentral.put("customers", { id: idOf(at), primaryAddress: { ...addressOf(at), name } }, { stamp });
    };
  }

  records(): Records {
    const visible = (resource: string) =>
      [...this.#xentral.table(resource).values()].filter((row) => !this.#xentral.hidden.has(jsonText(row["id"])));
    const customers = visible("customers");
    const members = (list: string) =>
      customers.flatMap((row) => listOf(row, list).map((one): JsonObject => ({ ...one, of: row["number"] ?? null })));
    return {
      customer: byKey(customers, ["id"], (row) => ({
        customerId: row["number"]!,
        name: valueAt(row, "primaryAddress.name") ?? null,
        shortName: valueAt(row, "primaryAddress.department") ?? null,
        customerStatus: "Active",
      })),
      customerLocation: byKey(members("deliveryAddresses"), ["of", "id"], (row) => ({
        customer: row["of"] ?? null,
        name: row["name"]!,
        street: row["street"]!,
        zipcode: row["zipCode"]!,
        city: row["city"]!,
      })),
      customerContact: byKey(members("contactPersons"), ["of", "id"], (row) => ({
        customer: row["of"] ?? null,
        name: row["name"]!,
        email: row["email"]!,
        mobile: row["mobile"]!,
        gender: "FEMALE",
      })),
      svcDocument: byKey(visible("salesOrders"), ["id"], (row) => ({
        erpReferenceNumber: row["documentNumber"]!,
        customer: row["customerNumber"]!,
        referenceNumber: row["customerOrderNumber"]!,
        externalReferenceNumber: row["status"]!,
      })),
    };
  }

  deny(isDenied: boolean): void {
    this.#xentral.scopes = isDenied ? ["salesOrder:read"] : ["customer:read", "salesOrder:read"];
  }

  setPassword(isRight: boolean): void {
    this.#xentral.token = isRight ? "pat" : "another";
  }

  refusedLogins(): number {
    return this.#xentral.refused;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** A customer's stamp does not move with its contact persons. */
  #persons(at: number, change: (list: readonly JsonObject[]) => JsonObject[]): void {
    const id = idOf(at % REFERRED);
    const contactPersons = change(listOf(this.#xentral.table("customers").get(id)!, "contactPersons"));
    this.#xentral.put("customers", { id, contactPersons }, { touched: false });
  }
}

function listOf(row: JsonObject, name: string): JsonObject[] {
  const list = row[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function idOf(at: number): string {
  return String(at + 1);
}

function addressOf(at: number): JsonObject {
  return {
    name: `Muster ${at} AG`,
    department: `Abteilung ${at}`,
    subDepartment: null,
    street: "Hauptstr. 1",
    country: "DE",
  };
}

function newCustomer(at: number): JsonObject {
  const site = { id: `d${at}`, name: `Werk ${at}`, street: `Hauptstr. ${at}`, zipCode: "53111", city: "Bonn" };
  return {
    id: idOf(at),
    number: `K${at}`,
    primaryAddress: addressOf(at),
    notes: null,
    communication: { language: "DE" },
    financials: { tax: { vatId: `DE${at}` } },
    fulfillment: { deliveryBlock: false, deliveryBlockReason: null },
    contactPersons: [],
    deliveryAddresses: [site],
  };
}

function newPerson(at: number): JsonObject {
  const reached = { email: `person${at}@example.org`, phone: null, mobile: `0170 ${at}`, fax: null };
  return { id: `p${at}`, name: `Änne Person${at}`, type: "mrs", ...reached, contactPersonDetails: { position: null } };
}
