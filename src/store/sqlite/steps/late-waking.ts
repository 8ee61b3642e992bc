import type { InParts } from "../in-parts.ts";
import type { ParentLinks } from "./parent-links.ts";

/** Wakes the remaining children of parents with very many, after the step that woke the first ones. */
export class LateWaking {
  readonly #family: ParentLinks;
  readonly #parts: InParts;
  #isRunning = false;

  constructor(family: ParentLinks, parts: InParts) {
    this.#family = family;
    this.#parts = parts;
  }

  /**
   * Resolves when no child is left, or at once if another call is waking them. After a failure they stay noted for the next call or the
   * next start.
   */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      while (this.#family.isWaking()) await this.#parts.untilNone(() => this.#family.wakeOthers());
    } catch {
      // The step before succeeded, and its caller must learn that.
    } finally {
      this.#isRunning = false;
    }
  }
}
