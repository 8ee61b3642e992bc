import type { JsonObject, RecordId, Row, StopError } from "#model";
import type { Stream } from "#mapping";
import { AdoptionGate, LeftOutRecords, Leases, Matcher, RestoredRecords, Synchronizer } from "#pipeline";
import type { Fault, StoredRecord } from "#sandbox";
import type { Claim, RecordView, Store } from "#store";
import { openTenant, type Tenant } from "../conformance/service-tenant.ts";
import { deletion, LEASE_MS, upsert, type StorePlace } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { never } from "../kit/outcome.ts";
import { silentLogger } from "../kit/logger.ts";
import { load } from "../mapping/sample.ts";
import { memoryPlace } from "../store/memory-place.ts";

/** Customers and their contacts; `words` go into the stream of the customers, `match` are its natural keys, `fields` more fields. */
export function syncFile(words: string, match: string, fields = ""): string {
  return `
sources:
  erp: { adapter: sql, url: "sqlite:erp.db" }
streams:
  customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: ${match}
    ${words}
    fields:
      customerId: number
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
      ${fields}
  contacts:
    source: erp
    read: { table: contacts, key: number }
    resource: customerContact
    fields:
      name: name
      customer: { ref: customers, key: customer }
`;
}

/**
 * The synchronizer over a store in memory and a real client of a sandbox: no queue, no loops, no files. A test stages rows and
 * asks for one delivery at a time.
 */
export class DeliveryScene implements AsyncDisposable {
  readonly clock: SetClock;
  readonly store: Store;
  readonly tenant: Tenant;
  readonly stopped: StopError[] = [];
  readonly leftOut: LeftOutRecords;
  readonly streams: readonly Stream[];
  readonly #synchronizer: Synchronizer;
  readonly #leases: Leases;
  readonly #place: StorePlace;

  private constructor(place: StorePlace, store: Store, tenant: Tenant, clock: SetClock, file: string) {
    this.#place = place;
    this.store = store;
    this.tenant = tenant;
    this.clock = clock;
    const streams = load(file).streams;
    this.streams = streams;
    const { service } = tenant;
    const common = { store, service, clock, logger: silentLogger, settleMs: 0 };
    const matcher = new Matcher({ ...common, maxAgeMs: 0 }, streams);
    this.#leases = new Leases(store, LEASE_MS);
    const age = { compare: () => Promise.resolve(), tell: () => Promise.resolve() };
    const stop = (error: StopError) => void this.stopped.push(error);
    const restored = new RestoredRecords(common);
    this.leftOut = new LeftOutRecords({ ...common, matcher, everyMs: 1 }, streams);
    const { leftOut } = this;
    const gate = new AdoptionGate({ ...common, matcher, age, restored, leftOut, opened: () => {}, stop }, streams);
    this.#synchronizer = new Synchronizer({
      ...common,
      matcher,
      age,
      leases: this.#leases,
      streams: new Map(streams.map((stream): [string, Stream] => [stream.name, stream])),
      observer: { staged() {}, polled() {}, pollFailed() {}, delivered() {} },
      policy: { retryBaseMs: 1_000, retryMaxMs: 60_000, retryAttempts: 5, settleMs: 0 },
      guard: { percent: 100, count: 1_000, floor: 1_000 },
      close: (stream, error) => gate.close(stream, error),
      stop,
    });
  }

  static async open(words = "", match = "[customerId]", fields = ""): Promise<DeliveryScene> {
    const clock = new SetClock();
    const place = await memoryPlace();
    const store = await place.open({ as: "daemon", leaseMs: LEASE_MS, clock, logger: silentLogger });
    return new DeliveryScene(place, store, await openTenant(), clock, syncFile(words, match, fields));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leases[Symbol.dispose]();
    await this.tenant[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await this.#place[Symbol.asyncDispose]();
  }

  /** What the ERP shows of a record now; without a row it has deleted it. */
  async erp(id: RecordId, row?: Row): Promise<void> {
    const change = row ? upsert(id.key, row) : deletion(id.key);
    await this.store.stage(id.stream, { changes: [change], cursor: null, backfill: false, complete: true });
  }

  /** One delivery of what is due now. */
  async deliver(id: RecordId): Promise<RecordView> {
    await this.#synchronizer.deliver(id, never);
    const view = await this.store.record(id);
    if (!view) throw new Error(`${id.stream}/${id.key} is not known`);
    return view;
  }

  /** Deliveries until the record has nothing more to do at this moment. */
  async settle(id: RecordId): Promise<RecordView> {
    for (;;) {
      const view = await this.deliver(id);
      if (view.state !== "due" || (view.dueAt ?? 0) > this.clock.now()) return view;
    }
  }

  /** Stages a row and carries it into the service. */
  async inService(id: RecordId, row: Row): Promise<StoredRecord> {
    await this.erp(id, row);
    const { binding, error } = await this.settle(id);
    const record = binding && this.tenant.sandbox.record(binding.resource, binding.serviceId);
    if (!record) throw new Error(`${id.stream}/${id.key} did not arrive: ${error?.message}`);
    this.tenant.sandbox.ledger.clear();
    return record;
  }

  /** A delivery that died after it had begun a create, or after the service had carried it out without telling the id. */
  async dies(id: RecordId, projection: JsonObject, { isAnswered = false } = {}): Promise<void> {
    const claim = await this.claim(id);
    await this.store.begin(claim, { resource: "customer", projection });
    if (isAnswered) await this.store.noteCreate(claim, "answered");
    await this.store.end(claim, { kind: "release" });
  }

  async claim(id: RecordId): Promise<Claim> {
    const claim = await this.store.claim(id);
    if (!claim) throw new Error(`${id.stream}/${id.key} could not be claimed`);
    return claim;
  }

  fault(fault: Fault): void {
    this.tenant.sandbox.faults.add(fault);
  }

  /** Writes that the service saw, as `METHOD resource`. */
  writes(): string[] {
    const { tenant } = this;
    return ["POST", "PUT", "DELETE"].flatMap((method) =>
      ["customer", "customerContact"].flatMap((resource) =>
        Array.from({ length: tenant.requests(resource, method) }, () => `${method} ${resource}`),
      ),
    );
  }
}
