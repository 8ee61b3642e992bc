import type { Clock, JsonObject } from "#model";
import { startWebServer, type Asked, type Told, type WebServer } from "../../../kit/http.ts";
import { CONTACT, CONTACT_INFORMATION, CUSTOMER, SALES_ORDER } from "./business-central-types.ts";
import { foundRows, queryOf, shown, type EntitySet } from "./entity-set.ts";
import type { Grammar } from "./filter.ts";
import { metadata } from "./metadata.ts";
import { QueryFault } from "./query-fault.ts";
import { Table } from "./table.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

const TENANT = "5c6241d0-74cc-48a2-b667-3eb0d738af72";
const COMPANY = "70c0c603-f4f9-ef11-9344-6045bdc8c234";
const SCOPE = "https://api.businesscentral.dynamics.com/.default";
const LIFE_S = 3599;
const MOST_PER_PAGE = 20_000;
const WINDOW_MS = 300_000;
const OPTIONS = [
  "$filter",
  "$orderby",
  "$select",
  "$expand",
  "$skip",
  "$top",
  "$count",
  "$skiptoken",
  "$schemaversion",
];

/** Business Central online, API v2.0, as its documents describe it: `behaviours/business-central.ts` names them one by one. */
export class BusinessCentral implements AsyncDisposable {
  readonly customers = new Table("id");
  readonly contacts = new Table("id");
  readonly salesOrders = new Table("id");
  /** What the token endpoint takes. */
  secret = "s3cr3t";
  /** Requests per user in five minutes. */
  limit = 6_000;
  /** Entity sets that the application's permission sets do not cover, and the tables below them. */
  readonly denied = new Map<string, string>();
  /** Seconds of maintenance that are left. */
  pause = 0;
  refusedLogins = 0;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, number>();
  readonly #requests: number[] = [];
  #server: WebServer | undefined;
  #made = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async start(clock: Clock): Promise<BusinessCentral> {
    const central = new BusinessCentral(clock);
    central.#server = await startWebServer((asked) => central.#told(asked));
    return central;
  }

  get server(): WebServer {
    return this.#server!;
  }

  /** The values of the preset's variables. */
  get environment(): Readonly<Record<string, string>> {
    return {
      ERP_URL: `${this.server.url}/v2.0/${TENANT}/Production/api/v2.0/companies(${COMPANY})`,
      ERP_TOKEN_URL: `${this.server.url}/${TENANT}/oauth2/v2.0/token`,
      ERP_CLIENT_ID: "svcsync",
      ERP_CLIENT_SECRET: "s3cr3t",
    };
  }

  /** Ids that the platform makes: their order as texts is not that in which SQL Server sorts them. */
  newId(): string {
    const n = ++this.#made;
    const mixed = ((n * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, "0");
    return `${mixed}-f6f9-ef11-9344-6045bdc8${n.toString(16).padStart(4, "0")}`;
  }

  /** The stamp that the platform writes with each change: UTC with milliseconds, in SQL Server's ticks of 1/300 s. */
  stamp(): string {
    return onTick(new Date(this.#clock.now()).toISOString());
  }

  endSessions(): void {
    this.#tokens.clear();
  }

  /** Whether the endpoint takes this secret now; counts as no refused login. */
  opens(secret: string): boolean {
    return secret === this.secret;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  #told(asked: Asked): Told {
    const date = new Date(this.#clock.now()).toUTCString();
    const told = asked.path.endsWith("/oauth2/v2.0/token") ? this.#token(asked) : this.#api(asked);
    return { ...told, headers: { date, ...told.headers } };
  }

  #token({ path, body }: Asked): Told {
    const form = new URLSearchParams(body);
    const refused = (status: number, error: string, number: number, words: string): Told => {
      this.refusedLogins++;
      return { status, body: { error, error_description: `AADSTS${number}: ${words}`, error_codes: [number] } };
    };
    if (!path.startsWith(`/${TENANT}/`))
      return refused(
        400,
        "invalid_request",
        90002,
        "Tenant not found. Check to make sure you have the correct tenant ID.",
      );
    if (form.get("grant_type") !== "client_credentials")
      return refused(400, "unsupported_grant_type", 70003, "The app requested an unsupported grant type.");
    if (form.get("scope") !== SCOPE)
      return refused(400, "invalid_scope", 70011, "The provided value for the input parameter 'scope' isn't valid.");
    if (form.get("client_secret") !== this.secret)
      return refused(401, "invalid_client", 7000215, "Invalid client secret is provided.");
    const token = `bc-${this.#tokens.size}-${this.#clock.now()}`;
    this.#tokens.set(token, this.#clock.now() + LIFE_S * 1000);
    return { body: { token_type: "Bearer", expires_in: LIFE_S, ext_expires_in: LIFE_S, access_token: token } };
  }

  #api(asked: Asked): Told {
    const token = /^Bearer (.+)$/.exec(asked.headers.authorization ?? "")?.[1] ?? "";
    if ((this.#tokens.get(token) ?? 0) <= this.#clock.now())
      return fault(401, "Authentication_InvalidCredentials", "The server has rejected the client credentials.");
    if (this.pause > 0)
      return { status: 503, headers: { "retry-after": String(this.pause) }, body: "Service Temporarily Unavailable" };
    if (this.#isTooMany())
      return {
        ...fault(
          429,
          "Application_TooManyRequests",
          `Too many requests reached. Actual (${this.limit + 1}). Maximum (${this.limit}).`,
        ),
        headers: { "retry-after": "1" },
      };
    const place = new RegExp(`^/v2\\.0/${TENANT}/Production/api/v2\\.0(/.*)$`).exec(asked.path)?.[1];
    if (place === undefined) return fault(404, "NoEnvironment", "Environment does not exist.");
    if (place === "/companies") return { body: { value: [{ id: COMPANY, name: "CRONUS DE" }] } };
    const below = /^\/companies\(([^)]*)\)\/(.+)$/.exec(place);
    if (below === null || below[1] !== COMPANY)
      return fault(
        404,
        "Internal_CompanyNotFound",
        "Can't process the request because the default company can't be found.",
      );
    return this.#entities(below[2]!, asked);
  }

  #isTooMany(): boolean {
    const now = this.#clock.now();
    while (this.#requests.length > 0 && this.#requests[0]! <= now - WINDOW_MS) this.#requests.shift();
    if (this.#requests.length >= this.limit) return true;
    this.#requests.push(now);
    return false;
  }

  #entities(place: string, asked: Asked): Told {
    const sets = this.#sets();
    if (place === "$metadata")
      return { body: metadata("Microsoft.NAV", sets, "v4"), headers: { "content-type": "application/xml" } };
    const [, name = "", id] = /^(\w+)(?:\(([^)]*)\))?$/.exec(place) ?? [];
    const set = sets.find((one) => one.name === name);
    if (set === undefined)
      return fault(404, "BadRequest_ResourceNotFound", `Resource not found for the segment '${place}'.`);
    const table = this.denied.get(name);
    if (table !== undefined)
      return fault(
        400,
        "Internal_ServerError",
        `Sorry, the current permissions prevented the action. (TableData ${table} Read: Base Application)`,
      );
    try {
      return id === undefined ? listed(set, asked) : single(set, id);
    } catch (thrown) {
      if (thrown instanceof QueryFault) return faultOf(thrown, set);
      throw thrown;
    }
  }

  #sets(): EntitySet[] {
    const information = (customer: JsonObject) =>
      this.contacts
        .list()
        .filter((contact) => contact["→customer"] === customer["id"])
        .map((contact) => ({
          contactId: contact["id"]!,
          contactNumber: contact["number"]!,
          contactName: contact["displayName"]!,
          contactType: contact["type"]!,
          relatedId: customer["id"]!,
          relatedType: "Customer",
          "→contact": contact,
        }));
    return [
      {
        name: "customers",
        type: "customer",
        keys: ["id"],
        types: CUSTOMER,
        navigation: { contactsInformation: information },
        rows: () => this.customers.list(),
      },
      { name: "contacts", type: "contact", keys: ["id"], types: CONTACT, rows: () => this.contacts.list() },
      {
        name: "contactsInformation",
        type: "contactInformation",
        keys: ["contactId"],
        types: CONTACT_INFORMATION,
        rows: () => {
          throw new QueryFault("option", "id type not specified.");
        },
      },
      {
        name: "salesOrders",
        type: "salesOrder",
        keys: ["id"],
        types: SALES_ORDER,
        rows: () => this.salesOrders.list(),
      },
    ];
  }
}

function listed(set: EntitySet, { query: asked, headers, path }: Asked): Told {
  const query = queryOf(set, asked, OPTIONS);
  const grammar: Grammar = {
    version: "v4",
    types: set.types,
    refuseMixedOr: true,
    hasIn: asked.get("$schemaversion") === "2.1",
    compareGuids,
    cut: (type, value) => (type === "DateTimeOffset" && value.endsWith("Z") ? onTick(value) : value),
  };
  const isLambda = /\/(any|all)\(/.test(query.filter ?? "");
  const found = foundRows(set, isLambda ? { ...query, filter: undefined } : query, grammar);
  const preferred = Number(/odata\.maxpagesize=(\d+)/.exec(String(headers["prefer"] ?? ""))?.[1] ?? MOST_PER_PAGE);
  if (preferred > MOST_PER_PAGE) return fault(413, "BadRequest", "The page size exceeds the maximum page size.");
  const token = asked.get("$skiptoken");
  const start = token === null ? query.skip : found.findIndex((row) => row["id"] === token) + 1;
  const wanted = found.slice(start, query.top === undefined ? undefined : start + query.top);
  const rows = wanted.slice(0, preferred);
  const link = new URLSearchParams(asked);
  link.set("aid", "FIN");
  link.set("$skiptoken", jsonText(rows.at(-1)?.["id"]));
  return {
    body: {
      "@odata.context": `https://api.businesscentral.dynamics.com${path.replace(/\/[^/]*$/, "")}/$metadata#${set.name}`,
      ...(asked.get("$count") === "true" && { "@odata.count": found.length }),
      value: rows.map((row) => entity(set, row, query, String(headers["accept"]))),
      ...(rows.length < wanted.length && {
        "@odata.nextLink": `https://api.businesscentral.dynamics.com${path}?${link.toString().replaceAll("%24", "$")}`,
      }),
    },
  };
}

function entity(set: EntitySet, row: JsonObject, query: Parameters<typeof shown>[2], accept: string): JsonObject {
  const asText = /IEEE754Compatible=true/i.test(accept);
  const values = Object.entries(shown(set, row, query)).map(([name, value]) => [
    name,
    set.types[name] === "Decimal" ? (asText ? jsonText(value) : Number(value)) : value,
  ]);
  return {
    "@odata.etag": `W/"${Buffer.from(JSON.stringify(row)).toString("base64").slice(-24)}"`,
    ...Object.fromEntries(values),
  };
}

function single(set: EntitySet, id: string): Told {
  const row = set.rows().find((one) => one["id"] === id);
  if (row === undefined)
    return fault(
      404,
      "Internal_RecordNotFound",
      `The ${set.type} does not exist. Identification fields and values: SystemId='{${id.toUpperCase()}}'`,
    );
  return {
    body: entity(
      set,
      row,
      { filter: undefined, orderby: [], select: undefined, expand: [], skip: 0, top: undefined },
      "",
    ),
  };
}

function faultOf({ kind, subject }: QueryFault, { type }: EntitySet): Told {
  switch (kind) {
    case "mixedOr":
      return fault(
        501,
        "BadRequest_MethodNotImplemented",
        "The 'OR' operator is not supported on distinct fields on an OData filter.",
      );
    case "property":
    case "navigation":
      return fault(400, "BadRequest", `Could not find a property named '${subject}' on type 'Microsoft.NAV.${type}'.`);
    case "option":
      return fault(400, "BadRequest", subject);
    case "syntax":
    case "type":
      return fault(400, "BadRequest", `Bad Request - Error in query syntax: ${subject}`);
  }
}

function fault(status: number, code: string, message: string): Told {
  return {
    status,
    body: { error: { code, message: `${message}  CorrelationId:  a6b0f8f0-2b1d-4a8e-9f43-6f3d9b3b1a11.` } },
  };
}

/** What a column of the type datetime makes of an instant: one of 300 ticks a second. */
export function onTick(iso: string): string {
  const ticks = Math.round((Date.parse(iso) * 3) / 10);
  return new Date(Math.round((ticks * 10) / 3)).toISOString();
}

function reversed(part: string): string {
  return (part.match(/../g) ?? []).toReversed().join("");
}

/** SQL Server compares the last six bytes of a uniqueidentifier first, and the first four last. */
export function compareGuids(a: string, b: string): number {
  const [left, right] = [sqlOrder(a), sqlOrder(b)];
  return left < right ? -1 : Number(left > right);
}

function sqlOrder(guid: string): string {
  const [a = "", b = "", c = "", d = "", e = ""] = guid.toLowerCase().split("-");
  return [e, d, reversed(c), reversed(b), reversed(a)].join("");
}
