import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject, ResourceName } from "#model";
import { resourceFacts, resourceNames } from "#service";
import { never, thrownBy } from "../kit/outcome.ts";
import { openTenant, rowsOf, type Tenant } from "./service-tenant.ts";

/** Operations that the service refuses for ever, beyond deletions that the client refuses itself. */
const EDIT_REFUSED = new Set(["svcDocumentMessage"]);
const DELETE_REFUSED = new Set(resourceNames.filter((name) => resourceFacts(name).neverDeletes));
const STARTED = "2026-01-02T03:04:05.000Z";

/** What each resource needs at creation beside a name. */
async function requiredFields(tenant: Tenant): Promise<Record<ResourceName, JsonObject>> {
  const { service } = tenant;
  const named: Tenant["named"] = (resource, name) => tenant.named(resource, name);
  const customer = (await service.create("customer", tenant.customer("base"), never)).serviceId;
  const svcDocument = (await service.create("svcDocument", { customer }, never)).serviceId;
  const serviceType = named("serviceType", "Wartung");
  const task = (await service.create("svcDocumentTask", { svcDocument, name: "t", serviceType }, never)).serviceId;
  const worker = named("user", "Sabine Öttl");
  const parent = async (resource: ResourceName, fields: JsonObject = {}) =>
    (await service.create(resource, { name: "above", ...fields }, never)).serviceId;
  const agreement = await parent("agreement");
  const costEstimation = await parent("costEstimation");
  const costEstimationTask = await parent("costEstimationTask", { costEstimation });
  const links = { priority: named("priority", "Low"), ticketStatus: named("ticketStatus", "Open") };
  const ticket = (await service.create("ticket", { description: "above", ...links }, never)).serviceId;
  return {
    agreementComponent: { agreement },
    agreementPeriod: { agreement },
    contignentItem: { contingent: await parent("contignent") },
    costEstimationTask: { costEstimation },
    costEstimationSubTask: { costEstimation, costEstimationTask },
    taskTemplate: { svcDocumentTemplate: await parent("svcDocumentTemplate") },
    ticketLink: { ticket },
    customer: { customerId: "C-1", customerStatus: named("customerStatus", "Active") },
    customerContact: { customer },
    customerLocation: { customer, street: "Hauptstraße 1", zipcode: "4020", city: "Linz" },
    customerObject: { customer, object: named("object", "Heizkessel") },
    customerStatus: { selectable: true },
    customField: { parentType: "CUSTOMER", type: "TEXT" },
    svcDocument: { customer },
    svcDocumentConflict: { svcDocument },
    svcDocumentMessage: { svcDocument, content: "x" },
    svcDocumentTask: { svcDocument, serviceType },
    svcDocumentTaskMaterial: { svcDocument, task, amount: 1.5 },
    svcDocumentTaskPlanningTime: { svcDocument, task, estimate: 1, estimateType: "WORK", startDate: STARTED },
    svcDocumentTaskWorkLog: { svcDocument, task, worker, time: 60_000, started: STARTED },
    svcDocumentTraveLog: { svcDocument, worker, distance: 1.5, time: 60_000, started: STARTED },
    ticket: {
      description: "x",
      priority: named("priority", "Low"),
      ticketStatus: named("ticketStatus", "Open"),
    },
    ticketMessage: { ticket, content: "x" },
    user: {
      email: "n@example.com",
      password: "p",
      username: "n",
      permissionGroup: named("permissionGroup", "Technik"),
    },
  };
}

/** A field of each resource to write twice. */
const FIELDS: Record<ResourceName, readonly [field: string, first: string | number, second: string | number]> = {
  invoice: ["invoiceNumber", "R-1", "R-2"],
  svcDocument: ["referenceNumber", "A", "B"],
  svcDocumentConflict: ["message", "A", "B"],
  svcDocumentMessage: ["content", "A", "B"],
  svcDocumentTaskMaterial: ["serial", "A", "B"],
  svcDocumentTaskPlanningTime: ["estimate", 1, 2],
  svcDocumentTaskWorkLog: ["comment", "A", "B"],
  svcDocumentTraveLog: ["comment", "A", "B"],
  ticket: ["referenceNumber", "A", "B"],
  ticketMessage: ["content", "A", "B"],
  customerObject: ["extendedName", "A", "B"],
  timeRecord: ["externalId", "A", "B"],
};

