import { execFile } from "node:child_process";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { z } from "zod";
import { Closing } from "#daemon";
import type { JsonObject } from "#model";
import { freePort } from "../../setup/free-port.ts";
import { disposableFolder, startServer } from "../../setup/server.ts";
import type { Disguise, Erp, Password, Records } from "../erp.ts";
import { presetFile } from "../preset-file.ts";
import { ENTITIES, newRow, recordsOf, type Company, type Entity } from "./rows.ts";

const run = promisify(execFile);
const project = fileURLToPath(new URL("project", import.meta.url));
const manifestSchema = z.object({ version: z.string() });
const count = z.int();
const created = z.object({ ID: z.string() });

/** The user of svcsync, one with the same rights whose password stays, and one who writes. */
const READER = "reader:right";
const READER_ALWAYS = "auditor:auditor";
const CLERK = "clerk:clerk";

const COUNTS: Readonly<Record<Entity, number>> = { Customers: 40, Contacts: 60, Tickets: 40, Orders: 40 };

/** An ERP that is written with SAP CAP: its OData v4 server on SQLite, installed from npm into a folder of its own. */
export async function startCap(): Promise<Erp> {
  const closing = new Closing();
  try {
    const folder = closing.use(await disposableFolder(undefined)).path;
    await cp(project, folder, { recursive: true });
    await run("npm", ["install", "--no-audit", "--no-fund", "--no-save"], { cwd: folder });
    await run(process.execPath, ["deploy.js"], { cwd: folder });
    const port = await freePort();
    const server = join(folder, "node_modules/@sap/cds/bin/serve.js");
    const child = await startServer(process.execPath, [server, "all", "--port", String(port)], /server listening on/, {
      cwd: folder,
    });
    closing.defer(() => child.end());
    const manifest = await readFile(join(folder, "node_modules/@sap/cds/package.json"), "utf8");
    const { version } = manifestSchema.parse(JSON.parse(manifest));
    return new Cap(`http://127.0.0.1:${port}`, join(folder, "erp.sqlite"), version, closing);
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** An hour, past every overlap: a poll by stamp does not see what bears it. */
const LONG_AGO_MS = 3_600_000;

class Cap implements Erp {
  readonly product: string;
  readonly retired: Erp["retired"] = {
    customer: { customerStatus: "Inactive" },
    ticket: { ticketStatus: "Closed" },
    svcDocument: { externalReferenceNumber: "Cancelled" },
  };
  readonly syncFile = presetFile("odata");
  readonly environment: Erp["environment"];
  readonly disguises: readonly Disguise[];
  readonly password: Password;
  readonly #url: string;
  readonly #database: Database.Database;
  readonly #closing: Closing;
  readonly #company: Company = { Customers: [], Contacts: [], Tickets: [], Orders: [] };
  /** What people call a record, by its id: never changes here. */
  readonly #names = new Map<string, string>();
  #round = 0;

  constructor(url: string, file: string, version: string, closing: Closing) {
    this.product = `SAP CAP ${version}`;
    this.#url = url;
    this.#database = new Database(file);
    this.#closing = closing;
    this.environment = { ERP_URL: `${url}/odata/v4/erp/`, ERP_USER: "reader", ERP_PASSWORD: "right" };
    this.disguises = [this.#accessRule()];
    this.password = {
      change: () => this.#control("POST", "password/changed"),
      restore: () => this.#control("POST", "password/right"),
      refused: async () => count.parse(await (await fetch(`${url}/refused`)).json()),
      opens: async () => (await this.#call("GET", "Customers?$top=1", READER)).ok,
    };
  }

  async seed(): Promise<void> {
    for (const entity of ENTITIES) for (let at = 0; at < COUNTS[entity]; at++) await this.#create(entity);
  }

  async change(): Promise<void> {
    const round = ++this.#round;
    for (const entity of ENTITIES) await this.#create(entity);
    await this.#edit("Customers", round, { name: `Umbenannt ${round} GmbH`, active: round % 2 === 0 });
    await this.#edit("Contacts", round, { email: `neu${round}@example.org` });
    await this.#edit("Tickets", round, { status: "closed", priority: "high" });
    await this.#edit("Orders", round, { reference: `PO-${round}-neu` });
    await this.#edit("Orders", round + 10, { status: "cancelled" });
  }

  async writeLate(): Promise<() => Promise<void>> {
    const late = this.#edit("Customers", 20, { name: "Spät AG" }, { "x-hold": "yes" });
    for (let held = 0; held === 0;) held = count.parse(await (await fetch(`${this.#url}/held`)).json());
    return async () => {
      await this.#control("POST", "let-go");
      await late;
    };
  }

  async remove(): Promise<void> {
    for (const entity of ENTITIES) await this.#write("DELETE", `${entity}(${this.#company[entity][30]})`);
  }

  async records(): Promise<Records> {
    return recordsOf(this.#names, (entity) => this.#read(entity));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
    await this.#closing[Symbol.asyncDispose]();
  }

  /** The column of the rule is moved by plain SQL, as by a program past the application: no stamp tells. */
  #accessRule(): Disguise {
    const hidden = [5, 6, 7];
    const set = (secret: number, entity: Entity, at: number) =>
      this.#database
        .prepare(`update erp_${entity} set secret = ? where ID = ?`)
        .run(secret, this.#company[entity][at]!);
    return {
      name: "an access rule",
      hide: async () => {
        for (const entity of ENTITIES) for (const at of hidden) set(1, entity, at);
      },
      /** Meanwhile hidden records were changed, and new ones made. */
      show: async () => {
        for (const entity of ENTITIES) hidden.push(await this.#create(entity, { secret: true }));
        await this.#edit("Customers", 5, { name: "Heimlich AG" });
        await this.#edit("Contacts", 5, { email: "heimlich@example.org" });
        await this.#edit("Orders", 5, { reference: "PO-heimlich" });
        const longAgo = new Date(Date.now() - LONG_AGO_MS).toISOString();
        for (const entity of ENTITIES) {
          this.#database.prepare(`update erp_${entity} set modifiedAt = ? where secret`).run(longAgo);
          this.#database.prepare(`update erp_${entity} set secret = 0 where secret`).run();
        }
      },
    };
  }

  async #create(entity: Entity, more: JsonObject = {}): Promise<number> {
    const at = this.#company[entity].length;
    const { name, row } = newRow(entity, at, this.#company);
    const answer = await this.#write("POST", entity, { ...row, ...more });
    const { ID } = created.parse(await answer.json());
    this.#company[entity].push(ID);
    this.#names.set(ID, name);
    return at;
  }

  async #edit(entity: Entity, at: number, row: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    await this.#write("PATCH", `${entity}(${this.#company[entity][at]})`, row, headers);
  }

  /** What svcsync's user may see. */
  async #read(entity: Entity): Promise<unknown> {
    return (await this.#call("GET", entity, READER_ALWAYS)).json();
  }

  async #write(method: string, path: string, row?: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    const answer = await this.#call(method, path, CLERK, row, headers);
    if (!answer.ok) throw new Error(`SAP CAP answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer;
  }

  async #control(method: string, path: string): Promise<void> {
    await fetch(`${this.#url}/${path}`, { method });
  }

  #call(method: string, path: string, user: string, row?: JsonObject, headers: Readonly<Record<string, string>> = {}) {
    return fetch(`${this.#url}/odata/v4/erp/${path}`, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(user).toString("base64")}`,
        "content-type": "application/json",
        ...headers,
      },
      ...(row === undefined ? {} : { body: JSON.stringify(row) }),
    });
  }
}
