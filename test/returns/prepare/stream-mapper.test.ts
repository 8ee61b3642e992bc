import { describe, expect, it } from "vitest";
import { RetryError, type JsonObject, type RecordId } from "#model";
import { ErpNames, StreamMapper, type WholeRecord } from "#returns";
import { SetClock } from "../../kit/clock.ts";
import { REPORT, returnStream } from "../../mapping/returns/sample.ts";

const { signal } = new AbortController();

/** What the store has bound, and what the service shows. */
class Scene {
  readonly clock = new SetClock();
  readonly bound = new Map<string, RecordId>([["customer/3", { stream: "customers", key: "K|3" }]]);
  readonly open: RecordId[] = [];
  readonly service = new Map<string, JsonObject>([
    ["priority/8", { externalErpNumber: "M8", name: "Muster" }],
    ["tag/5", { number: "S5" }],
  ]);
  readonly asked: string[] = [];
  failure: Error | undefined;
  /** Ids that one request can show; undefined where the service cannot be asked for several. */
  several: readonly number[] | undefined;

  mapper(words: Record<string, unknown> = {}): StreamMapper {
    const names = new ErpNames({
      clock: this.clock,
      resources: new Map([
        ["customers", "customer"],
        ["contacts", "customer"],
      ]),
      store: {
        boundTo: async ({ resource, serviceId }) => this.bound.get(`${resource}/${serviceId}`),
        records: async ({ stream }) => this.open.filter((id) => id.stream === stream).map((id) => ({ id })),
      },
      read: async (resource, id, fields) => {
        this.asked.push(`${resource}/${id} ${fields.join()}`);
        if (this.failure) throw this.failure;
        return this.service.get(`${resource}/${id}`);
      },
      ...(this.several && {
        several: async (resource: string, ids: readonly number[], fields: readonly string[]) => {
          this.asked.push(`${resource}/${ids.join()} ${fields.join()}`);
          const shown = ids.filter((id) => this.several?.includes(id));
          return new Map(
            shown.flatMap((id) =>
              this.service.has(`${resource}/${id}`) ? [[id, this.service.get(`${resource}/${id}`)!]] : [],
            ),
          );
        },
      }),
    });
    return new StreamMapper(returnStream(words), names);
  }
}

function whole(record: JsonObject = {}): WholeRecord {
  return {
    subject: "7",
    serviceId: 7,
    modifiedAt: 0,
    record: {
      id: 7,
      erpReferenceNumber: "A-1",
      customer: 3,
      approvedDate: "2026-12-02T08:00:00.000Z",
      finishedDate: "2026-12-01T23:30:00.000Z",
      tasks: [
        {
          id: 20,
          serviceType: 5,
          workLogs: [
            { id: 31, worker: 8, invoiceTime: 1_200_000, comment: "pump" },
            { id: 30, worker: 8, invoiceTime: 1_200_000 },
            { id: 32, worker: null, invoiceTime: 1_200_000 },
          ],
          materials: [{ id: 40, amount: 2.5 }],
        },
      ],
      travelLogs: [{ id: 50, distance: 12.34 }],
      ...record,
    },
  };
}

const time = (id: number, amount: string, staff_no: string | null, remark: string | null) => ({
  kind: "time",
  id,
  change: "added",
  amount,
  amountBefore: null,
  fields: { staff_no, article: "S5", remark },
});

