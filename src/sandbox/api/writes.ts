import type { Json, JsonObject, ResourceName } from "#model";
import type { ReportAction, Resource } from "../catalogue/resource.ts";
import { idsOf, type StoredRecord } from "../records/version.ts";
import { json, nothing, RequestRefusal, type ApiResponse } from "./answer.ts";
import { readDraft, type BodyDraft } from "./draft.ts";
import { invoiceStatus, type Reports } from "./reports.ts";
import type { Shaper } from "./shape.ts";
import { originOf, type Caller, type Tenant } from "./tenant.ts";

/** Creates, edits and deletes. Everything is checked before anything is written. */
export class Writes {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  readonly #reports: Reports;

  constructor(tenant: Tenant, shaper: Shaper, reports: Reports) {
    this.#tenant = tenant;
    this.#shaper = shaper;
    this.#reports = reports;
  }

  create(resource: Resource, body: JsonObject, fields: string | null, caller: Caller): ApiResponse {
    return this.#answerCreated(resource, this.#insert(resource, body, caller), fields);
  }

  edit(
    resource: Resource,
    current: StoredRecord,
    body: JsonObject,
    fields: string | null,
    caller: Caller,
  ): ApiResponse {
    return this.#answer(resource, this.#change(resource, current, body, caller), fields);
  }

