import { randomBytes } from "node:crypto";
import { z } from "zod";
import { StopError, systemClock, type StreamName } from "#model";
import { AskedPolls, Nudges, observeAll, type Observer, type Relay, type StreamHolds } from "#pipeline";
import { openQueue, type Queue, type QueueHandlers } from "#queue";
import type { Note, NoteStore } from "#store";
import type { SyncFile } from "#mapping";
import { assemble, queueLocation, type Assembly } from "./assembly.ts";
import { Arrivals } from "./observers/arrivals.ts";
import { Closing } from "./closing.ts";
import { Leading, leadFailed } from "./replicas/leading.ts";
import { ReplicaPart } from "./replicas/replica.ts";
import { DeliveryLog } from "./observers/delivery-log.ts";
import { DaemonMetrics } from "./observers/metrics.ts";
import { servePages } from "./page/pages.ts";
import { ParkedLog } from "./observers/parked-log.ts";
import { openSystems, type Configuration, type Systems } from "./systems/systems.ts";
import { PollWatch } from "./watch/poll-watch.ts";
import { RecordWatch } from "./watch/record-watch.ts";
import { observeRequests, openTracing } from "./observers/tracing.ts";
import { proveWork } from "./watch/work-proof.ts";
import { RunHistory } from "./observers/run-history.ts";
import type { PollPlan } from "./polling.ts";

export interface DaemonOptions {
  readonly observers?: readonly Observer[];
  /** Health, metrics and the status page on HEALTH_PORT. */
  readonly web?: boolean;
  /** `scheduled` polls each stream at its interval until aborted; `once` polls each stream one time. */
  readonly polls: "scheduled" | "once";
}

/** The running daemon. Disposing it stops in the order of the data: polling, relaying, running jobs, queue, store. */
export interface Daemon extends AsyncDisposable {
  readonly parts: Systems;
  readonly holds: StreamHolds;
  readonly relay: Relay;
  /** Where the status page is, if it was asked for. */
  readonly url: string | undefined;
  /** Resolves when the daemon does its work, see {@link proveWork}. */
  proveWork(): Promise<void>;
  /** Resolves with the error that ends the daemon; stays pending as long as it can continue. */
  readonly failure: Promise<StopError>;
}

/**
 * Opens the parts and sets the loops going.
 * @throws {StopError} when a part cannot be had: the store belongs to another daemon, its disk is full, …
 */