/** Every nested or corrected spelling that is known. */
const otherPaths = Object.fromEntries(
  resourceNames.flatMap((name): [string, string][] => {
    const { otherPath } = resourceFacts(name);
    return otherPath === undefined ? [] : [[name, otherPath]];
  }),
);

describe.each([
  ["plain paths", { svcDocumentTask: "svcDocument/{parent}/task" }],
  ["nested paths and corrected spellings", otherPaths],
])("every endpoint of the reference, through the client, by %s", (_name, paths) => {
  let tenant: Tenant;
  let required: Record<ResourceName, JsonObject>;
  let tickets: readonly [number, number];
  beforeAll(async () => {
    tenant = await openTenant({}, { paths });
    required = await requiredFields(tenant);
    const ticket = () => tenant.service.create("ticket", required["ticket"] ?? {}, never);
    tickets = [(await ticket()).serviceId, (await ticket()).serviceId];
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it.each(resourceNames)("%s is created, listed, read, edited and deleted", async (resource) => {
    const link = resource === "ticketLink" ? (["target", ...tickets] as const) : undefined;
    const [field, first, second] = link ?? FIELDS[resource] ?? ["name", "A", "B"];
    const body = { ...(field === "name" ? { name: first } : { name: "n" }), ...required[resource], [field]: first };
    const named = resource === "svcDocument" || resource === "ticket" || resource.endsWith("Message");
    const fields = named || field !== "name" ? omit(body, "name") : body;
    const sent = resource === "svcDocumentTask" ? { ...fields, name: first } : fields;

    const created = await tenant.service.create(resource, sent, never);
    expect(created.dropped.filter((dropped) => dropped.field === field)).toEqual([]);
    const id = created.serviceId;

    const rows = await rowsOf(tenant, resource, [field]);
    expect(rows.filter((row) => row["id"] === id)).toMatchObject([{ id, [field]: first }]);
    expect(await tenant.service.read(resource, id, [field], never)).toMatchObject({ id, [field]: first });

    const edit = tenant.service.update(resource, id, { fields: { [field]: second }, arrays: {} }, never);
    if (EDIT_REFUSED.has(resource)) await expectRefused(edit);
    else await expectChanged(tenant, resource, id, field, second, edit);

    const removal = tenant.service.remove(resource, id, never);
    if (EDIT_REFUSED.has(resource) || DELETE_REFUSED.has(resource)) await expectRefused(removal);
    else await expectGone(tenant, resource, id, removal);

    const [root = ""] = (Object.entries(paths).find(([name]) => name === resource)?.[1] ?? resource).split("{");
    for (const { url } of tenant.sandbox.ledger.requests({ resource })) expect(url).toContain(`/restApi/v1/${root}`);
  });
});

async function expectRefused(work: Promise<unknown>): Promise<void> {
  expect(await thrownBy(work)).toMatchObject({ family: "park", code: "E_SERVICE_REFUSED" });
}

async function expectChanged(
  tenant: Tenant,
  resource: ResourceName,
  id: number,
  field: string,
  value: string | number,
  edit: Promise<unknown>,
): Promise<void> {
  expect(await edit).toMatchObject({ serviceId: id, dropped: [] });
  expect(await tenant.service.read(resource, id, [field], never)).toMatchObject({ [field]: value });
}

async function expectGone(
  tenant: Tenant,
  resource: ResourceName,
  id: number,
  removal: Promise<unknown>,
): Promise<void> {
  await removal;
  expect(await tenant.service.read(resource, id, ["id"], never)).toBeUndefined();
  await tenant.service.remove(resource, id, never);
}

function omit(body: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
}
