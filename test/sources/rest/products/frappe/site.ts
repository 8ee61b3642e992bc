import { jsonText } from "../../../../../src/sources/wire/stamps/values.ts";
import { isJsonObject, type Json, type JsonObject } from "#model";
import { wallMicrosAt, wallText } from "../../../../../src/sources/wire/stamps/wall.ts";
import type { Asked, Told } from "../../../../kit/http.ts";
import { DOCTYPES, OF_CHILDREN, STANDARD, type DocType } from "./doctypes.ts";
import { conditionOf, InvalidFilter, type Condition } from "./filters.ts";

const MICROS_PER_MS = 1000;
const API = "/api/resource/";

export interface SiteOptions {
  readonly version?: 15 | 16;
  readonly zone?: string;
  /** The site's clock, in microseconds since 1970. */
  readonly now?: () => number;
}

/** A document; members of child tables are lists of objects. */
type Doc = JsonObject;

/**
 * A Frappe site with the DocTypes that the preset reads, as the public source of Frappe 15 or 16 answers; `frappe.test.ts` shows each
 * behaviour with its source.
 */
export class FrappeSite {
  secret = "secret";
  /** Roles of the key's user. */
  roles = ["System Manager"];
  /** Values that a user permission leaves visible, by the DocType that it is for. */
  readonly permitted = new Map<string, readonly string[]>();
  /** What `allow_error_traceback` of the system settings says. */
  tracebacks = true;
  refused = 0;
  readonly #version: 15 | 16;
  readonly #zone: string;
  readonly #now: () => number;
  readonly #tables = new Map<string, Map<string, Doc>>();
  #hashes = 0;

  constructor({ version = 15, zone = "Europe/Berlin", now = () => Date.now() * MICROS_PER_MS }: SiteOptions = {}) {
    this.#version = version;
    this.#zone = zone;
    this.#now = now;
  }

  table(docType: string): Map<string, Doc> {
    const known = this.#tables.get(docType) ?? new Map<string, Doc>();
    this.#tables.set(docType, known);
    return known;
  }

