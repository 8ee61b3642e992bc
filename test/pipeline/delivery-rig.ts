import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSyncFile, type Stream } from "#mapping";
import type { Change, RecordId } from "#model";
import {
  Approved,
  ApprovedSchedule,
  Leases,
  Matcher,
  observeAll,
  Planner,
  Synchronizer,
  type PlannedDelivery,
} from "#pipeline";
import { DEFAULT_TOKEN, startSandbox, type Sandbox } from "#sandbox";
import { KnownNames, openService, resourceNames, type Service } from "#service";
import { openStore, type RecordView, type Store } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { adapters } from "../mapping/sample.ts";
import { secrets, serviceSettings } from "../service/stand-in.ts";

/** Nothing that a run waits for itself takes longer than this. */
const RUN_MS = 3 * 60_000;
const MOST = 100_000;

export const unguarded = { percent: 100, count: 1_000_000, floor: 1_000_000 };

export function streamsOf(text: string): readonly Stream[] {
  const context = { file: "sync.yaml", environment: {}, adapters, resources: new Set(resourceNames) };
  return loadSyncFile(text, context).streams;
}

/** A store and the deliveries of it to a sandbox, without queue and daemon: one record after the other, by a clock that is set. */
export class DeliveryRig implements AsyncDisposable {
  readonly clock: SetClock;
  readonly store: Store;
  readonly service: Service;
  readonly #folder: string;

  private constructor(clock: SetClock, store: Store, service: Service, folder: string) {
    this.clock = clock;
    this.store = store;
    this.service = service;
    this.#folder = folder;
  }

  static async open(sandbox: Sandbox): Promise<DeliveryRig> {
    const folder = await mkdtemp(join(tmpdir(), "svcsync-plan-"));
    const clock = new SetClock();
    const store = await openStore(folder, { as: "daemon", clock, logger: silentLogger });
    const referenceCache = {
      load: (resource: string) => store.reference(resource),
      save: (...of: Parameters<Store["saveReference"]>) => store.saveReference(...of),
    };
    const given = { ...secrets, serviceToken: DEFAULT_TOKEN };
    const service = openService(serviceSettings(sandbox.url), given, { clock, logger: silentLogger, referenceCache });
    return new DeliveryRig(clock, store, service, folder);
  }

  async stage(stream: string, changes: readonly Change[]): Promise<void> {
    this.clock.advance(1);
    await this.store.stage(stream, { changes, cursor: this.clock.now(), backfill: false, complete: true });
  }

  /** Delivers what is due, and what becomes due by that, until nothing more comes. */
  async run(streams: readonly Stream[], approved?: Approved): Promise<void> {
    for (const { name, fingerprint } of streams) await this.store.remap(name, fingerprint);
    const { store, service, clock } = this;
    const common = { store, service, clock, logger: silentLogger };
    const matcher = await this.survey(streams);
    using leases = new Leases(store, 60_000);
    const synchronizer = new Synchronizer({
      ...common,
      matcher,
      age: { tell: () => Promise.resolve() },
      leases,
      streams: new Map(streams.map((stream) => [stream.name, stream] as const)),
      observer: observeAll([]),
      policy: { retryBaseMs: 1_000, retryMaxMs: 1_000, retryAttempts: 3, settleMs: 0 },
      guard: unguarded,
      expect: approved?.expect,
      close: (_stream, error) => Promise.reject(error),
      stop: (error) => {
        throw error;
      },
    });
    const names = streams.map(({ name }) => name);
    const until = clock.now() + RUN_MS;
    const schedule = approved ? new ApprovedSchedule(store, approved, clock) : store;
    for (;;) {
      for (const { id } of await schedule.due({ limit: MOST, streams: names })) await synchronizer.deliver(id, never);
      const nextAt = await schedule.nextDueAt(names);
      if (nextAt === undefined || nextAt > until) return;
      clock.advance(Math.max(0, nextAt - clock.now()));
    }
  }

  /** Reads what the service has into the match index. */
  async survey(streams: readonly Stream[]): Promise<Matcher> {
    const { store, service, clock } = this;
    const matcher = new Matcher(
      { store, service, clock, logger: silentLogger, settleMs: 0, maxAgeMs: 60_000 },
      streams,
    );
    for (const stream of streams) if (stream.match.length > 0) await matcher.survey(stream, never);
    return matcher;
  }

  planner(streams: readonly Stream[], guard = unguarded): Promise<Planner> {
    const names = new KnownNames({ load: (resource) => this.store.reference(resource) });
    const lookup = (...[resource, by, value]: Parameters<Service["lookup"]>) => names.lookup(resource, by, value);
    return Planner.open({ store: this.store, names: lookup, clock: this.clock, guard }, streams);
  }

  async views(streams: readonly Stream[]): Promise<RecordView[]> {
    const all = streams.map(({ name }) => this.store.records({ stream: name, limit: MOST }));
    return (await Promise.all(all)).flat();
  }

  async writes(id: RecordId) {
    const history = await this.store.audit({ id, limit: 100 });
    return history.filter(({ action }) => action !== "attempt").toReversed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.store[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Approves what is planned now. */
export async function approveAll(
  rig: DeliveryRig,
  streams: readonly Stream[],
): Promise<{ approved: Approved; planned: PlannedDelivery[] }> {
  const approved = new Approved();
  const planned: PlannedDelivery[] = [];
  const planner = await rig.planner(streams);
  for (const { name } of streams) for await (const each of planner.plan(name, never)) planned.push(each);
  for (const { id, fields, ...approval } of planned) {
    const { sequence } = (await rig.store.record(id))!;
    approved.add(id, {
      ...approval,
      serviceId: approval.serviceId,
      fields: fields.map(({ field }) => field),
      sequence,
    });
  }
  approved.open();
  return { approved, planned };
}

/** A rig, and the sandbox that it delivers to. */
export async function openRigScene() {
  const sandbox = await startSandbox();
  const rig = await DeliveryRig.open(sandbox);
  return {
    sandbox,
    rig,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}
