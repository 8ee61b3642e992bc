import type { Clock, Json, JsonObject } from "#model";
import { startWebServer, type Asked, type Told, type WebServer } from "../../../kit/http.ts";
import { foundRows, queryOf, shown, type EntitySet } from "./entity-set.ts";
import { metadata } from "./metadata.ts";
import { QueryFault } from "./query-fault.ts";
import { ADDRESS, BUSINESS_PARTNER, CUSTOMER, SERVICE_ORDER } from "./s4hana-types.ts";
import { Table } from "./table.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

const ROOT = "/sap/opu/odata/sap/";
const OPTIONS = ["$filter", "$orderby", "$select", "$expand", "$skip", "$top", "$inlinecount", "$format", "$skiptoken"];
const SERVICES = ["API_BUSINESS_PARTNER", "API_SERVICE_ORDER_SRV"] as const;

/** SAP S/4HANA's gateway with two OData v2 services: `behaviours/s4hana.ts` names how it answers, and where that is documented. */
export class S4Hana implements AsyncDisposable {
  readonly partners = new Table("BusinessPartner");
  readonly customers = new Table("Customer");
  readonly addresses = new Table("AddressID");
  readonly serviceOrders = new Table("ServiceOrder");
  password = "Geheim123";
  /** Services that the communication user may not use. */
  readonly denied = new Set<string>();
  /** Entities per page, where the server pages. */
  pageLimit = Number.POSITIVE_INFINITY;
  refusedLogins = 0;
  readonly zone: string;
  readonly #clock: Clock;
  #server: WebServer | undefined;

  private constructor(clock: Clock, zone: string) {
    this.#clock = clock;
    this.zone = zone;
  }

  /** `zone` is that of the application server. */
  static async start(clock: Clock, zone = "Europe/Berlin"): Promise<S4Hana> {
    const hana = new S4Hana(clock, zone);
    hana.#server = await startWebServer((asked) => {
      const told = hana.#told(asked);
      return { ...told, headers: { date: new Date(clock.now()).toUTCString(), ...told.headers } };
    });
    return hana;
  }

  get server(): WebServer {
    return this.#server!;
  }

  get environment(): Readonly<Record<string, string>> {
    return { ERP_URL: this.server.url, ERP_USER: "SVCSYNC", ERP_PASSWORD: "Geheim123" };
  }

  /** The date and the time of day of a change, on the application server's clock. */
  stamp(prefix: "LastChange" | "Creation"): JsonObject {
    const local = new Date(this.#clock.now()).toLocaleString("sv-SE", { timeZone: this.zone });
    const [day = "", time = ""] = local.split(" ");
    return { [`${prefix}Date`]: `${day}T00:00:00`, [`${prefix}Time`]: time };
  }

  /** An instant with a zone, as documents carry it. */
  instant(): string {
    return new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  }

  opens(password: string): boolean {
    return password === this.password;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #told(asked: Asked): Told {
    const proof = `Basic ${Buffer.from(`SVCSYNC:${this.password}`).toString("base64")}`;
    if (asked.headers.authorization !== proof) {
      this.refusedLogins++;
      return {
        status: 401,
        headers: { "www-authenticate": 'Basic realm="SAP NetWeaver Application Server [S4H/100]"' },
        body: "<html><head><title>Logon Error Message</title></head><body><h1>Anmeldung fehlgeschlagen</h1></body></html>",
      };
    }
    const [service = "", ...rest] = asked.path.startsWith(ROOT) ? asked.path.slice(ROOT.length).split("/") : [];
    const known = SERVICES.find((one) => one === service);
    if (known === undefined)
      return fault(404, "/IWFND/MED/170", `No service found for namespace '', name '${service}', version '0001'`);
    if (this.denied.has(service))
      return fault(403, "/IWFND/CM_CONSUMER/101", `No authorization to access Service '${service}'`);
    return this.#service(known, rest.join("/"), asked);
  }

  #service(service: (typeof SERVICES)[number], place: string, asked: Asked): Told {
    const sets = service === "API_BUSINESS_PARTNER" ? this.#partnerSets() : this.#orderSets();
    if (place === "$metadata") {
      if (/json/.test(String(asked.headers.accept)))
        return fault(400, BAD_OPTION, "Invalid system query options value");
      return { body: metadata(service, sets, "v2"), headers: { "content-type": "application/xml" } };
    }
    const [, name = "", key, counted] = /^(\w+)(?:\('([^']*)'\))?(\/\$count)?$/.exec(place) ?? [];
    const set = sets.find((one) => one.name === name);
    if (set === undefined) return fault(404, "/IWFND/CM_MGW/096", `Resource not found for the segment '${name}'.`);
    try {
      if (key === undefined) return this.#listed(service, set, asked, counted !== undefined);
      const row = set.rows().find((one) => one[set.keys[0]!] === key);
      if (row === undefined) return fault(404, "/IWBEP/CM_MGW_RT/020", `Resource not found for segment '${set.type}'`);
      return { body: { d: wired(service, set, row, queryOf(set, asked.query, OPTIONS)) } };
    } catch (thrown) {
      if (thrown instanceof QueryFault) return faultOf(thrown, service, set);
      throw thrown;
    }
  }

  #listed(service: string, set: EntitySet, { query: asked, path }: Asked, isCount: boolean): Told {
    const query = queryOf(set, asked, OPTIONS);
    const found = foundRows(set, query, { version: "v2", types: set.types });
    if (isCount) return { body: String(found.length), headers: { "content-type": "text/plain" } };
    const start = Number(asked.get("$skiptoken") ?? query.skip);
    const wanted = found.slice(start, query.top === undefined ? undefined : start + query.top);
    const rows = wanted.slice(0, this.pageLimit);
    const link = new URLSearchParams(asked);
    link.set("$skiptoken", String(start + rows.length));
    return {
      body: {
        d: {
          ...(asked.get("$inlinecount") === "allpages" && { __count: String(found.length) }),
          results: rows.map((row) => wired(service, set, row, query)),
          ...(rows.length < wanted.length && { __next: `https://s4.internal.example${path}?${link.toString()}` }),
        },
      },
    };
  }

  #partnerSets(): EntitySet[] {
    const addresses = (row: JsonObject) =>
      this.addresses.list().filter((address) => address["BusinessPartner"] === row["BusinessPartner"]);
    const customer = (row: JsonObject): Json => {
      const own = this.customers.list().find((one) => one["Customer"] === row["Customer"]);
      return own === undefined ? null : onWire(CUSTOMER, own);
    };
    return [
      {
        name: "A_BusinessPartner",
        type: "A_BusinessPartnerType",
        keys: ["BusinessPartner"],
        types: BUSINESS_PARTNER,
        navigation: {
          to_Customer: customer,
          to_BusinessPartnerAddress: (row) => ({ results: addresses(row).map((one) => onWire(ADDRESS, one)) }),
        },
        rows: () => this.partners.list(),
      },
      {
        name: "A_Customer",
        type: "A_CustomerType",
        keys: ["Customer"],
        types: CUSTOMER,
        rows: () => this.customers.list(),
      },
      {
        name: "A_BusinessPartnerAddress",
        type: "A_BusinessPartnerAddressType",
        keys: ["BusinessPartner", "AddressID"],
        types: ADDRESS,
        rows: () => this.addresses.list(),
      },
    ];
  }

  #orderSets(): EntitySet[] {
    const rows = () => this.serviceOrders.list();
    return [{ name: "A_ServiceOrder", type: "A_ServiceOrderType", keys: ["ServiceOrder"], types: SERVICE_ORDER, rows }];
  }
}

