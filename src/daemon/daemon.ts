import { StopError, type ErrorFacts } from "#model";
import type { Approved, Observer, Relay, StreamHolds } from "#pipeline";
import { InProcessJobs, openQueue, type Queue, type QueueKind } from "#queue";
import type { ReturnLane } from "#returns";
import { ownText, type Store } from "#store";
import { assemble, queueLocation, type Assembly } from "./assembly.ts";
import { Closing } from "./closing.ts";
import { warnOfLittleMemory } from "./memory-floor.ts";
import { Observers } from "./observers/observers.ts";
import { servePages } from "./page/pages.ts";
import { openReturnLane } from "./returns.ts";
import { leadershipError, Leading, type PollPlan } from "./cluster/leading.ts";
import { ClusterPart } from "./cluster/cluster-part.ts";
import { stopNote } from "./stop-note.ts";
import { lookAhead, openMatcher } from "./systems/matcher.ts";
import { openOwnStore, openSystems, type Configuration, type Systems } from "./systems/systems.ts";
import { PollWatch } from "./watch/poll-watch.ts";
import { queueGone, type QueuePatience } from "./watch/queue-gone.ts";
import { watchService } from "./watch/service-watch.ts";
import { proveWork } from "./watch/work-proof.ts";

export interface DaemonOptions {
  readonly observers?: readonly Observer[];
  /** Whether to serve health, metrics and the status page on HEALTH_PORT. */
  readonly web?: boolean;
  /** Limits the deliveries to what a person approved. Absent: everything that is due is delivered. */
  readonly approved?: Approved;
  /** `scheduled` polls each stream at its interval until aborted; `once` polls each stream one time. */
  readonly polls: "scheduled" | "once";
}

/**
 * The running daemon. Disposing it stops polling, relaying, running deliveries, the queue and the store, in this order. Another process
 * leads as soon as this one no longer polls and relays.
 */
export interface Daemon extends AsyncDisposable {
  readonly parts: Systems;
  readonly holds: StreamHolds;
  readonly relay: Relay;
  readonly queueKind: QueueKind;
  /** The lane back to the ERP: it runs while this process leads, and `once` runs one round of it. */
  readonly returns: Pick<ReturnLane, "once">;
  /** The URL of the status page, if it is served. */
  readonly url: string | undefined;
  /** Resolves while the daemon does its work; see {@link proveWork}. */
  proveWork(): Promise<void>;
  /** Resolves with an error once the queue has been dead for so long; see {@link queueGone}. */
  queueGone(patience: QueuePatience, signal: AbortSignal): Promise<ErrorFacts | undefined>;
  /** Resolves with the error that ends the daemon; pending as long as the daemon can continue. */
  readonly failure: Promise<StopError>;
}

/**
 * Opens the parts and starts the loops.
 * @throws {StopError} when a part cannot be opened: the store belongs to another daemon, its disk is full, …
 */
