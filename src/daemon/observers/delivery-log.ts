import type { RecordId, StreamName } from "#model";
import type { Delivery, Observer } from "#pipeline";
import type { Logger } from "#telemetry";

/** How long deliveries are counted before they are logged as one line. */
const SUMMARY_MS = 10_000;

/** Logs one line per stream and batch of deliveries, however many records it holds. */
export class DeliveryLog implements Observer, Disposable {
  readonly #logger: Logger;
  readonly #counts = new Map<StreamName, Record<string, number>>();
  readonly #timer: NodeJS.Timeout;

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#timer = setInterval(() => this.flush(), SUMMARY_MS);
    this.#timer.unref();
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    const counts = this.#counts.get(stream) ?? {};
    const name = delivery.kind === "done" ? delivery.outcome : delivery.kind;
    counts[name] = (counts[name] ?? 0) + 1;
    this.#counts.set(stream, counts);
  }

  /** Logs the counts since the last flush. */
  flush(): void {
    for (const [stream, counts] of this.#counts) this.#logger.info({ stream, ...counts }, "records delivered");
    this.#counts.clear();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
