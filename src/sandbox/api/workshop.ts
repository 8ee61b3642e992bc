import type { Json, JsonObject } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import type { StoredRecord } from "../records/version.ts";
import { json, type Answer } from "./answer.ts";
import { followUp } from "./conduct.ts";
import type { Shaper } from "./shape.ts";
import type { Caller, Tenant } from "./tenant.ts";
import type { Writes } from "./writes.ts";

/** One call of an action of a record. */
export interface ActionCall {
  readonly resource: Resource;
  readonly record: StoredRecord;
  /** Method and word: `PUT finish`. */
  readonly name: string;
  readonly argument: string | undefined;
  readonly body: JsonObject;
  readonly caller: Caller;
}

/** What actions have to work with. */
export interface Workshop {
  readonly tenant: Tenant;
  readonly writes: Writes;
  readonly shaper: Shaper;
}

/** Fields that belong to one record and are not copied to its clone. */
const OWN = ["id", "created", "modified", "ticketNumber", "documentNumber", "webLink", "invoiceNumber"];

/** Stores values that no edit may write. */
export function setValues(
  { tenant, shaper }: Workshop,
  { resource, record, body, caller }: ActionCall,
  values: Readonly<Record<string, Json>>,
): Answer {
  const changed: StoredRecord = { ...record, ...values, id: record.id, modified: tenant.now() };
  const origin = { action: "edit", request: caller.request, username: caller.account.username, sent: body } as const;
  tenant.database.put(resource.name, changed, origin);
  followUp(tenant, resource, record, changed, origin);
  return json(shaper.shape(changed, shaper.plan(resource, "one", null)));
}

/** Creates a copy of a record with everything that may be written. */
export function clone({ writes }: Workshop, { resource, record, caller }: ActionCall): Answer {
  const body: JsonObject = {};
  for (const [name, value] of Object.entries(record)) {
    const field = resource.fields.get(name);
    const copied = field !== undefined && field.written !== "never" && value !== null && !OWN.includes(name);
    if (copied) body[field.wire] = value;
  }
  return writes.answerCreated(resource, writes.insert(resource, body, caller), null);
}
