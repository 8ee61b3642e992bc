import { open, type FileHandle } from "node:fs/promises";

/** What a commit must reach to survive a power cut. */
export type Disk = Pick<DiskSync, "reached" | "close">;

/**
 * Brings what was written to a file to the disk, beside the event loop: while the disk works, svcsync does too. However
 * many ask, one sync runs at a time, and those who ask meanwhile share the next one.
 */
export class DiskSync {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** Begun and not begun; settles either way. */
  #last: Promise<unknown> = Promise.resolve();
  /** The one that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when all that was written before the call would survive a power cut. @throws what the disk says. */
  reached(): Promise<void> {
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => {
        this.#next = undefined;
        return this.#sync();
      });
      this.#last = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  /** Waits for what was asked for, and lets go of the file. */
  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #sync(): Promise<void> {
    this.#file ??= await open(this.#path, "r+");
    await this.#file.datasync();
  }
}
