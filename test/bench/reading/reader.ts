import { sleep } from "#model";
import { programOptions } from "../../setup/built-program.ts";
import { Child } from "../child.ts";

/** One poll of a table into a store, or a bare read of the same rows. */
export interface Reading {
  readonly rowsRead: number;
  readonly changed: number;
  readonly ms: number;
  /** Of the process alone, not of the database's server. */
  readonly processorMs: number;
  /** The longest time for which nothing else of the process could run. */
  readonly stallMs: number;
  /** The most processor time that it took without a pause for others: a stall beyond that is other programs', or the disk's. */
  readonly turnMs: number;
  readonly statements: number;
  /** The most memory that the process has held so far. */
  readonly peakBytes: number;
  /** What it took to open the store and to count its records. */
  readonly openMs: number;
}

/** How often a page is asked for during a poll. */
const PAGE_EVERY_MS = 50;

/** A process that polls one table into one store, as the daemon does, and nothing else. */
export class Reader implements AsyncDisposable {
  readonly #child: Child;
  readonly #port: number;

  private constructor(child: Child, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** `changed`: the stamp column; without it each poll reads the whole table. */
  static async start(url: string, dataDir: string, changed = ""): Promise<Reader> {
    // The sources run as they are: a loader that names functions would be a part of what is measured.
    const child = new Child("reading/reader-main.ts", [url, dataDir, changed], programOptions());
    const { port } = await child.next(isStarted);
    return new Reader(child, port);
  }

  /** Reads all rows as any program would. */
  bare(): Promise<Reading> {
    return this.#ask("bare");
  }

  /** One poll. @throws {Error} when it read another number of rows, or found another number of changes. */
  async poll(expected: { readonly rows?: number; readonly changed: number }): Promise<Reading> {
    const reading = await this.#ask("poll");
    const { rowsRead, changed } = reading;
    if (changed !== expected.changed || rowsRead !== (expected.rows ?? rowsRead))
      throw new Error(
        `a poll read ${rowsRead} rows and found ${changed} changes, expected ${JSON.stringify(expected)}`,
      );
    return reading;
  }

  /** A poll, and the longest time that a page took to be answered meanwhile. */
  async pollBesidePages(expected: { readonly rows?: number; readonly changed: number }) {
    const ended = new AbortController();
    const pages = this.#slowestPage(ended.signal);
    const reading = await this.poll(expected);
    ended.abort();
    return { ...reading, pageMs: await pages };
  }

  async #slowestPage(signal: AbortSignal): Promise<number> {
    let slowest = 0;
    while (!signal.aborted) {
      const asked = performance.now();
      await (await fetch(`http://127.0.0.1:${this.#port}/`)).text();
      slowest = Math.max(slowest, performance.now() - asked);
      await sleep(PAGE_EVERY_MS, signal);
    }
    return slowest;
  }

  #ask(kind: "bare" | "poll"): Promise<Reading> {
    const answer = this.#child.next(isReading);
    this.#child.send(kind);
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.send("end");
    await this.#child.ended();
  }
}

function isStarted(message: unknown): message is { port: number } {
  return typeof message === "object" && message !== null && "port" in message;
}

function isReading(message: unknown): message is Reading {
  return typeof message === "object" && message !== null && "rowsRead" in message;
}
