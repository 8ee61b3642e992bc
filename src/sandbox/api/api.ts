import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import type { Account } from "../account.ts";
import type { StoredRecord } from "../records/version.ts";
import { RequestRefusal, json, type ApiResponse } from "./answer.ts";
import { assignCustomFields } from "./custom-fields.ts";
import { ListReader } from "./lists.ts";
import { Reports } from "./reports.ts";
import type { ParentStep, Route } from "./route.ts";
import { Shaper } from "./shape.ts";
import type { Caller, Tenant } from "./tenant.ts";
import { Writes } from "./writes.ts";

/** One authenticated call of a resource. */
export interface ResourceCall {
  readonly method: string;
  readonly route: Exclude<Route, { kind: "login" | "logout" }>;
  readonly query: URLSearchParams | undefined;
  /** Undefined if the request has no body. */
  readonly body: Json | undefined;
  readonly caller: Caller;
}

/** The service's answers, without HTTP, faults and ledger. */
export class Api {
  readonly #tenant: Tenant;
  readonly #shaper: Shaper;
  readonly #lists: ListReader;
  readonly #writes: Writes;
  readonly #reports: Reports;

  constructor(tenant: Tenant, reports: Reports) {
    this.#tenant = tenant;
    this.#shaper = new Shaper(tenant);
    this.#lists = new ListReader(tenant, this.#shaper);
    this.#reports = reports;
    this.#writes = new Writes(tenant, this.#shaper, reports);
  }

  /** @throws {RequestRefusal} for requests that the service refuses. */
  answer(call: ResourceCall): ApiResponse {
    const { method, route, query, body, caller } = call;
    const { resource } = route;
    if (!allowed(caller.account, resource, method))
      throw new RequestRefusal(403, `no permission to ${method} ${resource.wire}`);
    const fields = query?.get("fields") ?? null;
    this.#reports.bill();
    switch (route.kind) {
      case "collection":
        this.#checkParents(route.parents, caller);
        if (method === "GET")
          return this.#lists.read({ resource, key: route.key, within: within(route.parents), query, caller });
        if (method !== "POST") throw new RequestRefusal(405, `${method} needs the id of one ${resource.wire}`);
        return this.#create(call, route.parents.at(-1), fields);
      case "record":
        this.#checkParents(route.parents, caller);
        return this.#record(call, route.id, route.parents.at(-1), fields);
      case "action":
        return this.#act(call, route, fields);
      case "customFields":
        if (method !== "PUT") throw new RequestRefusal(405, `${method} is not offered here`);
        return assignCustomFields(this.#tenant, resource, object(body), caller.request);
    }
  }

  #create(call: ResourceCall, parent: ParentStep | undefined, fields: string | null): ApiResponse {
    const { caller, route } = call;
    const { resource } = route;
    const body = object(call.body);
    const status = resource.refuses?.POST;
    const nestedOnly = resource.name === "svcDocumentTask";
    if (status !== undefined && !(nestedOnly && parent !== undefined))
      throw new RequestRefusal(status, nestedOnly ? "Unknown error" : `${resource.wire} cannot be created`);
    if (parent === undefined) return this.#writes.create(resource, body, fields, caller);
    const wire = resource.fields.get(parent.field)?.wire ?? this.#tenant.catalogue.brand.wire(parent.field);
    return this.#writes.create(resource, { ...body, [wire]: parent.id }, fields, caller);
  }

  #record(call: ResourceCall, id: number, parent: ParentStep | undefined, fields: string | null): ApiResponse {
    const { method, caller, route } = call;
    const { resource } = route;
    if (method !== "GET" && method !== "PUT" && method !== "DELETE")
      throw new RequestRefusal(405, `${method} is not offered for one ${resource.wire}`);
    const status = resource.refuses?.[method];
    if (status !== undefined) throw new RequestRefusal(status, `${method} ${resource.wire} is not allowed`);
    const record = this.#tenant.find(resource.name, id, caller.account);
    if (record === undefined || (parent && record[parent.field] !== parent.id))
      return this.#tenant.notFound(resource, id);
    if (method === "GET") return json(this.#shaper.shape(record, this.#shaper.plan(resource, "one", fields)));
    if (method === "DELETE") return this.#writes.delete(resource, record, caller);
    return this.#writes.edit(resource, record, object(call.body), fields, caller);
  }

  #act(
    { method, body, caller }: ResourceCall,
    route: Extract<Route, { kind: "action" }>,
    fields: string | null,
  ): ApiResponse {
    const { resource, id, action, other } = route;
    if (!this.#tenant.switches.actions) throw new RequestRefusal(404, "there is nothing at this path");
    if (method !== "PUT") throw new RequestRefusal(405, `${method} is not offered here`);
    const record = this.#tenant.find(resource.name, id, caller.account);
    if (record === undefined) return this.#tenant.notFound(resource, id);
    if (action === "move") return this.#writes.move(resource, record, object(body), fields, caller);
    if (action !== "merge")
      return this.#writes.act(resource, record, { action, body: object(body ?? {}) }, fields, caller);
    const source = this.#tenant.find(resource.name, other ?? 0, caller.account);
    if (source === undefined || source.id === record.id)
      throw new RequestRefusal(400, `${resource.wire} ${other} cannot be merged into ${resource.wire} ${id}`);
    return this.#writes.merge(resource, record, source, fields, caller);
  }

  /** Every record of the path must exist and belong to the previous one. */
  #checkParents(parents: readonly ParentStep[], { account }: Caller): void {
    let above: ParentStep | undefined;
    for (const step of parents) {
      const record: StoredRecord | undefined = this.#tenant.find(step.resource.name, step.id, account);
      if (record === undefined || (above && record[above.field] !== above.id))
        throw new RequestRefusal(404, `${step.resource.wire} ${step.id} does not exist`);
      above = step;
    }
  }
}

function allowed(account: Account, resource: Resource, method: string): boolean {
  if (account.permissions === undefined) return true;
  const methods = account.permissions[resource.name] ?? account.permissions["*"] ?? [];
  return methods.some((allowed) => allowed === method);
}

function within(parents: readonly ParentStep[]): { field: string; id: number } | undefined {
  const parent = parents.at(-1);
  return parent && { field: parent.field, id: parent.id };
}

function object(body: Json | undefined): JsonObject {
  if (!isJsonObject(body)) throw new RequestRefusal(400, "invalid json data");
  return body;
}
