import { sleep, untilAborted, type ResourceName } from "#model";

/** Pause between the two looks. */
const AGAIN_MS = 3_000;

/**
 * Believes that a resource of the service is empty only after two looks some seconds apart, because records that the index lacks are
 * created. A list that is empty by mistake, such as that of a server that has just started, would otherwise double all records.
 */
export class EmptinessProof {
  readonly #pauseMs: number;
  /** First looks that were taken ahead: when the resource was empty, by a monotonic clock. */
  readonly #ahead = new Map<ResourceName, Promise<number | undefined>>();
  readonly #proven = new Set<ResourceName>();

  /** `settleMs`: how long after a write the service's lists may not show it yet. */
  constructor(settleMs: number) {
    this.#pauseMs = Math.min(AGAIN_MS, settleMs);
  }

  /** Takes the first look now, so that {@link read} waits only for what is left of the pause. A look that fails counts as none. */
  lookAhead(resource: ResourceName, isEmpty: () => Promise<boolean>): void {
    const look = isEmpty().then((empty) => (empty ? performance.now() : undefined));
    this.#ahead.set(
      resource,
      look.catch(() => undefined),
    );
  }

  /** Reads the resource. If it was empty for the first time, reads it again after the pause. */
  async read<Seen extends { readonly count: number }>(
    resource: ResourceName,
    read: () => Promise<Seen>,
    signal: AbortSignal,
  ): Promise<Seen> {
    let emptyAt = await untilAborted(this.#ahead.get(resource) ?? Promise.resolve(undefined), signal);
    this.#ahead.delete(resource);
    if (emptyAt === undefined) {
      const seen = await read();
      if (seen.count > 0 || this.#proven.has(resource)) return seen;
      emptyAt = performance.now();
    }
    await sleep(Math.max(0, emptyAt + this.#pauseMs - performance.now()), signal);
    signal.throwIfAborted();
    return read();
  }

  /** Remembers whether the resource is empty, as far as that is certain. */
  keep(resource: ResourceName, isEmpty: boolean): void {
    if (isEmpty) this.#proven.add(resource);
    else this.#proven.delete(resource);
  }
}