  /** Saves a document: `modified` is the site's local time. */
  save(docType: string, name: string, values: JsonObject, { stamp = this.#now() }: { stamp?: number } = {}): string {
    const at = this.#local(stamp);
    const before = this.table(docType).get(name);
    const meta = { name, creation: before?.["creation"] ?? at, modified: at, docstatus: before?.["docstatus"] ?? 0 };
    this.table(docType).set(name, { ...before, ...meta, ...values });
    return name;
  }

  /** Past the application: no stamp moves. */
  set(docType: string, name: string, values: JsonObject): void {
    this.table(docType).set(name, { ...this.table(docType).get(name), ...values });
  }

  /** Deletes a document. `delete_permanently` leaves no trace. */
  remove(docType: string, name: string, { permanently = false } = {}): void {
    this.table(docType).delete(name);
    if (permanently) return;
    const hash = (++this.#hashes).toString(16).padStart(10, "0");
    this.save("Deleted Document", hash, { deleted_doctype: docType, deleted_name: name, restored: 0 });
  }

  /** Gives a document another name; links follow, and no stamp moves but its own. */
  rename(docType: string, from: string, to: string): void {
    const doc = this.table(docType).get(from)!;
    this.table(docType).delete(from);
    this.save(docType, to, { ...doc, name: to });
    for (const [other, { links = {} }] of Object.entries(DOCTYPES))
      for (const row of this.table(other).values())
        for (const [field, target] of Object.entries(links))
          if (target === docType && row[field] === from) this.set(other, jsonText(row["name"]), { [field]: to });
  }

  answer(asked: Asked): Told {
    try {
      return this.#told(asked);
    } catch (thrown) {
      if (thrown instanceof FrappeError) return this.#failed(thrown);
      throw thrown;
    }
  }

  #told({ path, query, headers }: Asked): Told {
    this.#authenticate(headers);
    const [docType = "", name] = decodeURIComponent(path.slice(API.length)).split("/");
    const type = DOCTYPES[docType];
    if (!path.startsWith(API) || type === undefined)
      throw new FrappeError("DoesNotExistError", `DocType ${docType} not found`);
    if (!this.#mayRead(type))
      throw new FrappeError("PermissionError", `Insufficient Permission for <strong>${docType}</strong>`);
    if (name === undefined || name === "") return { body: { data: this.#list(docType, type, query) } };
    const doc = this.#visible(docType, type).find((one) => one["name"] === name);
    if (doc === undefined) throw new FrappeError("DoesNotExistError", `${docType} ${name} not found`);
    return { body: { data: { ...doc, doctype: docType } } };
  }

  #list(docType: string, type: DocType, query: URLSearchParams): Doc[] {
    const fields: string[] = listed(query.get("fields")) ?? ["name"];
    const conditions = this.#conditions(docType, type, listed(query.get("filters")) ?? []);
    const tables = [
      ...fields.filter((field) => field !== "*").map((field) => this.#tableOf(type, field)),
      ...conditions.map(({ table }) => table),
    ];
    const table = tables.find((one) => one !== undefined);
    // Each row of a joined child table is a row of the answer.
    const rows = this.#visible(docType, type)
      .flatMap((doc) => joined(doc, table))
      .filter((row) => conditions.every(({ accepts }) => accepts(row)));
    const ordered = this.#ordered(docType, rows, query.get("order_by") ?? "modified desc");
    const start = Number(query.get("limit_start") ?? 0);
    // `0` is no limit, and no parameter is 20.
    const length = Number(query.get("limit_page_length") ?? query.get("limit") ?? 20);
    const page = length === 0 ? ordered.slice(start) : ordered.slice(start, start + length);
    return page.map((row) => this.#selected(type, row, fields));
  }

  #conditions(docType: string, type: DocType, filters: readonly Condition[]) {
    return filters.map((filter) => {
      const [table, field, operator, value] = filter.length === 4 ? filter : [docType, ...filter];
      const owner = table === docType ? type : this.#childOf(docType, type, table);
      if (!knows(owner, field, table !== docType)) throw noField(field);
      const child =
        table === docType ? undefined : Object.entries(type.tables ?? {}).find(([, one]) => one === table)![0];
      try {
        const accepts = conditionOf(operator, value);
        return {
          table: child,
          accepts: (row: Doc) => accepts(row[child === undefined ? field : `${child}.${field}`] ?? null),
        };
      } catch (thrown) {
        if (!(thrown instanceof InvalidFilter)) throw thrown;
        throw this.#version === 15
          ? new FrappeError("ValidationError", thrown.message)
          : new FrappeError("KeyError", `'${operator}'`);
      }
    });
  }

  #childOf(docType: string, type: DocType, table: string): DocType {
    const isChild = Object.values(type.tables ?? {}).includes(table);
    if (isChild) return DOCTYPES[table]!;
    throw new FrappeError("ValidationError", `${table} is not a child table of ${docType}`);
  }

  /** The child table that a field such as `links.link_name` reads. */
  #tableOf(type: DocType, field: string): string | undefined {
    const [table = "", column] = field.split(".");
    if (column === undefined) {
      if (!knows(type, field, false)) throw noField(field);
      return undefined;
    }
    const child = DOCTYPES[type.tables?.[table] ?? ""];
    if (child === undefined || !knows(child, column, true)) throw noField(field);
    return table;
  }

  /** What the database of version 15 says of an unknown column to sort by; version 16 speaks of permissions. */
  #unsortable(docType: string, field: string): FrappeError {
    if (this.#version === 15)
      return new FrappeError("OperationalError", `(1054, "Unknown column '${field}' in 'ORDER BY'")`);
    return new FrappeError(
      "PermissionError",
      `You do not have permission to access field: <strong>${docType}.${field}</strong>`,
    );
  }

  #selected(type: DocType, row: Doc, fields: readonly string[]): Doc {
    const names = fields.flatMap((field) => (field === "*" ? [...STANDARD, ...type.fields] : [field]));
    return Object.fromEntries(names.map((name): [string, Json] => [name.split(".").at(-1)!, row[name] ?? null]));
  }

  #ordered(docType: string, rows: readonly Doc[], orderBy: string): Doc[] {
    const order = orderBy.split(",").map((part) => {
      const [field = "", direction = "asc"] = part.trim().split(/\s+/);
      if (!knows(DOCTYPES[docType]!, field, false)) throw this.#unsortable(docType, field);
      return { field, sign: direction.toLowerCase() === "desc" ? -1 : 1 };
    });
    // Equal rows come in no particular order: here in that of their hashes, which is the reverse.
    return rows.toReversed().toSorted((a, b) => {
      for (const { field, sign } of order) {
        const found = collate(a[field] ?? null, b[field] ?? null);
        if (found !== 0) return found * sign;
      }
      return 0;
    });
  }

