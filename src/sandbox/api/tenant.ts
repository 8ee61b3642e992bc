import type { Clock, JsonObject, ResourceName } from "#model";
import { openCatalogue, type Catalogue } from "../catalogue/catalogue.ts";
import type { Resource } from "../catalogue/resource.ts";
import type { Account } from "../account.ts";
import { RecordDatabase } from "../records/database.ts";
import type { StoredRecord, WriteAction, WriteOrigin } from "../records/version.ts";
import type { Switches } from "../switches.ts";
import { RequestRefusal, nothing, refusalAnswer, type ApiResponse } from "./answer.ts";

/** Who sends a request, and under which conditions. */
export interface Caller {
  readonly account: Account;
  /** The request's number in the ledger; undefined for people in the web interface. */
  readonly request: number | undefined;
  /** How far lists lag behind, in milliseconds. */
  readonly listLagMs: number;
}

/** One tenant of the service: its resources, its records and its dialect. */
export class Tenant {
  readonly switches: Switches;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  readonly database: RecordDatabase;
  /** Base address, known once the server listens. */
  url = "";
  #stamp = { at: NaN, text: "" };

  constructor(switches: Switches, clock: Clock) {
    this.switches = switches;
    this.clock = clock;
    this.catalogue = openCatalogue(switches.brand, switches.paths);
    this.database = new RecordDatabase(clock);
  }

  /** The current moment as the service writes it: UTC with milliseconds. */
  now(): string {
    const at = this.clock.now();
    if (at !== this.#stamp.at) this.#stamp = { at, text: new Date(at).toISOString() };
    return this.#stamp.text;
  }

  resource(name: ResourceName): Resource {
    const resource = this.catalogue.resources.get(name);
    if (resource === undefined) throw new RequestRefusal(404, `there is no resource ${name}`);
    return resource;
  }

  /** What the service notes of a new record. */
  createStamps({ stamps }: Resource): JsonObject {
    const now = this.now();
    return { ...(stamps === "both" ? { created: now } : {}), ...(stamps === "none" ? {} : { modified: now }) };
  }

  /** What the service notes with every edit, even one that changes nothing. */
  editStamps({ stamps, fields }: Resource): JsonObject {
    const now = this.now();
    return {
      ...(stamps === "none" ? {} : { modified: now }),
      ...(fields.has("serverModified") ? { serverModified: now } : {}),
    };
  }

  /** Stores values that no edit through the API may set. */
  restate(
    resource: ResourceName,
    current: StoredRecord,
    values: JsonObject,
    sent: JsonObject,
    caller: Caller,
  ): StoredRecord {
    const stamps = this.editStamps(this.resource(resource));
    const record: StoredRecord = { ...current, ...values, ...stamps, id: current.id };
    this.database.put(resource, record, { ...originOf(caller, "edit"), sent });
    return record;
  }

  /** The record with this id, if `account` may see it. */
  find(resource: ResourceName, id: number, account?: Account): StoredRecord | undefined {
    const record = this.database.table(resource).get(id)?.version.record;
    return record !== undefined && sees(account, resource, record) ? record : undefined;
  }

  /** The first record with this id among several resources: the target of a link that allows several kinds. */
  target(resources: readonly ResourceName[], id: number): { resource: Resource; record: StoredRecord } | undefined {
    for (const name of resources) {
      const record = this.find(name, id);
      if (record !== undefined) return { resource: this.resource(name), record };
    }
    return undefined;
  }

  /** The answer for a missing record, in this tenant's dialect. */
  notFound(resource: Resource, id: number | string): ApiResponse {
    const message = `${resource.wire} ${id} does not exist`;
    switch (this.switches.notFound) {
      case "404":
        return refusalAnswer(404, message);
      case "400":
        return refusalAnswer(400, message);
      case "empty":
        return { ...nothing(200), error: message };
      case "null":
        return { status: 200, body: "null", error: message };
    }
  }

  recordPath(resource: Resource, id: number): string {
    return `/restApi/v1/${this.switches.recordPath.replace("{resource}", resource.wire).replace("{id}", String(id))}`;
  }
}

export function originOf({ request, account }: Caller, action: WriteAction): WriteOrigin {
  return { action, request, username: account.username };
}

/** Whether a record exists for this account. */
export function sees(account: Account | undefined, resource: ResourceName, record: StoredRecord): boolean {
  const only = account?.sees?.[resource];
  if (only === undefined) return true;
  return Object.entries(only).every(([field, value]) => record[field] === value);
}
