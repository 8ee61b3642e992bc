import type { Clock, JsonObject } from "#model";
import { S4Hana } from "../../sources/odata/server/s4hana.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";

/** S/4HANA as its documents describe it. */
export async function startHana(clock: Clock): Promise<LocalErp> {
  return new LocalErp(new Hana(await S4Hana.start(clock)));
}

const numbers: Readonly<Record<string, number>> = { partners: 1_000_100, addresses: 20_000, orders: 8_000_000 };

class Hana implements LocalProduct {
  readonly product = "S/4HANA (documented)";
  readonly retired: LocalProduct["retired"] = { customer: { customerStatus: "Inactive" } };
  readonly preset = "s4hana";
  readonly counts = { partners: 30, addresses: 40, orders: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #server: S4Hana;

  constructor(server: S4Hana) {
    this.#server = server;
    this.environment = server.environment;
  }

  add(kind: string, at: number): void {
    const { partners, customers, addresses, serviceOrders } = this.#server;
    const key = keyOf(kind, at);
    const partner = keyOf("partners", at % REFERRED);
    if (kind === "partners") {
      // Partners are entered without a stamp of change.
      partners.put({
        ...newPartner(key, at),
        ...this.#server.stamp("Creation"),
        LastChangeDate: null,
        LastChangeTime: "00:00:00",
      });
      customers.put({
        Customer: key,
        VATRegistration: `DE${at}`,
        OrderIsBlockedForCustomer: "",
        DeletionIndicator: false,
      });
    }
    if (kind === "addresses")
      addresses.put({
        BusinessPartner: partner,
        AddressID: key,
        StreetName: "Hauptstr.",
        // One house has a name instead of a number.
        HouseNumber: at === 7 ? "" : `${at}`,
        PostalCode: "53111",
        CityName: "Bonn",
      });
    if (kind === "orders")
      serviceOrders.put({
        ServiceOrder: key,
        ServiceOrderDescription: `Wartung ${at}`,
        SoldToParty: partner,
        PurchaseOrderByCustomer: `PO-${at}`,
        ServiceDocChangedDateTime: this.#server.instant(),
      });
  }

  edit(kind: string, at: number, round: number): void {
    const key = keyOf(kind, at);
    const { partners, addresses, serviceOrders } = this.#server;
    if (kind === "partners")
      partners.edit(key, {
        BusinessPartnerFullName: `Umbenannt ${at}.${round} GmbH`,
        BusinessPartnerIsBlocked: round % 2 === 0,
        ...this.#server.stamp("LastChange"),
      });
    // The partner's stamp does not move.
    if (kind === "addresses") addresses.edit(key, { CityName: `Ulm ${round}` });
    if (kind === "orders")
      serviceOrders.edit(key, {
        PurchaseOrderByCustomer: `PO-${at}-${round}`,
        ServiceDocChangedDateTime: this.#server.instant(),
      });
  }

  /** Partners and orders are never removed: a partner is marked. */
  remove(kind: string, at: number): void {
    if (kind === "partners")
      this.#server.partners.edit(keyOf(kind, at), { IsMarkedForArchiving: true, ...this.#server.stamp("LastChange") });
    if (kind === "addresses") this.#server.addresses.remove(keyOf(kind, at));
  }

  hide(kind: string, at: readonly number[]): void {
    this.#table(kind).hide(...at.map((one) => keyOf(kind, one)));
  }

  showAll(): void {
    for (const kind of Object.keys(this.counts)) this.#table(kind).show();
  }

  begin(at: number, BusinessPartnerFullName: string): () => void {
    const stamp = this.#server.stamp("LastChange");
    return () => this.#server.partners.edit(keyOf("partners", at), { BusinessPartnerFullName, ...stamp });
  }

  records(): Records {
    const { partners, addresses, serviceOrders } = this.#server;
    const shown = new Set(partners.list().map((row) => row["BusinessPartner"]));
    return {
      customer: byKey(partners.list(), ["BusinessPartner"], (row) => ({
        customerId: row["Customer"]!,
        name: row["BusinessPartnerFullName"]!,
        shortName: row["SearchTerm1"]!,
        customerStatus:
          row["BusinessPartnerIsBlocked"] === true || row["IsMarkedForArchiving"] === true ? "Inactive" : "Active",
      })),
      customerLocation: byKey(
        addresses.list().filter((row) => shown.has(row["BusinessPartner"])),
        ["AddressID"],
        (row) => ({
          customer: row["BusinessPartner"]!,
          name: `${streetOf(row)}, ${jsonText(row["CityName"])}`,
          street: streetOf(row),
          zipcode: row["PostalCode"]!,
          city: row["CityName"]!,
        }),
      ),
      svcDocument: byKey(serviceOrders.list(), ["ServiceOrder"], (row) => ({
        erpReferenceNumber: row["ServiceOrder"]!,
        customer: row["SoldToParty"]!,
        referenceNumber: row["PurchaseOrderByCustomer"]!,
        externalReferenceNumber: row["ServiceOrderDescription"]!,
      })),
    };
  }

  deny(isDenied: boolean): void {
    if (isDenied) this.#server.denied.add("API_BUSINESS_PARTNER");
    else this.#server.denied.clear();
  }

  setPassword(isRight: boolean): void {
    this.#server.password = isRight ? "Geheim123" : "another";
  }

  refusedLogins(): number {
    return this.#server.refusedLogins;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #table(kind: string) {
    const { partners, addresses, serviceOrders } = this.#server;
    return kind === "partners" ? partners : kind === "addresses" ? addresses : serviceOrders;
  }
}

function streetOf(row: JsonObject): string {
  return row["HouseNumber"] === "" ? "Hauptstr." : `Hauptstr. ${jsonText(row["HouseNumber"])}`;
}

function keyOf(kind: string, at: number): string {
  return String(numbers[kind]! + at);
}

function newPartner(key: string, at: number): JsonObject {
  return {
    BusinessPartner: key,
    Customer: key,
    BusinessPartnerCategory: "2",
    BusinessPartnerFullName: `Muster ${at} AG`,
    SearchTerm1: `MUSTER${at}`,
    Language: "DE",
    BusinessPartnerIsBlocked: false,
    IsMarkedForArchiving: false,
  };
}
