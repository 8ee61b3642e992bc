import { repeatedly, type Clock } from "#model";
import type { Service } from "#service";

const LOOK_MS = 1_000;
/** How long to wait after a probe is due, in milliseconds: records that wait for the service become due then too and go first. */
const FIRST_MS = 1_000;

export interface ServiceWatchDeps {
  readonly service: Pick<Service, "ping" | "state">;
  /** The clock of the service's client. */
  readonly clock: Clock;
}

/**
 * Probes an unreachable service when there is nothing to send. Otherwise the page, `/readyz` and notifications would call it unreachable
 * until the next change in the ERP, and a process that left its deliveries to others would never resume them. Runs until the signal is
 * aborted.
 */
export async function watchService({ service, clock }: ServiceWatchDeps, signal: AbortSignal): Promise<void> {
  const look = async () => {
    const { state, probeAt = Infinity } = service.state();
    const isDue = state === "open" && probeAt + FIRST_MS <= clock.now();
    // Ignore the error: the breaker remembers it, and the next delivery gets it too.
    if (isDue) await service.ping(signal).catch(() => undefined);
  };
  await repeatedly(LOOK_MS, look, signal);
}