export async function startDaemon(configuration: Configuration, options: DaemonOptions): Promise<Daemon> {
  const closing = new Closing();
  try {
    return await start(configuration, options, closing);
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function start(configuration: Configuration, options: DaemonOptions, closing: Closing): Promise<Daemon> {
  const { settings, secrets, syncFile, logger } = configuration;
  for (const { line, column, path, message } of syncFile.warnings)
    logger.warn({ file: settings.syncFile, line, column, path, advice: message }, "sync file has an old spelling");
  const counted = new DaemonMetrics();
  const tracing = await openTracing(configuration);
  const history = new RunHistory(configuration.clock ?? systemClock, logger);
  const arrivals = new Arrivals(configuration.clock ?? systemClock, logger);
  const recordWatch = new RecordWatch(configuration.clock ?? systemClock, logger);
  const listeners = [counted.requested, history.requested, recordWatch.requested];
  const requested = observeRequests(...listeners, ...(tracing ? [tracing.requested] : []));
  const parts = await openSystems({ ...configuration, requested }, "daemon", closing);
  if (tracing) closing.use(tracing.watch(parts.store));
  await recordWatch.open(parts.store);
  const { failure, fail, failed } = failureOnce();
  const location = queueLocation(settings, secrets, await installationOf(parts.store));
  const queue = closing.use(await openQueue(location, { clock: parts.clock, logger }));
  counted.watch(parts, syncFile.streams, queue);
  const summary = closing.use(new DeliveryLog(logger));
  const parked = closing.use(new ParkedLog({ logger }));
  const observers = [
    ...(options.observers ?? []),
    summary,
    parked,
    counted,
    history,
    arrivals,
    ...(tracing ? [tracing] : []),
  ];
  const observer = observeAll(observers);
  const assembly = assemble(configuration, parts, queue, observer, fail, closing);
  const { holds, relay } = assembly;
  const nudges = closing.use(new Nudges({ queue, logger, floorMs: settings.polling.nudgeFloorMs }));
  const askedPolls = new AskedPolls({ store: parts.store, nudges, holds, logger }, streamNames(syncFile));
  const plan = pollPlan(configuration, options);
  const pollWatch = new PollWatch({ store: parts.store, logger });
  const { service, store } = parts;
  const replica = new ReplicaPart({ store, service, queue, holds, ceiling: settings.service.concurrency, logger });
  const web = options.web
    ? closing.use(
        await servePages(
          configuration,
          parts,
          queue,
          { ...assembly, askedPolls },
          nudges,
          pollWatch,
          replica,
          counted.metrics,
        ),
      )
    : undefined;
  const countedHandlers = counting(recordWatch.watching(assembly.handlers), history, pollWatch);
  const handlers = tracing?.watching(countedHandlers) ?? countedHandlers;
  const leading = new Leading({
    configuration,
    parts,
    queue,
    assembly,
    plan,
    pollWatch,
    replica,
    nudges,
    askedPolls,
    metrics: counted.metrics,
    isContinuous: options.polls === "scheduled",
    fail,
    failed,
    closing,
  });
  // Before the first request: it may have to be shared.
  closing.defer(replica.begin());
  // Before the first poll and delivery: a changed mapping is held, and a hold from before a restart still counts.
  if (store.replicas.state.isLeader) await leading.prepare();
  else await holds.look();
  const stopDelivering = startDelivering(parts, queue, { ...assembly, handlers }, recordWatch, fail);
  const counts = startCounting(parts, history, arrivals);
  leading.begin();
  closing.defer(async () => {
    const lastWords = await leading.stop();
    await stopDelivering(settings.delivery.stopGraceMs);
    await counts();
    await lastWords();
  });
  return {
    parts,
    holds,
    relay,
    url: web?.url,
    proveWork: () => proveWork({ ...parts, queue, polls: pollWatch }),
    failure,
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  };
}

/** Starts what every replica does: it delivers, and looks at what holds deliveries. What it returns stops that. */
function startDelivering(
  { service }: Systems,
  queue: Queue,
  { holds, handlers, concurrency }: Assembly,
  recordWatch: RecordWatch,
  fail: (error: StopError) => void,
): (graceMs: number) => Promise<void> {
  const loops = new AbortController();
  const { signal } = loops;
  const running = Promise.all([
    queue.start(handlers, { concurrency, polls: false }).catch((thrown: unknown) => fail(leadFailed(thrown))),
    holds.run(signal),
    recordWatch.run(signal),
  ]);
  return async (graceMs) => {
    loops.abort();
    // A pause that the service asked for may be longer than the grace: what waits for its end has not been sent.
    service.drain();
    await queue.stop(graceMs);
    await running;
  };
}

/** Keeps the counts of this process in the store; what it returns adds the last ones. */
function startCounting({ store }: Systems, history: RunHistory, arrivals: Arrivals): () => Promise<void> {
  const loops = new AbortController();
  const running = Promise.all([history.run(store.history, loops.signal), arrivals.run(store, loops.signal)]);
  return async () => {
    loops.abort();
    await running;
    await history.flush(store.history);
    await arrivals.flush(store);
  };
}

/** The same work, seen by those who watch polls and count what each stream does. */
function counting(handlers: QueueHandlers, history: RunHistory, pollWatch: PollWatch): QueueHandlers {
  return {
    deliver: (id, signal) => history.within(id.stream, () => handlers.deliver(id, signal)),
    poll: pollWatch.watching((stream, signal) => history.within(stream, () => handlers.poll(stream, signal))),
  };
}

const installationNote: Note<string> = { name: "installation", schema: z.string() };

/** A name that this store has and no other. */
async function installationOf(store: NoteStore): Promise<string> {
  const known = await store.note(installationNote);
  if (known !== undefined) return known;
  const made = randomBytes(6).toString("hex");
  await store.saveNote(installationNote, made);
  return made;
}

function pollPlan({ settings, syncFile }: Configuration, { polls }: DaemonOptions): PollPlan {
  const { streams } = syncFile;
  if (polls === "once") return { scheduled: new Map(), once: streamNames(syncFile) };
  const { intervalMs } = settings.polling;
  return { scheduled: new Map(streams.map(({ name, everyMs = intervalMs }) => [name, { everyMs }])), once: [] };
}

function streamNames({ streams }: SyncFile): StreamName[] {
  return streams.map(({ name }) => name);
}

interface FailureOnce {
  readonly failure: Promise<StopError>;
  readonly fail: (error: StopError) => void;
  /** The first failure, as soon as there is one. */
  readonly failed: () => StopError | undefined;
}

function failureOnce(): FailureOnce {
  const { promise: failure, resolve } = Promise.withResolvers<StopError>();
  let first: StopError | undefined;
  const fail = (error: StopError) => {
    first ??= error;
    resolve(error);
  };
  return { failure, fail, failed: () => first };
}
