import { canonicalJson, type Json, type JsonObject } from "#model";
import type { Sandbox, StoredRecord } from "#sandbox";
import { COMPARED, type Compared, type Erp, type Records } from "./erp.ts";

/** What holds the records: the sandbox, or what stands in for it. */
export type Service = Pick<Sandbox, "records" | "record">;

/** Compares ERP and service record by record, and remembers what the ERP once had. */
export class Comparison {
  readonly #erp: Erp;
  readonly #sandbox: Service;
  readonly #ever: Record<Compared, Map<string, JsonObject>>;

  constructor(erp: Erp, sandbox: Service) {
    this.#erp = erp;
    this.#sandbox = sandbox;
    this.#ever = {
      customer: new Map(),
      customerLocation: new Map(),
      customerContact: new Map(),
      ticket: new Map(),
      svcDocument: new Map(),
    };
  }

  /** Records that were compared so far. */
  get count(): number {
    return COMPARED.reduce((sum, resource) => sum + this.#ever[resource].size, 0);
  }

  /** A sentence for each record that is missing, differs, or is there twice. */
  async complaints(): Promise<string[]> {
    const now = await this.#erp.records();
    return COMPARED.flatMap((resource) => this.#differences(resource, now));
  }

  #differences(resource: Compared, now: Records): string[] {
    const live = now[resource];
    // This ERP's trial says nothing of such records.
    if (live === undefined) return [];
    const ever = this.#ever[resource];
    for (const [key, record] of live) ever.set(key, record);
    for (const [key, last] of ever) if (!live.has(key)) ever.set(key, { ...last, ...this.#erp.retired[resource] });
    const wanted = [...ever.values()];
    const fields = [...new Set(wanted.flatMap((record) => Object.keys(record)))];
    const found = this.#sandbox.records(resource).map((record) => this.#named(record, fields));
    const surplus = found.map(canonicalJson);
    const missing = wanted.map(canonicalJson).filter((text) => {
      const at = surplus.indexOf(text);
      if (at !== -1) surplus.splice(at, 1);
      return at === -1;
    });
    return [
      ...missing.map((text) => `${resource}: the service lacks ${text}`),
      ...surplus.map((text) => `${resource}: only the service has ${text}`),
    ];
  }

  #named(record: StoredRecord, fields: readonly string[]): JsonObject {
    return Object.fromEntries(fields.map((field) => [field, this.#name(field, record[field])]));
  }

  #name(field: string, value: Json | undefined): Json {
    const naming = NAMES[field];
    if (naming === undefined || typeof value !== "number") return value === undefined || value === "" ? null : value;
    return this.#sandbox.record(naming.resource, value)?.[naming.by] ?? `no ${naming.resource} ${value}`;
  }
}

/** Fields that hold ids, and what to show in their place. */
const NAMES: Readonly<Record<string, { resource: string; by: string }>> = {
  customer: { resource: "customer", by: "customerId" },
  customerLocation: { resource: "customerLocation", by: "name" },
  customerContact: { resource: "customerContact", by: "name" },
  customerStatus: { resource: "customerStatus", by: "name" },
  ticketStatus: { resource: "ticketStatus", by: "name" },
  priority: { resource: "priority", by: "name" },
};
