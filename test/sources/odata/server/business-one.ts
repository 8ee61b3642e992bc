import type { Clock, Json, JsonObject } from "#model";
import { startWebServer, type Asked, type Told, type WebServer } from "../../../kit/http.ts";
import { BP_ADDRESS, BUSINESS_PARTNER, CONTACT_EMPLOYEE, DOCUMENT, SERVICE_CALL } from "./business-one-types.ts";
import { foundRows, queryOf, shown, type EntitySet, type Query } from "./entity-set.ts";
import { metadata } from "./metadata.ts";
import { QueryFault } from "./query-fault.ts";
import { Table } from "./table.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

const ROOT = "/b1s/v2/";
const DEFAULT_PAGE = 20;
const IDLE_MS = 30 * 60_000;
const NODES = 4;
const OPTIONS = ["$filter", "$orderby", "$select", "$expand", "$skip", "$top", "$count", "$inlinecount", "$apply"];

/** SAP Business One's Service Layer behind its load balancer: `behaviours/business-one.ts` names how it answers, and who saw it. */
export class BusinessOne implements AsyncDisposable {
  readonly partners = new Table("CardCode");
  readonly serviceCalls = new Table("ServiceCallID");
  readonly orders = new Table("DocEntry");
  password = "Geheim1!";
  /** Entity sets that the user's authorizations do not cover. */
  readonly denied = new Set<string>();
  refusedLogins = 0;
  /** Answers to the next logins that come at once with others. */
  samlFailures = 0;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, { node: string; usedAt: number }>();
  #logins = 0;
  #server: WebServer | undefined;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async start(clock: Clock): Promise<BusinessOne> {
    const one = new BusinessOne(clock);
    one.#server = await startWebServer((asked) => {
      const told = one.#told(asked);
      return { ...told, headers: { date: new Date(clock.now()).toUTCString(), ...told.headers } };
    });
    return one;
  }

  get server(): WebServer {
    return this.#server!;
  }

  get environment(): Readonly<Record<string, string>> {
    const url = `${this.server.url}${ROOT}`;
    return { ERP_URL: url, ERP_COMPANY: "SBODEMODE", ERP_USER: "svcsync", ERP_PASSWORD: "Geheim1!" };
  }

  /** Date and time of day on the server's clock; `time` is the property's name. */
  stamp(date: string, time?: string): JsonObject {
    const local = new Date(this.#clock.now()).toLocaleString("sv-SE", { timeZone: "Europe/Berlin" });
    return { [date]: `${local.slice(0, 10)}T00:00:00Z`, ...(time === undefined ? {} : { [time]: local.slice(11) }) };
  }

  endSessions(): void {
    this.#sessions.clear();
  }

  opens(password: string): boolean {
    return password === this.password;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #told(asked: Asked): Told {
    if (!asked.path.startsWith(ROOT)) return { status: 404, body: "<html><title>404 Not Found</title></html>" };
    const place = asked.path.slice(ROOT.length);
    if (place === "Login") return this.#login(asked);
    const { B1SESSION = "", ROUTEID = "" } = cookies(asked.headers.cookie ?? "");
    const session = this.#sessions.get(B1SESSION);
    const now = this.#clock.now();
    // A session lives on the node that began it: without ROUTEID another node may be asked, which does not know it.
    if (session === undefined || session.node !== ROUTEID || now - session.usedAt > IDLE_MS)
      return fault(401, 301, "Invalid session or session already timeout.");
    session.usedAt = now;
    return this.#entities(place, asked);
  }

  #login({ body }: Asked): Told {
    if (this.samlFailures > 0) {
      this.samlFailures--;
      return fault(500, 299, "SAML Login Failed");
    }
    const { CompanyDB, UserName, Password }: Record<string, string> = JSON.parse(body);
    if (CompanyDB !== "SBODEMODE" || UserName !== "svcsync" || Password !== this.password) {
      this.refusedLogins++;
      return fault(401, CompanyDB === "SBODEMODE" ? -304 : -306, "Fail to NONE-SSO login from SLD.");
    }
    const id = `session-${++this.#logins}`;
    const node = `.node${this.#logins % NODES}`;
    this.#sessions.set(id, { node, usedAt: this.#clock.now() });
    return {
      headers: { "set-cookie": [`B1SESSION=${id}; path=/b1s; HttpOnly`, `ROUTEID=${node}; path=/b1s`] },
      body: {
        "@odata.context": `${ROOT}$metadata#B1Sessions/$entity`,
        SessionId: id,
        Version: "1000340",
        SessionTimeout: 30,
      },
    };
  }

  #entities(place: string, asked: Asked): Told {
    const sets = this.#sets();
    if (place === "$metadata")
      return { body: metadata("SAPB1", sets, "v4"), headers: { "content-type": "application/xml" } };
    const [, name = "", key, counted] = /^(\w+)(?:\(([^)]*)\))?(\/\$count)?$/.exec(place) ?? [];
    const set = sets.find((one) => one.name === name);
    if (set === undefined) return fault(400, -1000, "Service Not Found");
    if (this.denied.has(name)) return fault(403, -5002, "You are not permitted to perform this action");
    try {
      if (key !== undefined) return single(set, key, queryOf(set, asked.query, OPTIONS));
      return listed(set, asked, counted !== undefined);
    } catch (thrown) {
      if (thrown instanceof QueryFault) return faultOf(thrown, set);
      throw thrown;
    }
  }

  #sets(): EntitySet[] {
    return [
      {
        name: "BusinessPartners",
        type: "BusinessPartner",
        keys: ["CardCode"],
        types: BUSINESS_PARTNER,
        complex: { ContactEmployees: CONTACT_EMPLOYEE, BPAddresses: BP_ADDRESS },
        rows: () => this.partners.list(),
      },
      {
        name: "ServiceCalls",
        type: "ServiceCall",
        keys: ["ServiceCallID"],
        types: SERVICE_CALL,
        rows: () => this.serviceCalls.list(),
      },
      { name: "Orders", type: "Document", keys: ["DocEntry"], types: DOCUMENT, rows: () => this.orders.list() },
    ];
  }
}

