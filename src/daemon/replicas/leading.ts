import { errorFacts, RetryError, sleep, StopError } from "#model";
import type { Logger } from "#telemetry";
import type { Closing } from "../closing.ts";
import { listenToSources } from "../systems/sources.ts";
import { beginPolling, type PollPlan } from "../polling.ts";
import { openUpkeep, type UpkeepDeps } from "../upkeep/upkeep.ts";
import { ClockWatch } from "../watch/clock-watch.ts";
import { Housekeeping } from "../watch/housekeeping.ts";

export interface LeadingDeps extends UpkeepDeps {
  readonly plan: PollPlan;
  readonly fail: (error: StopError) => void;
  /** The first failure, as soon as there is one. */
  readonly failed: () => StopError | undefined;
  readonly closing: Closing;
}

type LastWords = () => Promise<void>;

/**
 * What one replica does for all: it polls, wakes, decides about existing records and changed mappings, and cares for the store and for
 * people. It begins when this replica leads, which a daemon alone does from the start, and ends with the process.
 */
export class Leading {
  readonly #deps: LeadingDeps;
  readonly #stopping = new AbortController();
  #isPrepared = false;
  #begun: Promise<(() => Promise<LastWords>) | undefined> = Promise.resolve(undefined);

  constructor(deps: LeadingDeps) {
    this.#deps = deps;
  }

  /** Holds the streams whose mapping changed. Only then may anything be delivered by this replica's mapping. */
  async prepare(): Promise<void> {
    const { assembly, parts } = this.#deps;
    await assembly.changes.begin();
    await parts.store.replicas.lead();
    await assembly.holds.look();
    this.#isPrepared = true;
  }

  /** Begins as soon as this replica leads. */
  begin(): void {
    const { replica, fail } = this.#deps;
    if (this.#isPrepared) this.#begun = Promise.resolve(this.#start());
    else void replica.leads.then(() => this.#takeOver(fail));
  }

  #takeOver(fail: (error: StopError) => void): void {
    if (this.#stopping.signal.aborted) return;
    const { logger } = this.#deps.configuration;
    this.#begun = untilDone(() => this.prepare(), logger, this.#stopping.signal).then(
      () => this.#start(),
      (thrown: unknown) => {
        fail(leadFailed(thrown));
        return undefined;
      },
    );
  }

  /** Stops it, while the queue still answers; resolves to what comes after the last delivery. */
  async stop(): Promise<LastWords> {
    this.#stopping.abort();
    const stop = await this.#begun;
    return (await stop?.()) ?? (() => Promise.resolve());
  }

  #start(): () => Promise<LastWords> {
    const { parts, queue, assembly, plan, pollWatch, configuration, isContinuous, fail, failed, closing } = this.#deps;
    const { settings, syncFile, logger } = configuration;
    const { store, clock, sources } = parts;
    const { relay, gate, changes, nudges, askedPolls } = assembly;
    const loops = new AbortController();
    const { signal } = loops;
    const upkeep = openUpkeep(this.#deps, closing);
    const caring = upkeep.run(signal);
    pollWatch.watch(plan.scheduled);
    const failing = (thrown: unknown) => fail(leadFailed(thrown));
    const running = Promise.all([
      queue
        .startPolls()
        .then(() => beginPolling(queue, plan, logger, signal))
        .catch(failing),
      relay.run(signal).catch(failing),
      gate.run(signal),
      changes.run(signal),
      new Housekeeping(store, clock, logger, settings.delivery.auditKeepDays).run(signal),
      new ClockWatch(store, clock, logger).run(signal),
      pollWatch.run(signal),
      ...(isContinuous ? [listenToSources(syncFile, sources, nudges, signal), askedPolls.run(signal)] : []),
    ]);
    return async () => {
      loops.abort();
      await caring;
      const error = failed();
      const lastWords = await upkeep.finish(error && errorFacts(error));
      return async () => {
        await running;
        await lastWords();
      };
    };
  }
}

const AGAIN_MS = 500;

/** Prepares the lead, again and again while the store is away: to give it up would leave all replicas without one for longer. */
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

export function leadFailed(thrown: unknown): StopError {
  if (thrown instanceof StopError) return thrown;
  const message = `the queue's work could not be started: ${errorFacts(thrown).message}`;
  return new StopError("E_QUEUE_FAILED", message, { cause: thrown });
}