const BAD_OPTION = "005056A509B11EE1B9A8FEC11C21D78E";
const BAD_TYPE = "005056A509B11EE1BB8AF4A65EC3CA20";

function wired(service: string, set: EntitySet, row: JsonObject, query: Parameters<typeof shown>[2]): JsonObject {
  const id = `https://s4.internal.example${ROOT}${service}/${set.name}('${jsonText(row[set.keys[0]!])}')`;
  const expanded = new Set(query.expand.map(({ name }) => name));
  const links = Object.keys(set.navigation ?? {})
    .filter((name) => !expanded.has(name) && (query.select === undefined || query.select.includes(name)))
    .map((name) => [name, { __deferred: { uri: `${id}/${name}` } }] as const);
  const linked = [...expanded].map((name) => [name, set.navigation![name]!(row)] as const);
  const own = shown(set, onWire(set.types, row), { ...query, expand: [] });
  return {
    __metadata: { id, uri: id, type: `${service}.${set.type}`, etag: `W/"'${jsonText(row["ETag"] ?? "")}'"` },
    ...own,
    ...Object.fromEntries([...links, ...linked]),
  };
}

/** Dates as `/Date(ms)/`, instants with an offset, times of day as durations. */
function onWire(types: Readonly<Record<string, string>>, row: JsonObject): JsonObject {
  const own = Object.entries(row).filter(([name]) => name in types);
  return Object.fromEntries(own.map(([name, value]) => [name, wireValue(types[name]!, value)]));
}

function wireValue(type: string, value: Json): Json {
  if (typeof value !== "string") return value;
  if (type === "DateTime") return `/Date(${Date.parse(`${value}Z`)})/`;
  if (type === "DateTimeOffset") return `/Date(${Date.parse(value)}+0000)/`;
  return type === "Time" ? value.replace(/^(\d+):(\d+):(\d+)$/, "PT$1H$2M$3S") : value;
}

function faultOf({ kind, subject }: QueryFault, service: string, { type }: EntitySet): Told {
  switch (kind) {
    case "property":
      return fault(400, "/IWFND/CM_MGW/098", `Property ${subject} not found in type ${service}.${type}`);
    case "navigation":
      return fault(400, "/IWFND/CM_MGW/098", `Invalid navigation property '${subject}' in $expand`);
    case "type":
      return fault(400, BAD_TYPE, `Invalid parametertype used at function 'eq' (Position: 16)`);
    case "option":
      return fault(400, BAD_OPTION, "Invalid system query options value");
    case "syntax":
    case "mixedOr":
      return fault(400, BAD_TYPE, `Invalid token detected at '${subject}'`);
  }
}

function fault(status: number, code: string, value: string): Told {
  const SAP_Note = "See SAP Note 1797736 for error analysis (https://service.sap.com/sap/support/notes/1797736)";
  const innererror = {
    application: {
      component_id: "LO-MD-BP",
      service_namespace: "/SAP/",
      service_id: "API_BUSINESS_PARTNER",
      service_version: "0001",
    },
    transactionid: "D25C6A8CF4D30020E0067DD0610AFCCA",
    timestamp: "20260302100000.0000000",
    Error_Resolution: { SAP_Transaction: "", SAP_Note },
    errordetails: [{ code, message: value, propertyref: "", severity: "error", target: "" }],
  };
  return { status, body: { error: { code, message: { lang: "en", value }, innererror } } };
}
