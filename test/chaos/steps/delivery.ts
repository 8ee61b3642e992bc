import { readFile } from "node:fs/promises";
import { z } from "zod";
import { loadSyncFile } from "#mapping";
import { recordName, sleep, systemClock, type Clock, type RecordId, type Row, type StopError } from "#model";
import { Leases, Matcher, observeAll, Synchronizer } from "#pipeline";
import { openQueue } from "#queue";
import { openService, resourceNames } from "#service";
import { loadSettings, secretTexts, storeLocation } from "#settings";
import { openStore, type Store } from "#store";
import { openLogger } from "#telemetry";
import { keptSession } from "../../../src/daemon/cluster/kept-session.ts";

/** Wraps a part, so that its calls can be counted. */
export type Wrap = <Part extends object>(name: string, part: Part) => Part;

/** The delivering half of a daemon: the real store and service, and a synchronizer between them; with QUEUE_URL its queue, too. */
export interface Delivery extends AsyncDisposable {
  readonly store: Store;
  /** Delivers what is due until nothing is, however long retries and waits take. */
  drain(): Promise<void>;
  /** Stages rows as a poll does; without a row the ERP deleted it. */
  stage(stream: string, key: string, row?: Row): Promise<void>;
}

/** How often a record that was woken is looked at, and how many times until it is woken again. */
const LOOK_MS = 20;
const LOOKS = 500;

/** Nothing is read from an ERP here: rows are staged by hand. */
const noErp = { settings: z.record(z.string(), z.unknown()), read: z.record(z.string(), z.unknown()) };

export async function openDelivery(
  envFile: string,
  wrap: Wrap = (_name, part) => part,
  clock: Clock = systemClock,
): Promise<Delivery> {
  const { settings, secrets } = loadSettings({ envFile, environment: {} });
  const { streams } = loadSyncFile(await readFile(settings.syncFile, "utf8"), {
    file: settings.syncFile,
    environment: settings.environment,
    adapters: new Map([["sql", noErp]]),
    resources: new Set(resourceNames),
  });
  const logger = openLogger({
    level: "error",
    format: "json",
    secrets: secretTexts(secrets),
    destination: process.stderr,
  });
  const { leaseMs } = settings.delivery;
  const location = storeLocation(settings, secrets);
  const store = await openStore(location, { as: "daemon", leaseMs, clock, logger });
  const service = openService(settings.service, secrets, {
    clock,
    logger,
    version: "0.0.0",
    mayWrite: () => store.cluster.mayWrite(),
    ...(typeof location === "string" ? {} : { session: keptSession(store, (text) => text) }),
    referenceCache: {
      load: (resource) => store.reference(resource),
      save: (resource, entries) => store.saveReference(resource, entries),
    },
  });
  const leases = new Leases(store, leaseMs);
  const common = { store: wrap("store", store), service: wrap("service", service), clock, logger };
  const matcher = new Matcher(
    { ...common, settleMs: settings.delivery.settleMs, maxAgeMs: settings.service.matchMaxAgeMs },
    streams,
  );
  let failure: StopError | undefined;
  const synchronizer = new Synchronizer({
    ...common,
    matcher,
    age: { tell: async () => undefined },
    leases,
    observer: observeAll([]),
    streams: new Map(streams.map((stream) => [stream.name, stream])),
    policy: settings.delivery,
    guard: settings.guard,
    close: (_, error) => Promise.reject(error),
    stop: (error) => {
      failure = error;
    },
  });
  const names = streams.map(({ name }) => name);
  const { signal } = new AbortController();
  const due = () => store.due({ limit: 100, streams: names });
  const deliver = (id: RecordId) => synchronizer.deliver(id, signal);
  const queue = secrets.queueUrl && (await openQueue({ kind: "redis", url: secrets.queueUrl }, { clock, logger }));
  const wakeUps = queue && wrap("queue", queue);
  const job = wrap("job", { deliver, end: () => Promise.resolve() });
  let running = Promise.resolve();
  if (queue) {
    const handle = (id: RecordId) => (running = job.deliver(id).then(() => job.end()));
    await queue.start({ deliver: handle, poll: () => Promise.resolve() }, { concurrency: 1, polls: false });
  }
  /** Resolves when they were delivered; also when their wake-ups came to nothing. */
  const deliverAll = async (ids: readonly RecordId[]) => {
    if (!wakeUps) for (const id of ids) await deliver(id);
    else if (ids.length > 0) {
      await wakeUps.wake(ids, { backfill: false });
      const woken = new Set(ids.map(recordName));
      for (let look = 0; look < LOOKS && (await due()).some(({ id }) => woken.has(recordName(id))); look++)
        await sleep(LOOK_MS);
      await running;
    }
  };
  return {
    store,
    async drain() {
      for (;;) {
        await deliverAll((await due()).map(({ id }) => id));
        if (failure) throw failure;
        const nextAt = await store.nextDueAt(names);
        if (nextAt === undefined) return;
        await sleep(Math.max(0, nextAt - clock.now()));
      }
    },
    async stage(stream, key, row) {
      const change = row === undefined ? ({ kind: "delete", key } as const) : ({ kind: "upsert", key, row } as const);
      await store.stage(stream, { changes: [change], cursor: null, backfill: false, complete: true });
    },
    async [Symbol.asyncDispose]() {
      if (queue) await queue[Symbol.asyncDispose]();
      leases[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