describe("a mapper of returns", () => {
  it("makes of a report what the ERP can book", async () => {
    const scene = new Scene();
    const content = await scene.mapper().content(whole(), undefined, signal);
    expect(content).toEqual({
      fields: { order_no: "A-1", customer_no: "K|3", finished_at: "2026-12-02T00:30:00" },
      lines: [
        time(30, "0.33", "M8", null),
        time(31, "0.33", "M8", "pump"),
        time(32, "0.34", null, null),
        { kind: "material", id: 40, change: "added", amount: "2.5", amountBefore: null, fields: { unit: "piece" } },
        { kind: "travel", id: 50, change: "added", amount: "12.3", amountBefore: null, fields: {} },
      ],
    });
    expect(scene.asked).toEqual(["priority/8 externalErpNumber", "tag/5 number"]);
  });

  it.each([
    ["one by one where the service cannot be asked for several", undefined, 31],
    ["in one request where it can", Array.from({ length: 30 }, (_, at) => 100 + at), 2],
    ["one by one where one request does not show them", [100, 101], 30],
  ])("asks for the names of thirty lines %s", async (_how, several, requests) => {
    const scene = new Scene();
    scene.several = several;
    const workLogs = Array.from({ length: 30 }, (_, at) => ({ id: at + 1, worker: 100 + at, invoiceTime: 3_600_000 }));
    for (const { worker } of workLogs) scene.service.set(`priority/${worker}`, { externalErpNumber: `M${worker}` });
    const tasks = [{ id: 20, serviceType: 5, workLogs, materials: [] }];
    const { lines } = await scene.mapper().content(whole({ tasks, travelLogs: [] }), undefined, signal);
    expect(lines.map(({ fields }) => fields["staff_no"])).toEqual(workLogs.map(({ worker }) => `M${worker}`));
    expect(scene.asked).toHaveLength(requests);
  });

  it("asks for a name again after five minutes", async () => {
    const scene = new Scene();
    const mapper = scene.mapper();
    await mapper.content(whole(), undefined, signal);
    await mapper.content(whole(), undefined, signal);
    expect(scene.asked).toHaveLength(2);
    scene.clock.advance(5 * 60_000);
    scene.service.set("tag/5", { number: "S6" });
    expect((await mapper.content(whole(), undefined, signal)).lines[0]!.fields["article"]).toBe("S6");
  });

  it("names what differs from the version before", async () => {
    const mapper = new Scene().mapper();
    const before = await mapper.content(whole(), undefined, signal);
    const after = await mapper.content(whole({ travelLogs: [] }), before, signal);
    expect(after.lines.map(({ id, change }) => [id, change])).toEqual([
      [30, "same"],
      [31, "same"],
      [32, "same"],
      [40, "same"],
      [50, "removed"],
    ]);
    expect(mapper.hash("correction", after)).not.toBe(mapper.hash("fact", before));
    expect(mapper.cancelled(after).lines).toHaveLength(4);
  });

  it("knows when a report became final", () => {
    const { record } = whole();
    expect(new Scene().mapper().finalAt(record)).toBe(Date.UTC(2026, 11, 2, 8));
    expect(new Scene().mapper({ when: "finished" }).finalAt(record)).toBe(Date.UTC(2026, 11, 1, 23, 30));
    expect(new Scene().mapper().finalAt({ approvedDate: null })).toBeUndefined();
  });

  it.each<[string, (scene: Scene) => void, string]>([
    [
      "a customer that no record is bound to",
      (scene) => {
        scene.bound.clear();
        scene.service.set("customer/3", { name: "Muster AG" });
      },
      "it.customer_no: customer 3 (Muster AG): no record of customers is bound to it",
    ],
    [
      "a customer of another stream",
      ({ bound }) => bound.set("customer/3", { stream: "contacts", key: "9" }),
      "it.customer_no: customer 3: it belongs to contacts/9, not to customers",
    ],
    [
      "a worker without a number",
      ({ service }) => service.set("priority/8", { name: "Muster", externalErpNumber: " " }),
      "it.time.staff_no: priority 8 (Muster): it has no externalErpNumber",
    ],
    [
      "a service type that is gone",
      ({ service }) => service.delete("tag/5"),
      "it.time.article: tag 5: the service does not have it",
    ],
  ])("parks a report with %s", async (_what, spoil, message) => {
    const scene = new Scene();
    spoil(scene);
    const mapper = scene.mapper();
    await expect(mapper.content(whole(), undefined, signal)).rejects.toMatchObject({
      code: "E_RETURN_KEY",
      family: "park",
      message,
    });
    // Once somebody has entered the number, the next attempt finds it.
    scene.bound.set("customer/3", { stream: "customers", key: "3" });
    scene.service.set("priority/8", { externalErpNumber: "M8" });
    scene.service.set("tag/5", { number: "S5" });
    await expect(mapper.content(whole(), undefined, signal)).resolves.toBeDefined();
  });

  it("waits for a key that is about to be known", async () => {
    const scene = new Scene();
    scene.bound.clear();
    scene.open.push({ stream: "customers", key: "77" });
    await expect(scene.mapper().content(whole(), undefined, signal)).rejects.toMatchObject({
      code: "E_RETURN_WAITS",
      family: "wait",
      message:
        "it.customer_no: no record of customers is bound to customer 3 yet; customers/77 is being delivered and may be it",
    });
  });

  it("passes on what keeps the service from answering, and asks again", async () => {
    const scene = new Scene();
    const mapper = scene.mapper();
    scene.failure = new RetryError("E_SERVICE_FAILED", "500");
    await expect(mapper.content(whole(), undefined, signal)).rejects.toBe(scene.failure);
    scene.failure = undefined;
    await expect(mapper.content(whole(), undefined, signal)).resolves.toBeDefined();
  });

  it("parks a report whose rounded lines do not add up", async () => {
    const lines = [{ ...REPORT.lines[0], amount: { expr: "invoiceTime / 3600000", round: 2 } }];
    await expect(new Scene().mapper({ lines }).content(whole(), undefined, signal)).rejects.toMatchObject({
      code: "E_RETURN_SUM",
    });
  });
});