function cookies(header: string): Partial<Record<string, string>> {
  const pairs = header.split(/;\s*/).map((pair) => pair.split("=", 2));
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
}

function listed(set: EntitySet, { query: asked, headers }: Asked, isCount: boolean): Told {
  const query = queryOf(set, asked, OPTIONS);
  const found = foundRows(set, query, {
    version: "v4",
    types: set.types,
    quotedTimes: true,
    cut: (type, value) => (type === "TimeOfDay" ? value.slice(0, 5) : value),
  });
  if (isCount) return { body: String(found.length), headers: { "content-type": "text/plain" } };
  const preferred = /odata\.maxpagesize=(\d+)/.exec(String(headers["prefer"] ?? ""))?.[1] ?? headers["b1s-pagesize"];
  const size = Number(preferred ?? DEFAULT_PAGE) || Number.POSITIVE_INFINITY;
  const wanted = found.slice(query.skip, query.top === undefined ? undefined : query.skip + query.top);
  const rows = wanted.slice(0, size);
  const link = new URLSearchParams(asked);
  link.set("$skip", String(query.skip + rows.length));
  if (query.top !== undefined) link.set("$top", String(query.top - rows.length));
  // Also where nothing follows: a last page that is full names an empty one.
  const isFull = rows.length === size;
  return {
    body: {
      "@odata.context": `${ROOT}$metadata#${set.name}`,
      ...((asked.get("$count") === "true" || asked.get("$inlinecount") === "allpages") && {
        "@odata.count": found.length,
      }),
      value: rows.map((row) => entity(set, row, query)),
      ...(isFull && { "@odata.nextLink": `${set.name}?${link.toString().replaceAll("%24", "$")}` }),
    },
  };
}

function entity(set: EntitySet, row: JsonObject, query: Query): JsonObject {
  return { "@odata.etag": `W/"${JSON.stringify(row).length.toString(16)}"`, ...shown(set, row, query) };
}

function single(set: EntitySet, key: string, query: Query): Told {
  const wanted = key.replace(/^'(.*)'$/, "$1").replaceAll("''", "'");
  const row = set.rows().find((one) => jsonText(one[set.keys[0]!]) === decodeURIComponent(wanted));
  if (row === undefined) return fault(404, -2028, "No matching records found (ODBC -2028)");
  return { body: entity(set, row, query) };
}

function faultOf({ kind, subject }: QueryFault, { type }: EntitySet): Told {
  switch (kind) {
    case "property":
      return fault(400, 201, `Property '${subject}' is invalid`);
    case "navigation":
      return fault(400, 201, `Cannot expand invalid navigation property '${subject}' for entity type '${type}'`);
    case "option":
    case "syntax":
    case "type":
    case "mixedOr":
      return fault(400, 201, "Query string error - Invalid filter condition");
  }
}

/** In v2 of the Service Layer the code is text, and the message as well. */
function fault(status: number, code: number, message: string): Told {
  const details: Json = [{ code: "", message: "" }];
  return { status, body: { error: { code: String(code), details, message } } };
}
