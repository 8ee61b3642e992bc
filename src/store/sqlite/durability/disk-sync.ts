import { open, type FileHandle } from "node:fs/promises";

/** The disk that a commit must reach to survive a power cut. */
export type Disk = Pick<DiskSync, "reached" | "close">;

/**
 * Syncs a file to disk outside the event loop, so that svcsync works meanwhile. One sync runs at a time; callers that ask meanwhile share
 * the next one.
 */
export class DiskSync {
  readonly #path: string;
  #file: FileHandle | undefined;
  /** The last requested sync, even if it has not begun; never rejects. */
  #last: Promise<unknown> = Promise.resolve();
  /** The requested sync that has not begun yet. */
  #next: Promise<void> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when everything written before the call would survive a power cut. @throws the disk's error. */
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

  /** Waits for the requested syncs and closes the file. */
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
