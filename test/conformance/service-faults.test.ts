import { afterEach, assert, beforeEach, describe, expect, it } from "vitest";
import { RetryError, WaitError } from "#model";
import type { Fault } from "#sandbox";
import { never, thrownBy } from "../kit/outcome.ts";
import { openTenant, rowsOf, type Tenant } from "./service-tenant.ts";

describe("the client while the service fails", () => {
  let tenant: Tenant;
  beforeEach(async () => {
    tenant = await openTenant();
  });
  afterEach(() => tenant[Symbol.asyncDispose]());
  const stored = () => tenant.sandbox.records("customer").map((record) => record["customerId"]);
  const customer = (number: string) => tenant.service.create("customer", tenant.customer(number), never);

  it.each<Fault>([
    { kind: "serverError", when: "after" },
    { kind: "serverError", status: 502, html: true, when: "after" },
    { kind: "cut", when: "after" },
    { kind: "cut", when: "midBody" },
    { kind: "brokenJson" },
  ])(
    "leaves the outcome of a create unknown after %j, never repeats it, and shows its record in the list",
    async (fault) => {
      tenant.sandbox.faults.add({ ...fault, resource: "customer", method: "POST", count: 1 });
      const thrown = await thrownBy(customer("lost"));
      expect(thrown).toBeInstanceOf(RetryError);
      expect(thrown).toMatchObject({ outcomeUnknown: true });
      expect(stored()).toEqual(["K-lost"]);
      expect(await rowsOf(tenant, "customer", ["customerId"])).toMatchObject([{ customerId: "K-lost" }]);
    },
  );

  it("shows nothing after a create that failed before it was done", async () => {
    tenant.sandbox.faults.add({ kind: "serverError", when: "before", resource: "customer", method: "POST", count: 1 });
    expect(await thrownBy(customer("never"))).toMatchObject({ outcomeUnknown: true });
    expect(await rowsOf(tenant, "customer", ["customerId"])).toEqual([]);
  });

  it.each(["seconds", "date"] as const)("stays away as long as Retry-After asks, told in %s", async (form) => {
    const busy: Fault = {
      kind: "tooMany",
      retryAfterSeconds: 20,
      retryAfterForm: form,
      resource: "customer",
      count: 1,
    };
    tenant.sandbox.faults.add(busy);
    const thrown = await thrownBy(customer("busy"));
    expect(thrown).toMatchObject({ family: "wait", code: "E_SERVICE_BUSY" });
    assert(thrown instanceof WaitError);
    expect(thrown.afterMs).toBeGreaterThan(15_000);
    expect(thrown.afterMs).toBeLessThanOrEqual(20_000);
    expect(stored()).toEqual([]);
  });

  it("tells of an edit whose end was not seen instead of repeating it; sent again in order, the last one stands", async () => {
    const { serviceId } = await customer("1");
    tenant.sandbox.faults.add({ kind: "serverError", when: "after", method: "PUT", every: 2 });
    const edit = (name: string) =>
      tenant.service.update("customer", serviceId, { fields: { name }, arrays: {} }, never);
    await edit("A");
    for (const name of ["B", "C"]) {
      expect(await thrownBy(edit(name))).toMatchObject({ family: "retry", outcomeUnknown: true });
      await edit(name);
    }
    expect(tenant.requests("customer", "PUT")).toBe(5);
    expect(tenant.sandbox.record("customer", serviceId)).toMatchObject({ name: "C" });
  });

  it("deletes what a deletion whose answer was lost has deleted already", async () => {
    const { serviceId } = await customer("1");
    tenant.sandbox.faults.add({ kind: "cut", when: "after", method: "DELETE", count: 1 });
    const deletion = () => tenant.service.remove("customer", serviceId, never);
    expect(await thrownBy(deletion())).toMatchObject({ family: "retry", outcomeUnknown: true });
    expect(await deletion()).toMatchObject({ status: 404 });
    expect(stored()).toEqual([]);
  });

  it("reads a list to its end through cut connections, broken answers and busy ones", async () => {
    tenant.sandbox.seed(
      "customer",
      Array.from({ length: 230 }, (_, at) => tenant.customer(at)),
    );
    tenant.sandbox.faults.add({ kind: "cut", when: "midBody", method: "GET", count: 1 });
    tenant.sandbox.faults.add({ kind: "brokenJson", method: "GET", skip: 2, count: 1 });
    tenant.sandbox.faults.add({ kind: "tooMany", retryAfterSeconds: 1, method: "GET", skip: 4, count: 1 });
    const rows = await rowsOf(tenant, "customer", ["customerId"]);
    expect(new Set(rows.map((row) => row["customerId"])).size).toBe(230);
    expect(rows).toHaveLength(230);
  });

  it("says that a record is gone when it vanishes under the edit", async () => {
    const { serviceId } = await customer("1");
    tenant.sandbox.faults.add({ kind: "vanish", method: "PUT" });
    const edit = tenant.service.update("customer", serviceId, { fields: { name: "B" }, arrays: {} }, never);
    expect(await thrownBy(edit)).toMatchObject({ family: "park", code: "E_RECORD_GONE" });
  });
});
