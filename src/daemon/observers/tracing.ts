import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { recordName, systemClock, type Clock, type RecordId, type StreamName } from "#model";
import type { Delivery, Observer } from "#pipeline";
import type { QueueHandlers } from "#queue";
import type { ServiceContext } from "#service";
import type { RecordStore } from "#store";
import { openTraces, version, type TracedWork, type Traces } from "#telemetry";
import type { Configuration } from "../systems/systems.ts";

type Requested = NonNullable<ServiceContext["requested"]>;

/** Undefined if no collector is configured: then nothing is loaded or wrapped. */
export async function openTracing({
  settings: { tracesUrl },
  logger,
  clock = systemClock,
}: Configuration): Promise<Tracing | undefined> {
  if (tracesUrl === undefined) return undefined;
  return new Tracing(await openTraces({ endpoint: tracesUrl, version, logger }), clock);
}

/** A running delivery and its requests to the service. */
interface Running {
  readonly startedAt: number;
  readonly requests: TracedWork[];
}

/** Polls to remember per stream: the one that read a change, and the current one. */
const POLLS_KEPT = 2;

/**
 * Creates one trace per change of a record: the poll that read it, the time in the queue, the delivery and its requests to the service.
 * Later attempts belong to the same trace.
 */
export class Tracing implements Observer, AsyncDisposable {
  readonly #traces: Traces;
  readonly #clock: Clock;
  readonly #polls = new Map<StreamName, readonly number[]>();
  readonly #running = new AsyncLocalStorage<Running>();
  readonly #writing = new Set<Promise<void>>();
  #store: Pick<RecordStore, "record"> | undefined;

  constructor(traces: Traces, clock: Clock) {
    this.#traces = traces;
    this.#clock = clock;
  }

  /** Sets the store, which knows when a change was read. */
  watch(store: Pick<RecordStore, "record">): void {
    this.#store = store;
  }

  /** Wraps the handlers, so that their work is traced. */
  watching(handlers: QueueHandlers): QueueHandlers {
    return {
      deliver: (id, signal) =>
        this.#running.run({ startedAt: this.#clock.now(), requests: [] }, () => handlers.deliver(id, signal)),
      poll: (stream, signal) => {
        const before = this.#polls.get(stream) ?? [];
        this.#polls.set(stream, [...before, this.#clock.now()].slice(-POLLS_KEPT));
        return handlers.poll(stream, signal);
      },
    };
  }

  readonly requested: Requested = ({ resource, method, status, durationMs }) => {
    const endedAt = this.#clock.now();
    this.#running.getStore()?.requests.push({
      name: `${method} ${resource}`,
      startedAt: endedAt - durationMs,
      endedAt,
      facts: { "http.request.method": method, ...(status !== undefined && { "http.response.status_code": status }) },
      ...(isRefusal(status) && { error: status === undefined ? "no answer" : `status ${status}` }),
    });
  };

  delivered(id: RecordId, delivery: Delivery): void {
    const running = this.#running.getStore();
    if (running === undefined) return;
    const writing = this.#record(id, delivery, running, this.#clock.now())
      // A failed trace must not fail the delivery.
      .catch(() => undefined)
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  async #record(id: RecordId, delivery: Delivery, { startedAt, requests }: Running, endedAt: number): Promise<void> {
    const changedAt = Math.min((await this.#store?.record(id))?.changedAt ?? startedAt, startedAt);
    const polledAt = this.#polls.get(id.stream)?.findLast((began) => began <= changedAt) ?? changedAt;
    const end = delivery.kind === "done" ? delivery.outcome : delivery.kind;
    const error = delivery.kind === "done" ? undefined : `${delivery.error.code}: ${delivery.error.message}`;
    this.#traces.record(traceOf(id, changedAt), {
      name: `sync ${id.stream}`,
      startedAt: polledAt,
      endedAt,
      facts: { "svcsync.stream": id.stream, "svcsync.key": id.key, "svcsync.end": end },
      error,
      parts: [
        { name: "poll", startedAt: polledAt, endedAt: changedAt },
        { name: "wake-up", startedAt: changedAt, endedAt: startedAt },
        { name: "deliver", startedAt, endedAt, facts: { "svcsync.end": end }, error, parts: requests },
      ],
    });
  }

  /** Resolves when all traces are complete: each reads its record from the store. */
  async written(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.written();
    await this.#traces[Symbol.asyncDispose]();
  }
}

/** Whether the service refused the request (status 400 or above) or did not answer. */
function isRefusal(status: number | undefined): boolean {
  return status === undefined || status >= 400;
}

/** The trace's id, the same for every attempt to deliver one change. */
function traceOf(id: RecordId, changedAt: number): string {
  return createHash("sha256")
    .update(`${recordName(id)} ${changedAt}`)
    .digest("hex")
    .slice(0, 32);
}
