import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "#sandbox";
import { openReader } from "../../../src/returns/read/open-reader.ts";
import { thrownBy } from "../../kit/outcome.ts";
import { brief, customerOf, knowing, lists, reportStream, returnTenant, type ReturnTenant } from "../tenant.ts";

const signal = AbortSignal.timeout(60_000);

async function scene(options: SandboxOptions = {}) {
  const tenant = await returnTenant(options);
  const { id } = tenant.sandbox.people.approvedReport({
    customer: customerOf(tenant.sandbox),
    erpReferenceNumber: "A-1",
  });
  return { tenant, id: String(id), read: (subject = String(id)) => reader(tenant).whole(subject, signal) };
}

const store = {
  returns: knowing(),
  boundTo: () => Promise.resolve(undefined),
  record: () => Promise.resolve(undefined),
  standings: { page: () => Promise.resolve({ standings: [], next: undefined }) },
};
const reader = ({ service }: ReturnTenant) => openReader({ service, store }, reportStream());

const NESTED: SandboxOptions = { expandChildren: false };

describe("a report read as a whole", () => {
  it("takes one request where the service expands lists", async () => {
    const { tenant, id, read } = await scene();
    await using _ = tenant;
    const whole = await read();
    expect(whole).toMatchObject({
      subject: id,
      serviceId: Number(id),
      record: {
        erpReferenceNumber: "A-1",
        approved: true,
        approvedDate: expect.any(String),
        tasks: [
          {
            serviceType: expect.any(Number),
            workLogs: [{ invoiceTime: 6_000_000, worker: expect.any(Number) }, { invoiceTime: 2_100_000 }],
            materials: [{ amount: 2 }],
          },
        ],
        travelLogs: [{ distance: 31.4 }],
      },
    });
    expect(tenant.asked()).toHaveLength(1);
  });

  it("takes the head, each list and the head again where it does not, and shows the same", async () => {
    const one = await scene();
    await using _one = one.tenant;
    const other = await scene(NESTED);
    await using _other = other.tenant;
    const shape = async ({ read }: typeof one) => {
      const record = (await read())?.record;
      return ["tasks", "tasks.workLogs", "tasks.materials", "travelLogs"].map((path) =>
        lists(record, path).map(({ invoiceTime, amount, distance, comment }) => [
          invoiceTime,
          amount,
          distance,
          comment,
        ]),
      );
    };
    expect(await shape(other)).toEqual(await shape(one));
    other.tenant.asked();
    await other.read();
    const [task] = other.tenant.sandbox.records("svcDocumentTask");
    const below = `svcDocument/${other.id}`;
    expect(brief(other.tenant.asked())).toEqual([
      below,
      `${below}/task`,
      `${below}/task/${task?.id}/workLog`,
      `${below}/task/${task?.id}/material`,
      `${below}/travelLog`,
      below,
    ]);
  });

  it("is read again when a line changed between two requests, and then has the new lines", async () => {
    for (const change of ["edit", "add", "remove"] as const) {
      const { tenant, read } = await scene(NESTED);
      await using _ = tenant;
      await read();
      tenant.sandbox.faults.add({ kind: "changeLine", change, path: "*/travelLog*", count: 1 });
      const logs = lists((await read())?.record, "tasks.workLogs");
      const stored = tenant.sandbox.records("svcDocumentTaskWorkLog");
      // The change came after the lines were read and the head does not show it: this is what the report was before.
      expect([change, logs.length, stored.length]).toEqual([change, 2, { edit: 2, add: 3, remove: 1 }[change]]);
      tenant.sandbox.faults.add({ kind: "changeLine", change: "edit", path: "*/task?*", count: 1 });
      const again = lists((await read())?.record, "tasks.workLogs");
      expect(again.map(({ id, invoiceTime }) => [id, invoiceTime])).toEqual(
        tenant.sandbox.records("svcDocumentTaskWorkLog").map(({ id, time }) => [id, time]),
      );
    }
  });

  it("is read again when its stamp changed meanwhile", async () => {
    const { tenant, read } = await scene({ ...NESTED, lineEdits: "moveReport", totals: false });
    await using _ = tenant;
    await read();
    tenant.asked();
    tenant.sandbox.faults.add({ kind: "changeLine", path: "*/workLog*", count: 1 });
    const logs = lists((await read())?.record, "tasks.workLogs");
    expect(logs.map(({ invoiceTime }) => invoiceTime)).toEqual(
      tenant.sandbox.records("svcDocumentTaskWorkLog").map(({ time }) => time),
    );
    expect(tenant.asked()).toHaveLength(12);
  });

  it("is refused after three readings during which it changed", async () => {
    const { tenant, id, read } = await scene({ ...NESTED, lineEdits: "moveReport" });
    await using _ = tenant;
    await read();
    tenant.asked();
    tenant.sandbox.faults.add({ kind: "changeLine", path: "*/workLog*" });
    expect(await thrownBy(read())).toMatchObject({
      code: "E_RETURN_MOVING",
      family: "retry",
      message: expect.stringContaining(
        `svcDocument ${id} could not be read as a whole, three times in a row: it changed`,
      ),
    });
    expect(brief(tenant.asked()).filter((url) => url.endsWith("/travelLog"))).toHaveLength(3);
  });

  it.each([{}, NESTED])("is refused when its lines do not add up to the total that it shows (%o)", async (options) => {
    const { tenant, id, read } = await scene(options);
    await using _ = tenant;
    tenant.sandbox.people.edit("svcDocument", Number(id), { totalTasksInvoiceTime: 1 });
    expect(await thrownBy(read())).toMatchObject({
      code: "E_RETURN_MOVING",
      message: expect.stringContaining("totalTasksInvoiceTime is 1, its lines add up to 8100000"),
    });
  });

  it.each([{}, NESTED])("may have no lines at all (%o)", async (options) => {
    const { tenant } = await scene(options);
    await using _ = tenant;
    const customer = customerOf(tenant.sandbox);
    const [{ id } = { id: 0 }] = tenant.sandbox.seed("svcDocument", [{ customer, approved: true }]);
    expect((await reader(tenant).whole(String(id), signal))?.record).toMatchObject({ tasks: [], travelLogs: [] });
  });

  it.each(["404", "400", "empty", "null"] as const)(
    "is undefined when the service does not have it (%s)",
    async (notFound) => {
      const { tenant, id, read } = await scene({ notFound });
      await using _ = tenant;
      tenant.sandbox.vanish("svcDocument", Number(id));
      expect(await read()).toBeUndefined();
    },
  );

  it("is undefined when it is deleted while it is read", async () => {
    const { tenant, id, read } = await scene(NESTED);
    await using _ = tenant;
    await read();
    tenant.sandbox.faults.add({ kind: "vanish", path: `*svcDocument/${id}?*`, skip: 1, count: 1 });
    expect(await read()).toBeUndefined();
  });

  it("of a tenant with a brand and many lines is read whole", async () => {
    const { tenant, id, read } = await scene({ ...NESTED, listWrapper: "resource" });
    await using _ = tenant;
    for (let at = 0; at < 120; at++) tenant.sandbox.people.changeLine("svcDocument", Number(id), "add");
    expect(lists((await read())?.record, "tasks.workLogs")).toHaveLength(122);
  });
});
