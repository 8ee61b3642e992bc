import { errorFacts, RetryError, sleep, StopError, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { ReturnLane } from "#returns";
import type { Logger } from "#telemetry";
import type { Closing } from "../closing.ts";
import { listenToSources } from "../systems/sources.ts";
import { openUpkeep, type UpkeepDeps } from "../upkeep/upkeep.ts";
import { watchClock } from "../watch/clock-watch.ts";
import { runHousekeeping } from "../watch/housekeeping.ts";

const ASK_AGAIN_MS = 1_000;

/** How streams are polled: at an interval, or one time. */
export interface PollPlan {
  readonly scheduled: ReadonlyMap<StreamName, { readonly everyMs: number }>;
  readonly once: readonly StreamName[];
}

/** Gives the plan's polls to the queue. Retries single polls until the queue accepts them. */
async function beginPolling(queue: Queue, plan: PollPlan, logger: Logger, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await queue.schedulePolls(plan.scheduled);
  const once = [...plan.once];
  for (let stream = once.shift(); stream !== undefined && !signal.aborted;) {
    try {
      await queue.pollNow(stream);
      stream = once.shift();
    } catch (thrown) {
      if (thrown instanceof StopError) throw thrown;
      logger.debug({ stream, err: errorFacts(thrown) }, "poll was not taken by the queue");
      await sleep(ASK_AGAIN_MS, signal);
    }
  }
}

export interface LeadingDeps extends UpkeepDeps {
  readonly plan: PollPlan;
  readonly returns: Pick<ReturnLane, "run" | "nudge">;
  readonly fail: (error: StopError) => void;
  /** The first failure, if there was one. */
  readonly failed: () => StopError | undefined;
  readonly closing: Closing;
}

/** Resolves when another replica may lead. */
type HandOver = () => Promise<void>;

/**
 * The work that one replica does for all: it polls, wakes, decides about existing records and changed mappings, and maintains the store and
 * the notifications. It starts when this replica leads; a daemon that works alone leads from the start. It stops before the process ends,
 * because the deliveries that are still running do not need a leader here.
 */
export class Leading {
  readonly #deps: LeadingDeps;
  readonly #stopping = new AbortController();
  #isPrepared = false;
  #begun: Promise<(() => Promise<HandOver>) | undefined> = Promise.resolve(undefined);

  constructor(deps: LeadingDeps) {
    this.#deps = deps;
  }

  /** Holds the streams whose mapping changed. Only after that may any replica deliver by this replica's mapping. */
  async prepare(): Promise<void> {
    const { assembly, parts } = this.#deps;
    await assembly.changes.begin();
    await assembly.mail.begin();
    await parts.store.cluster.lead();
    await assembly.holds.look();
    this.#isPrepared = true;
  }

  /** Starts as soon as this replica leads. */
  begin(): void {
    const { clusterPart, fail } = this.#deps;
    if (this.#isPrepared) this.#begun = Promise.resolve(this.#start());
    else void clusterPart.leads.then(() => this.#takeOver(fail));
  }

  #takeOver(fail: (error: StopError) => void): void {
    if (this.#stopping.signal.aborted) return;
    const { logger } = this.#deps.configuration;
    this.#begun = untilDone(() => this.prepare(), logger, this.#stopping.signal).then(
      () => this.#start(),
      (thrown: unknown) => {
        fail(leadershipError(thrown));
        return undefined;
      },
    );
  }

  /** Stops while the queue still answers. The returned function waits for the end and hands the lead over, while deliveries end here. */
  async stop(): Promise<HandOver> {
    this.#stopping.abort();
    const stop = await this.#begun;
    if (stop) return stop();
    return () => this.#deps.parts.store.cluster.resign(Promise.resolve(true));
  }

  #start(): () => Promise<HandOver> {
    const { parts, queue, assembly, plan, returns, pollWatch, configuration, isContinuous, fail, failed, closing } =
      this.#deps;
    const { settings, syncFile, logger } = configuration;
    const { store, clock, sources } = parts;
    const { relay, gate, changes, rounds, mail, nudges, askedPolls } = assembly;
    const loops = new AbortController();
    const { signal } = loops;
    const upkeep = openUpkeep(this.#deps, closing);
    const caring = upkeep.run(signal);
    pollWatch.watch(plan.scheduled);
    const running = Promise.all([
      queue
        .startPolls()
        .then(() => beginPolling(queue, plan, logger, signal))
        .catch((thrown: unknown) => fail(leadershipError(thrown))),
      relay.run(signal),
      gate.run(signal),
      changes.run(signal),
      rounds.run(signal),
      mail.run(signal),
      runHousekeeping({ store, clock, logger, keepDays: settings.delivery.auditKeepDays }, signal),
      watchClock({ store, clock, logger }, signal),
      pollWatch.run(signal),
      ...(isContinuous
        ? [
            listenToSources(syncFile, sources, nudges, signal),
            askedPolls.run(signal),
            returns.run(signal).catch((thrown: unknown) => fail(leadershipError(thrown))),
          ]
        : []),
    ]);
    return async () => {
      loops.abort();
      const polls = queue.stopPolls();
      await caring;
      const error = failed();
      const lastWords = await upkeep.finish(error && errorFacts(error));
      const ended = async () => {
        const [havePollsEnded] = await Promise.all([polls, running, assembly.synchronizer.trialsEnded(), lastWords()]);
        return havePollsEnded;
      };
      return () => store.cluster.resign(ended());
    };
  }
}

const AGAIN_MS = 500;

/**
 * Prepares the lead, and retries while the store is unreachable: to give up the lead would leave the replicas without a leader for longer.
 */
export async function untilDone(prepare: () => Promise<void>, logger: Logger, signal: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await prepare();
    } catch (thrown) {
      if (!(thrown instanceof RetryError) || signal.aborted) throw thrown;
      logger.warn({ err: errorFacts(thrown) }, "lead could not be taken yet");
      await sleep(AGAIN_MS, signal);
    }
}

export function leadershipError(thrown: unknown): StopError {
  if (thrown instanceof StopError) return thrown;
  const message = `the queue's work could not be started: ${errorFacts(thrown).message}`;
  return new StopError("E_QUEUE_FAILED", message, { cause: thrown });
}
