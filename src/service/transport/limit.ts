import { onAbort, WaitError } from "#model";
import { WaitingLine } from "./waiting-line.ts";

/** The result of an exchange, as far as the service's load is concerned. */
export type Load = "fine" | "overloaded" | "unrelated";

/** Factor for the limit after an overload. */
const OVERLOAD_SHRINK = 0.5;
/** Factor after rising latency, which is a hint rather than proof. */
const LATENCY_SHRINK = 0.8;
/** Latency counts as rising when the recent average exceeds twice the usual one by a noticeable amount. */
const LATENCY_RATIO = 2;
const LATENCY_NOTICEABLE_MS = 200;
const RECENT_WEIGHT = 0.2;
const USUAL_WEIGHT = 0.01;
/** How long callers wait while the ceiling is 0: a process that just joined gets its share within two heartbeats. */
const NO_SHARE_PATIENCE_MS = 5_000;
const NO_SHARE_PAUSE_MS = 1_000;

interface Waiting {
  readonly go: () => void;
  readonly refuse: (reason: unknown) => void;
}

interface Latency {
  recent: number;
  usual: number;
}

/**
 * Adapts how many requests run at once: one more per round without trouble, half as many after an overload, somewhat
 * fewer when answers slow down. Never below one unless the ceiling is, never above the ceiling. Waiting callers are
 * served first in, first out, and those that give way after the others.
 */
export class AdaptiveLimit {
  #ceiling: number;
  #limit: number;
  #active = 0;
  /** Answers still outstanding from before the limit shrank; they carry no new information. */
  #stale = 0;
  readonly #waiting = new WaitingLine<Waiting>();
  #patience: NodeJS.Timeout | undefined;
  readonly #latencies = new Map<string, Latency>();

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
  }

  get current(): number {
    return Math.min(this.#ceiling, Math.max(1, Math.floor(this.#limit)));
  }

  /** The most requests that run or may start at once. */
  get held(): number {
    return Math.max(this.#ceiling, this.#active);
  }

  /**
   * Changes the ceiling. With 0 nothing starts, and callers wait only for seconds. Running requests above it finish
   * normally.
   */
  setCeiling(ceiling: number): void {
    if (ceiling === this.#ceiling) return;
    const isUntroubled = this.#limit >= this.#ceiling;
    this.#ceiling = ceiling;
    this.#limit = isUntroubled ? ceiling : Math.min(this.#limit, ceiling);
    this.#admit();
    this.#refuseInTime();
  }

  /**
   * Resolves when there is room; returns undefined when there is room now. An abort rejects with its reason.
   * @throws {WaitError} E_REPLICA_SHARE while the ceiling is 0, because a waiting caller may hold something that others
   * wait for.
   */
  enter(signal: AbortSignal | undefined, { behind = false } = {}): Promise<void> | undefined {
    if (this.#active < this.current) {
      this.#active++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        unfollow?.();
        resolve();
      };
      const refuse = (reason: unknown) => {
        unfollow?.();
        reject(reason);
      };
      const waiting = { go, refuse };
      const leave = () => {
        this.#waiting.leave(waiting);
        reject(signal?.reason);
      };
      const unfollow = signal && onAbort(signal, leave);
      this.#waiting.add(waiting, { behind });
      this.#refuseInTime();
    });
  }

  /** Returns the slot. `kind` groups requests of comparable latency. */
  leave(load: Load, kind: string, durationMs: number): void {
    this.#active--;
    if (this.#stale > 0) this.#stale--;
    else if (load === "overloaded") this.#shrink(OVERLOAD_SHRINK);
    else if (load === "fine") {
      if (this.#rises(kind, durationMs)) this.#shrink(LATENCY_SHRINK);
      else this.#limit = Math.min(this.#ceiling, this.#limit + 1 / Math.max(1, this.current));
    }
    this.#admit();
  }

  #admit(): void {
    while (this.#active < this.current && this.#waiting.length > 0) {
      this.#active++;
      this.#waiting.next()?.go();
    }
  }

  #refuseInTime(): void {
    if (this.#ceiling > 0) {
      clearTimeout(this.#patience);
      this.#patience = undefined;
    } else if (this.#waiting.length > 0)
      this.#patience ??= setTimeout(() => {
        this.#patience = undefined;
        for (const { refuse } of this.#waiting.clear()) refuse(noShare());
      }, NO_SHARE_PATIENCE_MS);
  }

  #shrink(factor: number): void {
    this.#limit = Math.max(1, this.#limit * factor);
    this.#stale = this.#active;
  }

  #rises(kind: string, durationMs: number): boolean {
    const latency = this.#latencies.get(kind);
    if (latency === undefined) {
      this.#latencies.set(kind, { recent: durationMs, usual: durationMs });
      return false;
    }
    latency.recent += (durationMs - latency.recent) * RECENT_WEIGHT;
    latency.usual += (durationMs - latency.usual) * USUAL_WEIGHT;
    return latency.recent > latency.usual * LATENCY_RATIO && latency.recent - latency.usual > LATENCY_NOTICEABLE_MS;
  }
}

function noShare(): WaitError {
  const message = "this process has no share of the requests to the service; others deliver";
  return new WaitError("E_REPLICA_SHARE", message, { afterMs: NO_SHARE_PAUSE_MS });
}
