import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { ENDPOINTS } from "./endpoint-names.ts";
import { idsOf, openTenant, rowsOf, type Tenant } from "./tenant.ts";

/** Endpoints that refuse a method in any case, with the status the live service gives. */
const REFUSED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  svcDocumentTask: { POST: 500 },
  svcDocumentMessage: { PUT: 405, DELETE: 405 },
  materialItem: { DELETE: 405 },
  tag: { DELETE: 403 },
  serviceType: { DELETE: 403 },
  customField: { DELETE: 403 },
};

describe("resource endpoints (section 4.5)", () => {
  let tenant: Tenant;
  let required: Readonly<Record<string, JsonObject>>;
  beforeAll(async () => {
    tenant = await openTenant();
    const customer = await tenant.customer();
    const svcDocument = (await tenant.write("POST", "v1/svcDocument", { customer })).id;
    const [worker, serviceType] = [tenant.named("user", "Sabine Öttl"), tenant.named("serviceType", "Wartung")];
    const tasks = `v1/svcDocument/${svcDocument}/task`;
    await tenant.write("POST", tasks, { name: "to be deleted", serviceType });
    const task = (await tenant.write("POST", tasks, { name: "t", serviceType })).id;
    const started = "2026-01-02T03:04:05.000Z";
    required = {
      customer: { customerId: "C-1", customerStatus: tenant.named("customerStatus", "Active") },
      customerContact: { customer },
      customerLocation: { customer, street: "Hauptstraße 1", zipcode: "4020", city: "Linz" },
      customerObject: { customer, object: tenant.named("object", "Heizkessel") },
      customerStatus: { selectable: true },
      customField: { parentType: "CUSTOMER", type: "TEXT" },
      svcDocument: { customer },
      svcDocumentMessage: { svcDocument, content: "x" },
      svcDocumentConflict: { svcDocument },
      svcDocumentTaskMaterial: { task, amount: 1.5 },
      svcDocumentTaskPlanningTime: { task, estimate: 1, estimateType: "WORK", startDate: started },
      svcDocumentTaskWorkLog: { task, worker, time: 60_000, started },
      svcDocumentTraveLog: { svcDocument, worker, distance: 1.5, time: 60_000, started },
      ticket: {
        description: "x",
        priority: tenant.named("priority", "Low"),
        ticketStatus: tenant.named("ticketStatus", "Open"),
      },
      ticketMessage: { content: "x" },
      user: {
        email: "n@example.com",
        password: "p",
        username: "n",
        permissionGroup: tenant.named("permissionGroup", "Technik"),
      },
    };
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it("there are 93 of them", () => {
    expect(ENDPOINTS).toHaveLength(93);
  });

  it.for(ENDPOINTS)(
    "v1/%s creates, lists, reads, edits and deletes, or refuses as the live service does",
    async (name) => {
      const refused = REFUSED[name] ?? {};
      const made = await tenant.write("POST", `v1/${name}`, { name: `Neu ${name}`, ...required[name] });
      expect(made.status).toBe(refused["POST"] ?? 200);
      const id = refused["POST"] === undefined ? made.id : (tenant.sandbox.records(name)[0]?.id ?? 0);
      expect(id).toBeGreaterThan(0);
      expect(idsOf(await tenant.read(`v1/${name}?limit=50&fields=id`), name)).toContain(id);
      expect((await tenant.read(`v1/${name}/${id}`)).json).toMatchObject({ id });
      const edited = await tenant.write("PUT", `v1/${name}/${id}?fields=*`, { name: "Geändert" });
      expect(edited.status).toBe(refused["PUT"] ?? 200);
      const deleted = await tenant.write("DELETE", `v1/${name}/${id}`);
      expect(deleted.status).toBe(refused["DELETE"] ?? 204);
      expect((await tenant.read(`v1/${name}/${id}`)).status).toBe(refused["DELETE"] === undefined ? 404 : 200);
    },
  );

  it("resources whose fields no document names keep what they are given", async () => {
    const body = { name: "Vertrag", laufzeit: 12, stufen: [1, 2], detail: { a: null } };
    const made = await tenant.write("POST", "v1/agreement", body);
    expect((await tenant.read(`v1/agreement/${made.id}`)).json).toMatchObject(body);
    await tenant.write("PUT", `v1/agreement/${made.id}`, { laufzeit: 24 });
    expect((await tenant.read(`v1/agreement/${made.id}?fields=laufzeit,name`)).json).toEqual({
      laufzeit: 24,
      name: "Vertrag",
    });
  });
});

describe("spellings that differ from the reference", () => {
  it.for([
    ["contignent", "contingent"],
    ["contignentItem", "contingentItem"],
    ["svcDocumentTraveLog", "svcDocumentTravelLog"],
    ["traveType", "travelType"],
  ] as const)("%s and %s are one endpoint", async ([reference, other]) => {
    await using tenant = await openTenant();
    const [record] = tenant.sandbox.seed(reference, [{ name: "eins" }]);
    expect((await tenant.read(`v1/${other}/${record?.id}`)).json).toMatchObject({ id: record?.id });
    expect(idsOf(await tenant.read(`v1/${other}?limit=50`), other)).toContain(record?.id);
  });

  it("what the reference lists flat also lives below its parent, under the key of the segment", async () => {
    await using tenant = await openTenant();
    const customer = await tenant.customer();
    const svcDocument = (await tenant.write("POST", "v1/svcDocument", { customer })).id;
    const other = (await tenant.write("POST", "v1/svcDocument", { customer })).id;
    const serviceType = tenant.named("serviceType", "Wartung");
    const worker = tenant.named("user", "Sabine Öttl");
    const task = await tenant.write("POST", `v1/svcDocument/${svcDocument}/task`, {
      name: "Filter tauschen",
      serviceType,
    });
    const started = "2026-01-02T03:04:05.000Z";
    const logs = `v1/svcDocument/${svcDocument}/task/${task.id}/workLog`;
    const log = await tenant.write("POST", logs, { worker, time: 3_600_000, started });
    expect([task.status, log.status]).toEqual([200, 200]);

    expect(idsOf(await tenant.read(`v1/svcDocument/${svcDocument}/task`), "task")).toEqual([task.id]);
    expect(idsOf(await tenant.read(`v1/svcDocument/${other}/task`), "task")).toEqual([]);
    expect(idsOf(await tenant.read(logs), "workLog")).toEqual([log.id]);
    expect(idsOf(await tenant.read("v1/svcDocumentTask"), "svcDocumentTask")).toEqual([task.id]);
    expect((await tenant.read(`${logs}/${log.id}`)).json).toMatchObject({ id: log.id, task: task.id });
    expect((await tenant.read(`v1/svcDocument/${other}/task/${task.id}`)).status).toBe(404);
    expect((await tenant.read(`v1/svcDocument/${other}/task/${task.id}/workLog`)).status).toBe(404);
    expect((await tenant.read("v1/svcDocument/4711/task")).status).toBe(404);

    const withLog = await tenant.write("DELETE", `v1/svcDocument/${svcDocument}/task/${task.id}`);
    expect(withLog.status).toBe(400);
    await tenant.write("DELETE", `${logs}/${log.id}`);
    expect((await tenant.write("DELETE", `v1/svcDocument/${svcDocument}/task/${task.id}`)).status).toBe(204);
  });

  it("a service record may be created with its tasks and their work logs at once, or not at all", async () => {
    await using tenant = await openTenant();
    const customer = await tenant.customer();
    const worker = tenant.named("user", "Sabine Öttl");
    const serviceType = tenant.named("serviceType", "Wartung");
    const workLogs = [{ worker, time: 1, started: "2026-01-02T03:04:05.000Z" }];
    const made = await tenant.write("POST", "v1/svcDocument", {
      customer,
      tasks: [{ name: "A", serviceType, workLogs }],
    });
    const [task] = tenant.sandbox.records("svcDocumentTask");
    expect(task).toMatchObject({ name: "A", svcDocument: made.id });
    expect(tenant.sandbox.records("svcDocumentTaskWorkLog")).toMatchObject([{ task: task?.id, worker }]);
    const half = await tenant.write("POST", "v1/svcDocument", {
      customer,
      tasks: [{ name: "B", serviceType, workLogs: [{}] }],
    });
    expect(half.status).toBe(400);
    expect(tenant.sandbox.records("svcDocument")).toHaveLength(1);
    const shown = await tenant.read(`v1/svcDocument/${made.id}?fields=tasks.name`);
    expect(shown.json).toEqual({ tasks: [{ id: task?.id, name: "A" }] });
    expect(rowsOf(await tenant.read("v1/svcDocument?fields=tasks"), "svcDocument")).toEqual([{ tasks: [task?.id] }]);
  });
});
