import type { Backend, Jobs } from "./backend.ts";
import { deliveryQueueName } from "./deliveries.ts";
import { pollQueueName } from "./polls.ts";
import type { BackendHealth } from "./backend-health.ts";

/** BullMQ's two queues, opened when the backend is first reached. */
export class JobQueues {
  readonly #backend: Backend;
  readonly #reach: BackendHealth;
  #open: Promise<{ deliveries: Jobs; polls: Jobs }> | undefined;

  constructor(backend: Backend, reach: BackendHealth) {
    this.#backend = backend;
    this.#reach = reach;
  }

  /** If opening fails, the next call retries it, because BullMQ's queues do not recover from a failed start. */
  async get(): Promise<{ deliveries: Jobs; polls: Jobs }> {
    this.#open ??= this.#openBoth();
    try {
      return await this.#open;
    } catch (error) {
      this.#open = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const both = await this.#open?.catch(() => undefined);
    await Promise.allSettled([both?.deliveries.close(), both?.polls.close()]);
  }

  async #openBoth() {
    await this.#reach.probe();
    const heard = (error: Error) => this.#reach.heard(error);
    const deliveries = this.#backend.jobs(deliveryQueueName, heard);
    const polls = this.#backend.jobs(pollQueueName, heard);
    try {
      await this.#reach.call(() => Promise.all([deliveries.waitUntilReady(), polls.waitUntilReady()]));
      return { deliveries, polls };
    } catch (error) {
      await Promise.allSettled([deliveries.close(), polls.close()]);
      throw error;
    }
  }
}
