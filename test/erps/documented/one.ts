import { isJsonObject, type Clock, type Json, type JsonObject } from "#model";
import { BusinessOne } from "../../sources/odata/server/business-one.ts";
import type { Records } from "../erp.ts";
import { byKey, LocalErp, REFERRED, type LocalProduct } from "./local-erp.ts";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";

/** SAP Business One as its documents describe it. */
export async function startOne(clock: Clock): Promise<LocalErp> {
  return new LocalErp(new One(await BusinessOne.start(clock)));
}

const PRIORITIES: Readonly<Record<string, string>> = { scp_Low: "Low", scp_Medium: "Normal", scp_High: "High" };
const STATUSES: Readonly<Record<string, string>> = { "-3": "Open", "-2": "Waiting", "-1": "Closed" };

class One implements LocalProduct {
  readonly product = "Business One (documented)";
  readonly retired: LocalProduct["retired"] = {
    customer: { customerStatus: "Inactive" },
    svcDocument: { externalReferenceNumber: "Cancelled" },
    ticket: { ticketStatus: "Closed" },
  };
  readonly preset = "businessOne";
  readonly counts = { partners: 30, persons: 40, sites: 40, calls: 30, orders: 30 };
  readonly environment: LocalProduct["environment"];
  readonly #server: BusinessOne;

  constructor(server: BusinessOne) {
    this.#server = server;
    this.environment = server.environment;
  }

  add(kind: string, at: number): void {
    const { partners, serviceCalls, orders } = this.#server;
    const CardCode = codeOf(at % REFERRED);
    if (kind === "partners")
      partners.put({
        ...newPartner(at),
        ...this.#server.stamp("CreateDate", "CreateTime"),
        UpdateDate: null,
        UpdateTime: null,
      });
    if (kind === "persons") this.#within(CardCode, "ContactEmployees", (list) => [...list, newPerson(CardCode, at)]);
    if (kind === "sites") this.#within(CardCode, "BPAddresses", (list) => [...list, newSite(CardCode, at)]);
    if (kind === "calls")
      serviceCalls.put({
        ServiceCallID: at + 1,
        Subject: `Pumpe ${at}`,
        Description: "leckt",
        CustomerCode: CardCode,
        ContactCode: at % 3 === 0 ? 0 : at % REFERRED,
        Priority: "scp_Medium",
        Status: -3,
        ...this.#server.stamp("CreationDate"),
        ...this.#server.stamp("UpdateDate", "UpdatedTime"),
      });
    if (kind === "orders")
      orders.put({
        DocEntry: at + 1,
        DocNum: 500 + at,
        CardCode,
        ContactPersonCode: null,
        NumAtCard: `PO-${at}`,
        DocumentStatus: "bost_Open",
        Cancelled: "tNO",
        ...this.#server.stamp("CreationDate"),
        ...this.#server.stamp("UpdateDate", "UpdateTime"),
      });
  }

  edit(kind: string, at: number, round: number): void {
    const { partners, serviceCalls, orders } = this.#server;
    if (kind === "partners")
      partners.edit(codeOf(at), {
        CardName: `Umbenannt ${at}.${round} GmbH`,
        Frozen: round % 2 === 0 ? "tYES" : "tNO",
        ...this.#changed(),
      });
    if (kind === "persons") this.#member("ContactEmployees", at, { E_Mail: `neu${at}.${round}@example.org` });
    if (kind === "sites") this.#member("BPAddresses", at, { City: `Ulm ${round}` });
    if (kind === "calls")
      serviceCalls.edit(String(at + 1), {
        Status: -1,
        Priority: "scp_High",
        ...this.#server.stamp("UpdateDate", "UpdatedTime"),
      });
    if (kind === "orders") orders.edit(String(at + 1), { NumAtCard: `PO-${at}-${round}`, ...this.#changed() });
  }

  remove(kind: string, at: number): void {
    const { partners, serviceCalls, orders } = this.#server;
    if (kind === "partners") partners.remove(codeOf(at));
    if (kind === "persons")
      this.#within(codeOf(at % REFERRED), "ContactEmployees", (list) => list.filter((one) => !isMember(one, at)));
    if (kind === "sites")
      this.#within(codeOf(at % REFERRED), "BPAddresses", (list) => list.filter((one) => !isMember(one, at)));
    if (kind === "calls") serviceCalls.remove(String(at + 1));
    // An order is never deleted, but cancelled.
    if (kind === "orders")
      orders.edit(String(at + 1), { Cancelled: "tYES", DocumentStatus: "bost_Close", ...this.#changed() });
  }

  hide(kind: string, at: readonly number[]): void {
    const { partners, serviceCalls, orders } = this.#server;
    if (kind === "partners") partners.hide(...at.map(codeOf));
    if (kind === "calls") serviceCalls.hide(...at.map((one) => String(one + 1)));
    if (kind === "orders") orders.hide(...at.map((one) => String(one + 1)));
  }

  showAll(): void {
    const { partners, serviceCalls, orders } = this.#server;
    for (const table of [partners, serviceCalls, orders]) table.show();
  }

  begin(at: number, CardName: string): () => void {
    const stamp = this.#changed();
    return () => this.#server.partners.edit(codeOf(at), { CardName, ...stamp });
  }

  records(): Records {
    const partners = this.#server.partners.list();
    const members = (list: string) => partners.flatMap((row) => listOf(row, list));
    const names = new Map(
      members("ContactEmployees").map((row) => [
        `${jsonText(row["CardCode"])} ${jsonText(row["InternalCode"])}`,
        row["Name"]!,
      ]),
    );
    return {
      customer: byKey(partners, ["CardCode"], (row) => ({
        customerId: row["CardCode"]!,
        name: row["CardName"]!,
        shortName: row["CardForeignName"]!,
        customerStatus: row["Frozen"] === "tYES" ? "Inactive" : "Active",
      })),
      customerLocation: byKey(members("BPAddresses"), ["BPCode", "AddressName"], (row) => ({
        customer: row["BPCode"]!,
        name: row["AddressName"]!,
        street: `${jsonText(row["Street"])} ${jsonText(row["StreetNo"])}`,
        zipcode: row["ZipCode"]!,
        city: row["City"]!,
      })),
      customerContact: byKey(members("ContactEmployees"), ["InternalCode"], (row) => ({
        customer: row["CardCode"]!,
        name: `${jsonText(row["FirstName"])} ${jsonText(row["LastName"])}`,
        email: row["E_Mail"]!,
        telephone: row["Phone1"]!,
        mobile: row["MobilePhone"]!,
        gender: "FEMALE",
      })),
      ticket: byKey(this.#server.serviceCalls.list(), ["ServiceCallID"], (row) => ({
        erpReferenceNumber: jsonText(row["ServiceCallID"]),
        customer: row["CustomerCode"]!,
        customerContact: contactName(names, row),
        description: `${jsonText(row["Subject"])}\n\n${jsonText(row["Description"])}`,
        priority: PRIORITIES[jsonText(row["Priority"])]!,
        ticketStatus: STATUSES[jsonText(row["Status"])]!,
      })),
      svcDocument: byKey(this.#server.orders.list(), ["DocEntry"], (row) => ({
        erpReferenceNumber: jsonText(row["DocNum"]),
        customer: row["CardCode"]!,
        referenceNumber: row["NumAtCard"]!,
        externalReferenceNumber: row["Cancelled"] === "tYES" ? "Cancelled" : "Open",
      })),
    };
  }

