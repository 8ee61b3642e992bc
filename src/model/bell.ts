import { onAbort } from "./abort.ts";
import { LONGEST_TIMER_MS } from "./time.ts";

/** Lets one loop sleep until the bell rings, a time has passed or a signal is aborted, whichever comes first. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  /** Ends the current wait; if there is none, the next one ends at once. */
  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#rung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          unfollow();
          this.#wake = undefined;
          resolve();
        };
        const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
        const unfollow = onAbort(signal, done);
        this.#wake = done;
      });
    }
    this.#rung = false;
  }
}
