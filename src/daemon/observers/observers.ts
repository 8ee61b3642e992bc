import { systemClock } from "#model";
import { observeAll, type Observer } from "#pipeline";
import type { Queue, QueueHandlers } from "#queue";
import type { ServiceContext } from "#service";
import type { Metrics } from "#telemetry";
import type { Configuration, Systems } from "../systems/systems.ts";
import { RecordWatch } from "../watch/record-watch.ts";
import { Arrivals } from "./arrivals.ts";
import { DeliveryLog } from "./delivery-log.ts";
import { DaemonMetrics } from "./metrics.ts";
import { ParkedLog } from "./parked-log.ts";
import { RunRecorder } from "./run-history.ts";
import { openTracing, type Tracing } from "./tracing.ts";

/** All observers that count, log and trace requests, polls and deliveries. Disposing logs and sends what is left. */
export class Observers implements AsyncDisposable {
  /** Called for each request to the service. */
  readonly requested: NonNullable<ServiceContext["requested"]>;
  /** Called for each poll and delivery. */
  readonly observer: Required<Observer>;
  readonly #metrics = new DaemonMetrics();
  readonly #tracing: Tracing | undefined;
  readonly #history: RunRecorder;
  readonly #arrivals: Arrivals;
  readonly #watch: RecordWatch;
  readonly #logs: readonly (Observer & Disposable)[];

  private constructor(
    { clock = systemClock, logger }: Configuration,
    tracing: Tracing | undefined,
    more: readonly Observer[],
  ) {
    this.#tracing = tracing;
    this.#history = new RunRecorder(clock, logger);
    this.#arrivals = new Arrivals(clock, logger);
    this.#watch = new RecordWatch(clock, logger);
    this.#logs = [new DeliveryLog(logger), new ParkedLog({ logger })];
    const traces = tracing ? [tracing] : [];
    const counters = [this.#metrics, this.#history, ...traces];
    this.observer = observeAll([...more, ...this.#logs, ...counters, this.#arrivals]);
    const listeners = [...counters, this.#watch];
    this.requested = (request) => listeners.forEach(({ requested }) => requested(request));
  }

  /** `more` are called for polls and deliveries too. */
  static async open(configuration: Configuration, more: readonly Observer[] = []): Promise<Observers> {
    return new Observers(configuration, await openTracing(configuration), more);
  }

  get metrics(): Metrics {
    return this.#metrics.metrics;
  }

  /** Gives the observers the parts that they read. */
  async watch(parts: Systems, { syncFile }: Configuration, queue: Queue): Promise<void> {
    this.#metrics.watch(parts, syncFile, queue);
    this.#tracing?.watch(parts.store);
    await this.#watch.open(parts.store);
  }

  /** Wraps the handlers, so that each request is counted for its stream and record. */
  watching(handlers: QueueHandlers): QueueHandlers {
    const counted = this.#history.watching(this.#watch.watching(handlers));
    return this.#tracing?.watching(counted) ?? counted;
  }

  /** Stores the counts until the signal is aborted, then the rest. */
  async run({ store }: Systems, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#watch.run(signal),
      this.#history.run(store.history, signal),
      this.#arrivals.run(store, signal),
    ]);
    await this.#tracing?.written();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const log of this.#logs) log[Symbol.dispose]();
    await this.#tracing?.[Symbol.asyncDispose]();
  }
}
