import type { Clock, JsonObject } from "#model";
import { BusinessCentral } from "../../sources/odata/server/business-central.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";

/** Business Central as its documents describe it. */
export async function startCentral(clock: Clock): Promise<LocalErp> {
  return new LocalErp(new Central(await BusinessCentral.start(clock)));
}

class Central implements LocalProduct {
  readonly product = "Business Central (documented)";
  readonly retired: LocalProduct["retired"] = { customer: { customerStatus: "Inactive" } };
  readonly preset = "businessCentral";
  readonly counts = { customers: 30, contacts: 40, orders: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #server: BusinessCentral;
  readonly #ids: Record<string, string[]> = { customers: [], contacts: [], orders: [] };

  constructor(server: BusinessCentral) {
    this.#server = server;
    this.environment = server.environment;
  }

  add(kind: string, at: number): void {
    const { customers, contacts, salesOrders } = this.#server;
    const id = this.#server.newId();
    this.#ids[kind]!.push(id);
    const stamped = { id, lastModifiedDateTime: this.#server.stamp() };
    const customer = () => this.#ids["customers"]![at % REFERRED]!;
    if (kind === "customers") customers.put({ ...stamped, ...newCustomer(at) });
    if (kind === "contacts") contacts.put({ ...stamped, ...newContact(at), "→customer": customer() });
    if (kind === "orders")
      salesOrders.put({
        ...stamped,
        number: `VA${at}`,
        externalDocumentNumber: `PO-${at}`,
        customerId: customer(),
        status: at % 7 === 6 ? "Draft" : "Open",
      });
  }

  edit(kind: string, at: number, round: number): void {
    const fields: Record<string, JsonObject> = {
      customers: { displayName: `Umbenannt ${at}.${round} GmbH`, blocked: round % 2 === 0 ? "All" : "Ship" },
      contacts: { email: `neu${at}.${round}@example.org` },
      orders: { externalDocumentNumber: `PO-${at}-${round}` },
    };
    this.#table(kind).edit(this.#ids[kind]![at]!, { ...fields[kind], lastModifiedDateTime: this.#server.stamp() });
  }

  remove(kind: string, at: number): void {
    this.#table(kind).remove(this.#ids[kind]![at]!);
  }

  hide(kind: string, at: readonly number[]): void {
    this.#table(kind).hide(...at.map((one) => this.#ids[kind]![one]!));
  }

  showAll(): void {
    for (const kind of Object.keys(this.counts)) this.#table(kind).show();
  }

  begin(at: number, displayName: string): () => void {
    const lastModifiedDateTime = this.#server.stamp();
    return () => this.#server.customers.edit(this.#ids["customers"]![at]!, { displayName, lastModifiedDateTime });
  }

  records(): Records {
    const { customers, contacts, salesOrders } = this.#server;
    const numbers = new Map(customers.list().map((row) => [row["id"]!, row["number"]!]));
    return {
      customer: byKey(customers.list(), ["id"], (row) => ({
        customerId: row["number"]!,
        name: row["displayName"]!,
        customerStatus: row["blocked"] === "All" ? "Inactive" : "Active",
      })),
      customerLocation: byKey(customers.list(), ["id"], (row) => ({
        customer: row["number"]!,
        name: row["displayName"]!,
        street: row["addressLine1"]!,
        zipcode: row["postalCode"]!,
        city: row["city"]!,
      })),
      // A contact is shown below its customer alone.
      customerContact: byKey(
        contacts.list().filter((row) => numbers.has(row["→customer"]!)),
        ["id"],
        (row) => ({
          customer: numbers.get(row["→customer"]!)!,
          name: row["displayName"]!,
          email: row["email"]!,
          telephone: row["phoneNumber"]!,
          mobile: row["mobilePhoneNumber"]!,
        }),
      ),
      svcDocument: byKey(
        salesOrders.list().filter((row) => row["status"] !== "Draft"),
        ["id"],
        (row) => ({
          erpReferenceNumber: row["number"]!,
          customer: numbers.get(row["customerId"]!)!,
          referenceNumber: row["externalDocumentNumber"]!,
        }),
      ),
    };
  }

  deny(isDenied: boolean): void {
    if (isDenied) this.#server.denied.set("customers", "18 Customer");
    else this.#server.denied.clear();
  }

  setPassword(isRight: boolean): void {
    this.#server.secret = isRight ? "s3cr3t" : "another";
    this.#server.endSessions();
  }

  refusedLogins(): number {
    return this.#server.refusedLogins;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #table(kind: string) {
    const { customers, contacts, salesOrders } = this.#server;
    return kind === "customers" ? customers : kind === "contacts" ? contacts : salesOrders;
  }
}

function newCustomer(at: number): JsonObject {
  return {
    number: `${10_000 + at}`,
    displayName: `Muster ${at} AG`,
    type: "Company",
    addressLine1: `Hauptstr. ${at}`,
    addressLine2: "",
    postalCode: `53${String(at).padStart(3, "0")}`,
    city: "Bonn",
    phoneNumber: `0228 ${at}`,
    email: "",
    website: "",
    taxRegistrationNumber: `DE${at}`,
    blocked: "_x0020_",
    balanceDue: "0.10",
  };
}

function newContact(at: number): JsonObject {
  return {
    number: `KT${at}`,
    type: "Person",
    displayName: `Änne Person${at}`,
    email: `person${at}@example.org`,
    phoneNumber: `0228 ${at}`,
    mobilePhoneNumber: `0170 ${at}`,
  };
}
