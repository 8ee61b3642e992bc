import { sleep, type Clock } from "#model";
import type { Service } from "#service";

const LOOK_MS = 1_000;
/** Whatever waits for the service is due when a probe may be sent: it goes first. */
const FIRST_MS = 1_000;

export interface ServiceWatchDeps {
  readonly service: Pick<Service, "ping" | "state">;
  /** The one that the service goes by. */
  readonly clock: Clock;
}

/**
 * Finds out that the service answers again where nothing is to be sent: otherwise the page, `/readyz` and notifications would call it
 * unreachable until the next change of the ERP, and a replica that left its deliveries to the others would never take them up again.
 * Looks until the signal is aborted.
 */
export async function watchService({ service, clock }: ServiceWatchDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { state, probeAt = Infinity } = service.state();
    const isDue = state === "open" && probeAt + FIRST_MS <= clock.now();
    // What it meets, the breaker remembers and the next delivery meets too.
    if (isDue) await service.ping(signal).catch(() => undefined);
    await sleep(LOOK_MS, signal);
  }
}