  /** Gives a contact or an object another customer. Its site stays with the old one unless the body names another. */
  move(
    resource: Resource,
    current: StoredRecord,
    body: JsonObject,
    fields: string | null,
    caller: Caller,
  ): ApiResponse {
    const { moveAttachedCustomerObjects: withObjects, ...owners } = body;
    if (owners["customer"] === undefined) throw new RequestRefusal(400, "customer is required");
    const { values } = readDraft(this.#tenant, { ...resource, required: [] }, owners, undefined);
    const { customer = null, customerLocation } = values;
    const site = "customerLocation" in owners ? (customerLocation ?? null) : null;
    const moved = this.#tenant.restate(resource.name, current, { customer, customerLocation: site }, body, caller);
    if (resource.name === "customerContact" && withObjects === true)
      for (const object of this.#linked("customerObject", "customerContact", current.id))
        this.#tenant.restate("customerObject", object, { customer, customerLocation: site }, {}, caller);
    return this.#answer(resource, moved, fields);
  }

  /** Merges the ticket `source` into `target`, which gets its service records and its tags. */
  merge(
    resource: Resource,
    target: StoredRecord,
    source: StoredRecord,
    fields: string | null,
    caller: Caller,
  ): ApiResponse {
    for (const record of this.#linked("svcDocument", "ticket", source.id))
      this.#tenant.restate("svcDocument", record, { ticket: target.id }, {}, caller);
    this.#tenant.restate(resource.name, source, { mergedToTicket: target.id }, {}, caller);
    const tags = [...new Set([...idsOf(target["tags"]), ...idsOf(source["tags"])])];
    const merged = this.#tenant.restate(resource.name, target, { tags }, {}, caller);
    return this.#answer(resource, merged, fields);
  }

  /** Finishes, approves or cancels a service record. */
  act(
    resource: Resource,
    current: StoredRecord,
    { action, body }: { readonly action: ReportAction; readonly body: JsonObject },
    fields: string | null,
    caller: Caller,
  ): ApiResponse {
    const record = this.#reports.act(current, action, body, caller);
    return this.#answer(resource, record, fields);
  }

  delete(resource: Resource, current: StoredRecord, caller: Caller): ApiResponse {
    if (resource.name === "svcDocumentTask" && this.#hasParts(current))
      throw new RequestRefusal(400, "a task with work logs, planning times or materials cannot be deleted");
    this.#tenant.database.remove(resource.name, current.id, originOf(caller, "delete"));
    this.#reports.lineChanged(resource.name, current, caller);
    return nothing(204);
  }

  /** Checks and stores a new record and its embedded records. */
  #insert(resource: Resource, body: JsonObject, caller: Caller): StoredRecord {
    const draft = readDraft(this.#tenant, resource, body, undefined);
    this.#checkEmbedded(draft);
    const { database } = this.#tenant;
    const id = database.nextId();
    const record: Record<string, Json> & { id: number } = {
      ...initialValues(this.#tenant, resource, id, caller),
      ...draft.values,
      ...this.#tenant.createStamps(resource),
      id,
    };
    if (resource.name === "svcDocument" && record["type"] === true) record["drafted"] = true;
    this.#commit(resource, undefined, record, draft, body, caller);
    this.#reports.lineChanged(resource.name, record, caller);
    return record;
  }

  /** Checks and stores a partial edit. */
  #change(resource: Resource, current: StoredRecord, body: JsonObject, caller: Caller): StoredRecord {
    const draft = readDraft(this.#tenant, resource, body, current);
    this.#checkEmbedded(draft);
    const record: Record<string, Json> & { id: number } = {
      ...current,
      ...draft.values,
      ...this.#tenant.editStamps(resource),
      id: current.id,
    };
    if (resource.name === "invoice") record["status"] = invoiceStatus(record);
    this.#commit(resource, current, record, draft, body, caller);
    if (resource.name === "invoice") this.#reports.showNumber(record, caller);
    this.#reports.lineChanged(resource.name, record, caller);
    return this.#tenant.find(resource.name, record.id) ?? record;
  }

  #linked(resource: ResourceName, field: string, id: number): StoredRecord[] {
    const rows = this.#tenant.database.table(resource).find(field, id);
    return rows.flatMap(({ version }) => version.record ?? []);
  }

  #answerCreated(resource: Resource, record: StoredRecord, fields: string | null): ApiResponse {
    const { createAnswer, createStatus: status } = this.#tenant.switches;
    switch (createAnswer) {
      case "record":
        return { ...this.#answer(resource, record, fields), status };
      case "id":
        return { status, body: `{"id":${record.id}}` };
      case "location":
        return {
          status,
          body: "",
          headers: { location: this.#tenant.url + this.#tenant.recordPath(resource, record.id) },
        };
      case "none":
        return nothing(status);
    }
  }

  /** A written record as `fields` requests it, always with its id. */
  #answer(resource: Resource, record: StoredRecord, fields: string | null): ApiResponse {
    const shown = this.#shaper.shape(record, this.#shaper.plan(resource, "one", fields));
    return json("id" in shown ? shown : { id: record.id, ...shown });
  }

  #commit(
    resource: Resource,
    before: StoredRecord | undefined,
    record: StoredRecord,
    { dropped, embedded }: BodyDraft,
    sent: JsonObject,
    caller: Caller,
  ): void {
    const origin = originOf(caller, before === undefined ? "create" : "edit");
    this.#tenant.database.put(resource.name, record, { ...origin, sent: withoutSecrets(resource, sent), dropped });
    for (const { field, items } of embedded) {
      const child = this.#tenant.resource(field.targets[0]!);
      const parent = child.fields.get(field.through!)!.wire;
      for (const item of items) {
        const known = this.#tenant.find(child.name, Number(item["id"]));
        if (known === undefined) this.#insert(child, { ...item, [parent]: record.id }, caller);
        else this.#change(child, known, item, caller);
      }
    }
  }

  #checkEmbedded({ embedded }: BodyDraft): void {
    for (const { field, items } of embedded) {
      const child = this.#tenant.resource(field.targets[0]!);
      for (const item of items)
        this.#checkEmbedded(readDraft(this.#tenant, child, item, this.#tenant.find(child.name, Number(item["id"]))));
    }
  }

  #hasParts(task: StoredRecord): boolean {
    const parts = ["svcDocumentTaskWorkLog", "svcDocumentTaskPlanningTime", "svcDocumentTaskMaterial"];
    return parts.some((part) => this.#tenant.database.table(part).find("task", task.id).length > 0);
  }
}

function withoutSecrets(resource: Resource, sent: JsonObject): JsonObject {
  if (resource.name !== "user" || sent["password"] === undefined) return sent;
  return { ...sent, password: "***" };
}

/** A new report: what people have not done yet. */
export const untouchedReport = {
  finished: false,
  preFinished: false,
  approved: false,
  canceled: false,
  drafted: false,
};

/** Minimum number of digits in a ticket number. */
const TICKET_DIGITS = 6;
const DOCUMENT_DIGITS = 5;

/** The values that the service itself sets when a record is created. */
function initialValues(tenant: Tenant, resource: Resource, id: number, caller: Caller): Record<string, Json> {
  switch (resource.name) {
    case "ticket":
      return {
        ticketNumber: `T${String(id).padStart(TICKET_DIGITS, "0")}`,
        creatorSource: "API",
        creatorUser: userId(tenant, caller),
        webLink: `${tenant.url}/app/ticket/${id}`,
      };
    case "svcDocument": {
      const day = tenant.now().slice(0, 10).replaceAll("-", "");
      return {
        documentNumber: `#${day}-${String(id).padStart(DOCUMENT_DIGITS, "0")}`,
        billable: true,
        ...untouchedReport,
        canChangeDocument: true,
        webLink: `${tenant.url}/app/document/${id}`,
      };
    }
    case "ticketMessage":
    case "svcDocumentMessage":
      return {
        user: userId(tenant, caller),
        sender: caller.account.username,
        senderType: "USER_REST_API",
        receivedDate: tenant.now(),
      };
    default:
      return {};
  }
}

function userId(tenant: Tenant, caller: Caller): number | null {
  return tenant.database.table("user").find("username", caller.account.username)[0]?.id ?? null;
}