  deny(isDenied: boolean): void {
    if (isDenied) this.#server.denied.add("BusinessPartners");
    else this.#server.denied.clear();
  }

  setPassword(isRight: boolean): void {
    this.#server.password = isRight ? "Geheim1!" : "another";
    this.#server.endSessions();
  }

  refusedLogins(): number {
    return this.#server.refusedLogins;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #changed(): JsonObject {
    return this.#server.stamp("UpdateDate", "UpdateTime");
  }

  #member(list: string, at: number, fields: JsonObject): void {
    this.#within(codeOf(at % REFERRED), list, (members) =>
      members.map((one) => (isMember(one, at) ? { ...one, ...fields } : one)),
    );
  }

  /** A write to a collection is a write of its partner, and moves the partner's stamp. */
  #within(code: string, list: string, change: (members: readonly JsonObject[]) => readonly JsonObject[]): void {
    const row = this.#server.partners.get(code);
    this.#server.partners.edit(code, { [list]: [...change(listOf(row, list))], ...this.#changed() });
  }
}

function contactName(names: ReadonlyMap<string, Json>, row: JsonObject): Json {
  const code = jsonText(row["ContactCode"]);
  return names.has(`${jsonText(row["CustomerCode"])} ${code}`) && code !== "0" ? `Änne Person${code}` : null;
}

function listOf(row: JsonObject, name: string): readonly JsonObject[] {
  const list = row[name];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function isMember(member: JsonObject, at: number): boolean {
  return member["InternalCode"] === at || member["AddressName"] === `Werk ${at}`;
}

function codeOf(at: number): string {
  return `K${String(at).padStart(4, "0")}`;
}

function newPartner(at: number): JsonObject {
  return {
    CardCode: codeOf(at),
    CardName: `Muster ${at} AG`,
    CardForeignName: `MUSTER${at}`,
    CardType: "cCustomer",
    Frozen: "tNO",
    Notes: null,
    Phone1: `0228 ${at}`,
    Cellular: null,
    EmailAddress: null,
    Website: null,
    FederalTaxID: `DE${at}`,
    ContactEmployees: [],
    BPAddresses: [],
  };
}

function newPerson(CardCode: string, at: number): JsonObject {
  return {
    CardCode,
    InternalCode: at,
    Name: `Person${at}`,
    FirstName: "Änne",
    LastName: `Person${at}`,
    E_Mail: `person${at}@example.org`,
    Phone1: `0228 ${at}`,
    MobilePhone: `0170 ${at}`,
    Fax: null,
    Gender: "gt_Female",
    Active: "tYES",
  };
}

function newSite(BPCode: string, at: number): JsonObject {
  return {
    BPCode,
    RowNum: at,
    AddressType: "bo_ShipTo",
    AddressName: `Werk ${at}`,
    Street: "Hauptstr.",
    StreetNo: `${at}`,
    ZipCode: "53111",
    City: "Bonn",
  };
}