  /** User permissions hide documents whose link field names another value; an empty link hides nothing. */
  #visible(docType: string, { links = {} }: DocType): Doc[] {
    const of = [["name", docType], ...Object.entries(links)] as const;
    return [...this.table(docType).values()].filter((doc) =>
      of.every(([field, target]) => {
        const permitted = this.permitted.get(target);
        const value = doc[field] ?? null;
        return permitted === undefined || value === null || permitted.includes(jsonText(value));
      }),
    );
  }

  #mayRead({ roles }: DocType): boolean {
    return this.roles.some((role) => role === "System Manager" || roles.includes(role));
  }

  #authenticate({ authorization = "" }: Asked["headers"]): void {
    const [kind = "", token = ""] = authorization.split(" ");
    // Without credentials the user is Guest, who may read nothing.
    if (authorization === "") throw new FrappeError("PermissionError", "Login to access");
    const given = kind.toLowerCase() === "basic" ? Buffer.from(token, "base64").toString() : token;
    if (["token", "basic"].includes(kind.toLowerCase()) && given === `key:${this.secret}`) return;
    this.refused += 1;
    throw new FrappeError("AuthenticationError", "");
  }

  #failed({ type, message }: FrappeError): Told {
    const exception = `${FOREIGN.has(type) ? "" : "frappe.exceptions."}${type}: ${message}`;
    const said = JSON.stringify({ message, title: "Message", indicator: "red", raise_exception: 1 });
    return {
      status: STATUS[type],
      body: {
        ...(this.tracebacks
          ? { exception, exc: JSON.stringify([`Traceback (most recent call last):\n${exception}`]) }
          : {}),
        exc_type: type,
        ...(message === "" || FOREIGN.has(type) ? {} : { _server_messages: JSON.stringify([said]) }),
      },
    };
  }

  /** As Python writes a datetime: without a fraction where the microseconds are 0. */
  #local(micros: number): string {
    const ms = Math.floor(micros / MICROS_PER_MS);
    const text = wallText(wallMicrosAt(ms, this.#zone) + (micros - ms * MICROS_PER_MS)).replace("T", " ");
    return text.replace(/\.0{6}$/, "");
  }
}

/** frappe/exceptions.py; what is not a Frappe error is 500. */
const STATUS = {
  AuthenticationError: 401,
  PermissionError: 403,
  DoesNotExistError: 404,
  DataError: 417,
  ValidationError: 417,
  KeyError: 500,
  OperationalError: 500,
} as const;

/** Errors that are not Frappe's own. */
const FOREIGN = new Set<keyof typeof STATUS>(["KeyError", "OperationalError"]);

class FrappeError extends Error {
  readonly type: keyof typeof STATUS;

  constructor(type: keyof typeof STATUS, message: string) {
    super(message);
    this.type = type;
  }
}

/** What a site with `rate_limit` in its configuration answers when its time is used up. */
export const BUSY: Told = {
  status: 429,
  headers: {
    "content-type": "text/plain; charset=utf-8",
    "x-ratelimit-limit": "600000000",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "1",
    "retry-after": "1",
  },
  body: "Too Many Requests",
};

/** What a site that is being updated answers. */
export const UPDATING: Told = {
  status: 503,
  body: "<!DOCTYPE html><title>Updating</title><p>Your system is being updated.</p>",
};

function noField(field: string): FrappeError {
  return new FrappeError("DataError", `Field not permitted in query: ${field}`);
}

function knows(type: DocType, field: string, isChild: boolean): boolean {
  return field === "*" || [...STANDARD, ...type.fields, ...(isChild ? OF_CHILDREN : [])].includes(field);
}

/** The document once for each row of a child table, or once where it has none: a left join. */
function joined(doc: Doc, table: string | undefined): Doc[] {
  const rows = table === undefined ? undefined : doc[table];
  if (table === undefined || !Array.isArray(rows) || rows.length === 0) return [doc];
  return rows.filter(isJsonObject).map((row) => ({
    ...doc,
    ...Object.fromEntries(Object.entries(row).map(([name, value]): [string, Json] => [`${table}.${name}`, value])),
  }));
}

/** The database's collation: upper and lower case and accents count little. */
export function collate(a: Json, b: Json): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return COLLATION.compare(jsonText(a ?? ""), jsonText(b ?? ""));
}
const COLLATION = new Intl.Collator("en", { sensitivity: "base" });

/** A parameter that is a JSON list; its form is the test's concern. */
// oxlint-disable-next-line typescript/no-explicit-any -- fields are texts, filters are lists
function listed(text: string | null): any[] | undefined {
  return text === null ? undefined : JSON.parse(text);
}
