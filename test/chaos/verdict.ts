import { isJsonObject, type Json, type ResourceName } from "#model";
import type { Sandbox } from "#sandbox";
import { expectations, type Expectation } from "./expected.ts";

/** What one stream of the service is worth, read from the service and the ERP alone. */
export interface StreamVerdict {
  readonly stream: string;
  readonly rows: number;
  readonly records: number;
  readonly duplicates: string[];
  readonly missing: string[];
  readonly stale: string[];
  readonly unexplained: string[];
  readonly leftOverTags: number;
  /** Key to the key of the record that people merged it into. */
  readonly takenBy: ReadonlyMap<string, string>;
  /** Keys of records that wait for a parent which never comes. */
  readonly stuck: ReadonlySet<string>;
}

/** `wasOlder`: the store was lost or put back to an earlier state meanwhile. */
export async function judge(...of: Parameters<typeof expectations>): Promise<StreamVerdict[]> {
  const all = await expectations(...of);
  return all.map(compare);
}

function compare({
  stream,
  live,
  retired,
  found,
  leftOverTags = 0,
  takenBy = new Map(),
  stuck = new Set(),
}: Expectation): StreamVerdict {
  const duplicates: string[] = [];
  const stale: string[] = [];
  const unexplained: string[] = [];
  const seen = new Map<string, number>();
  for (const { id, key, fields } of found) {
    const other = seen.get(key);
    if (other !== undefined) duplicates.push(`${key} is ${other} and ${id}`);
    seen.set(key, id);
    const expected = live.get(key) ?? retired.get(key);
    if (expected === undefined) unexplained.push(`${key} is ${id}`);
    else
      for (const [name, value] of Object.entries(expected))
        if (fields[name] !== value)
          stale.push(
            `${key} (${id}): ${name} is ${JSON.stringify(fields[name])}, the ERP says ${JSON.stringify(value)}`,
          );
  }
  const missing = [...live.keys()].filter((key) => !seen.has(key));
  return {
    stream,
    rows: live.size,
    records: found.length,
    duplicates,
    missing,
    stale,
    unexplained,
    leftOverTags,
    takenBy,
    stuck,
  };
}

/** The key of a record, by which two of its kind at one time are duplicates. */
const IDENTITY: Readonly<Record<string, string>> = {
  customer: "customerId",
  customerContact: "info",
  ticket: "erpReferenceNumber",
  svcDocument: "erpReferenceNumber",
};

/** Duplicates that stood at any moment, also those that went again: read from the service's log of writes. */
export function duplicatesEver(sandbox: Sandbox): string[] {
  const found: string[] = [];
  const live = new Map<string, Set<number>>();
  const keys = new Map<number, string>();
  for (const { resource, id, action, record } of sandbox.ledger.writes()) {
    const field = IDENTITY[resource];
    if (field === undefined) continue;
    if (action === "create" && record) {
      const value = record[field];
      const key = `${resource} ${typeof value === "string" ? value.split(" ")[0] : JSON.stringify(value)}`;
      keys.set(id, key);
      const ids = live.get(key) ?? new Set();
      live.set(key, ids.add(id));
      if (ids.size > 1) found.push(`${key} was created as ${[...ids].join(" and ")}`);
    }
    if (record === undefined) live.get(keys.get(id) ?? "")?.delete(id);
  }
  return found;
}

const OWNED: Readonly<Record<string, readonly string[]>> = {
  customer: ["customerId", "shortName", "wildcardAddress", "warning", "name", "customerStatus"],
  customerContact: ["labeling", "name", "firstName", "lastName", "email", "telephone", "mobile", "gender", "info"],
  ticket: [
    "erpReferenceNumber",
    "customer",
    "customerContact",
    "description",
    "priority",
    "ticketStatus",
    "tags",
    "dueDate",
  ],
  svcDocument: ["customer", "ticket", "referenceNumber", "billable"],
};

/** Only a move changes the customer of a contact. An edit that carries it is answered 200, and drops it. */
export function isMove(resource: ResourceName, sent: Json | undefined): boolean {
  return resource === "customerContact" && isJsonObject(sent) && Object.keys(sent).join() === "customer";
}

/** Edits of ours that carried a field which is not ours. */
export function foreignFieldsSent(sandbox: Sandbox): string[] {
  return sandbox.ledger.writes({ action: "edit" }).flatMap(({ resource, id, sent, dropped = [] }) => {
    const owned = dropped.length === 0 && isMove(resource, sent) ? ["customer"] : OWNED[resource];
    if (owned === undefined || typeof sent !== "object" || sent === null || Array.isArray(sent)) return [];
    return Object.keys(sent)
      .filter((name) => !owned.includes(name))
      .map((name) => `${resource} ${id} was sent ${name}`);
  });
}