export async function startDaemon(configuration: Configuration, options: DaemonOptions): Promise<Daemon> {
  const closing = new Closing();
  const ending = failureOnce();
  try {
    return await start(configuration, options, closing, ending);
  } catch (thrown) {
    if (thrown instanceof StopError) ending.fail(thrown);
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function start(
  configuration: Configuration,
  options: DaemonOptions,
  closing: Closing,
  { failure, fail, failed }: FailureOnce,
): Promise<Daemon> {
  const { settings, logger } = configuration;
  warnOfOldSpellings(configuration);
  warnOfLittleMemory(logger);
  const observers = closing.use(await Observers.open(configuration, options.observers));
  const { observer, requested, metrics } = observers;
  const store = closing.use(await openOwnStore(configuration, "daemon"));
  await store.saveNote(stopNote, undefined);
  closing.defer(() => noteStop(store, failed()));
  const parts = await openSystems({ ...configuration, requested }, store, "daemon", closing);
  const { service } = parts;
  const matcher = openMatcher(configuration, parts);
  await lookAhead(configuration, store, matcher, closing);
  const queue = closing.use(await openDaemonQueue(configuration, parts, options));
  await observers.watch(parts, configuration, queue);
  void store.cluster.failure.then((reason) => fail(leadershipError(reason)));
  const assembly = assemble(
    { configuration, parts, matcher, queue, observer, approved: options.approved, fail },
    closing,
  );
  const { holds, relay } = assembly;
  const pollWatch = new PollWatch({ store, queue, logger });
  const clusterPart = new ClusterPart({
    cluster: store.cluster,
    service,
    queue,
    holds,
    ceiling: settings.service.concurrency,
    logger,
  });
  const returns = await openReturnLane(configuration, parts, closing);
  const deps = { configuration, parts, queue, assembly, returns, pollWatch, clusterPart, metrics };
  const web = options.web ? closing.use(await servePages(deps)) : undefined;
  const isContinuous = options.polls === "scheduled";
  const plan = pollPlan(configuration, options);
  const leading = new Leading({ ...deps, plan, isContinuous, fail, failed, closing });
  // Before the first request, because several processes may have to share the service.
  closing.defer(clusterPart.begin());
  // Before the first poll and delivery: hold streams whose mapping changed, and restore holds from before a restart.
  if (store.cluster.state.isLeader) await leading.prepare();
  else await holds.look();
  const poll = pollWatch.watching((...of) => assembly.handlers.poll(...of));
  const handlers = observers.watching({ ...assembly.handlers, poll });
  const stopDelivering = startDelivering(parts, queue, { ...assembly, handlers }, fail);
  const stopCounting = startLoop((signal) => observers.run(parts, signal));
  leading.begin();
  closing.defer(async () => {
    const handOver = await leading.stop();
    await allEnded(handOver(), stopDelivering(settings.delivery.stopGraceMs).then(stopCounting));
  });
  return {
    parts,
    holds,
    relay,
    returns,
    queueKind: queue.kind,
    url: web?.url,
    proveWork: () => proveWork({ ...parts, queue, polls: pollWatch }),
    queueGone: (patience, signal) => queueGone(queue, patience, signal),
    failure,
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  };
}

function warnOfOldSpellings({ settings, syncFile, logger }: Configuration): void {
  for (const { line, column, path, message } of syncFile.warnings)
    logger.warn({ file: settings.syncFile, line, column, path, advice: message }, "sync file has an old spelling");
}

async function openDaemonQueue(
  { settings, secrets, logger }: Configuration,
  { store, clock }: Systems,
  { polls }: Pick<DaemonOptions, "polls">,
): Promise<Queue> {
  const location = queueLocation(settings, secrets, await ownText(store, "installation", 6));
  // A private server starts empty and ends with this process: for one round it would keep nothing.
  const isForOneRound = polls === "once" && location.kind === "own";
  return openQueue(isForOneRound ? { kind: "in-process", jobs: new InProcessJobs() } : location, { clock, logger });
}

/** Starts the work of every process: delivering, and watching the holds and the service. The returned function stops it. */
function startDelivering(
  { service, clock }: Systems,
  queue: Queue,
  { holds, handlers, concurrency }: Assembly,
  fail: (error: StopError) => void,
): (graceMs: number) => Promise<void> {
  const starting = queue
    .start(handlers, { concurrency, polls: false })
    .catch((thrown: unknown) => fail(leadershipError(thrown)));
  const stopLooking = startLoop((signal) => allEnded(holds.run(signal), watchService({ service, clock }, signal)));
  return async (graceMs) => {
    const looked = stopLooking();
    // The service's pause may be longer than the grace period. Requests that wait for its end have not been sent.
    service.drain();
    await queue.stop(graceMs);
    await Promise.all([starting, looked]);
  };
}

/** Like Promise.all, but waits for all even if one fails. */
async function allEnded(...work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
  await Promise.all(work);
}

/** Starts the loop. The returned function stops it and waits for its end. */
function startLoop(run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const running = run(stopping.signal);
  return () => {
    stopping.abort();
    return running;
  };
}

async function noteStop(store: Store, error: StopError | undefined): Promise<void> {
  if (error === undefined) return;
  const { code, message } = error;
  // The log has the reason too, so a store that takes no writes must not prevent closing.
  await store.saveNote(stopNote, { at: store.clock.now(), code, message }).catch(() => undefined);
}

function pollPlan({ settings, syncFile: { streams } }: Configuration, { polls }: DaemonOptions): PollPlan {
  if (polls === "once") return { scheduled: new Map(), once: streams.map(({ name }) => name) };
  const { intervalMs } = settings.polling;
  return { scheduled: new Map(streams.map(({ name, everyMs = intervalMs }) => [name, { everyMs }])), once: [] };
}

interface FailureOnce {
  readonly failure: Promise<StopError>;
  readonly fail: (error: StopError) => void;
  /** The first failure, if there was one. */
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
