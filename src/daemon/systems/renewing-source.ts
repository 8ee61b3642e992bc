import { errorFacts } from "#model";
import type { Catalog, FolderInbox, InboxTables, Listener, OpenedSource, SourceStream, TableInbox } from "#sources";

export interface RenewingSourceDeps {
  readonly settings: unknown;
  readonly open: (settings: unknown) => Promise<OpenedSource<unknown>>;
  /** The current settings, if they differ from these. */
  readonly renew: (settings: unknown) => unknown;
}

/**
 * A source whose credentials may be replaced while svcsync runs. After a refused login, it opens the source again if its settings have
 * changed, and repeats the read once. With unchanged settings, a refused login is not retried.
 */
export class RenewingSource implements OpenedSource<unknown> {
  readonly #deps: RenewingSourceDeps;
  /** The number of reads per open source. An earlier source is closed after its last read, because other streams may still use it. */
  readonly #reads: Map<OpenedSource<unknown>, number>;
  #opened: OpenedSource<unknown>;
  #settings: unknown;
  /** Whether the last login was refused: then the next read looks for new credentials first. */
  #isRefused = false;
  #renewing: Promise<boolean> | undefined;
  #replaced = new AbortController();
  readonly catalog?: Catalog;
  readonly listen?: Listener;
  readonly tableInbox?: (tables: InboxTables) => TableInbox;
  readonly folderInbox?: (folder: string) => FolderInbox;

  private constructor(deps: RenewingSourceDeps, opened: OpenedSource<unknown>) {
    this.#deps = deps;
    this.#settings = deps.settings;
    this.#opened = opened;
    this.#reads = new Map([[opened, 0]]);
    if (opened.catalog) this.catalog = opened.catalog;
    if (opened.listen) this.listen = (told, signal) => this.#listen(told, signal);
    if (opened.tableInbox) this.tableInbox = (tables) => this.#tableInbox(tables);
    if (opened.folderInbox) this.folderInbox = (folder) => this.#folderInbox(folder);
  }

  static async open(deps: RenewingSourceDeps): Promise<RenewingSource> {
    return new RenewingSource(deps, await deps.open(deps.settings));
  }

  async check(signal: AbortSignal) {
    using _reading = this.#reading();
    return await this.#opened.check(signal);
  }

  identity(read: unknown, signal: AbortSignal) {
    return this.#attempt(() => this.#opened.identity(read, signal));
  }

  stream(name: string, read: unknown): SourceStream {
    const { current } = this.#opening((opened) => opened.stream(name, read));
    const first = current();
    return {
      capabilities: first.capabilities,
      changes: (...of) => this.#batches(() => current().changes(...of)),
      keys: (...of) => this.#batches(() => current().keys(...of)),
      readOne: (...of) => this.#attempt(() => current().readOne(...of)),
      check: (...of) => this.#attempt(() => current().check(...of)),
      ...(first.readMany && { readMany: (...of) => this.#attempt(() => current().readMany!(...of)) }),
      ...(first.keyless && { keyless: (...of) => this.#attempt(() => current().keyless!(...of)) }),
      ...(first.deletions && { deletions: (...of) => this.#batches(() => current().deletions!(...of)) }),
      ...(first.peek && { peek: (...of) => this.#attempt(() => current().peek!(...of)) }),
    };
  }

  #tableInbox(tables: InboxTables): TableInbox {
    const { current, all } = this.#opening((opened) => opened.tableInbox!(tables));
    return {
      dialect: current().dialect,
      add: (...of) => this.#attempt(() => current().add(...of)),
      tryAdd: (...of) => this.#attempt(() => current().tryAdd(...of)),
      rows: (...of) => this.#attempt(() => current().rows(...of)),
      describe: (...of) => this.#attempt(() => current().describe(...of)),
      rights: (...of) => this.#attempt(() => current().rights(...of)),
      clockOffset: (...of) => this.#attempt(() => current().clockOffset(...of)),
      [Symbol.asyncDispose]: () => closeAll(all.values()),
    };
  }

  #folderInbox(folder: string): FolderInbox {
    const { current, all } = this.#opening((opened) => opened.folderInbox!(folder));
    return {
      name: current().name,
      list: (...of) => this.#attempt(() => current().list(...of)),
      read: (...of) => this.#attempt(() => current().read(...of)),
      put: (...of) => this.#attempt(() => current().put(...of)),
      has: (...of) => this.#attempt(() => current().has(...of)),
      move: (...of) => this.#attempt(() => current().move(...of)),
      [Symbol.asyncDispose]: () => closeAll(all.values()),
    };
  }

  /** What is opened in the current source, and in those that it replaced. */
  #opening<Part>(open: (opened: OpenedSource<unknown>) => Part) {
    const all = new Map<OpenedSource<unknown>, Part>();
    const current = () => {
      const known = all.get(this.#opened) ?? open(this.#opened);
      all.set(this.#opened, known);
      return known;
    };
    return { current, all };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#reads.keys()];
    this.#reads.clear();
    await Promise.all(all.map((opened) => opened[Symbol.asyncDispose]()));
  }

  /** Listens again on the new source when the source is replaced. */
  async #listen(told: Parameters<Listener>[0], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      using _reading = this.#reading();
      await this.#opened.listen?.(told, AbortSignal.any([signal, this.#replaced.signal]));
    }
  }

  async #attempt<Value>(read: () => Promise<Value>): Promise<Value> {
    if (this.#isRefused) await this.#renew();
    const tried = this.#opened;
    try {
      using _reading = this.#reading();
      const value = await read();
      this.#isRefused = false;
      return value;
    } catch (thrown) {
      if (!(await this.#isOther(tried, thrown))) throw thrown;
      using _reading = this.#reading();
      return await read();
    }
  }

  /** Repeats the read only if it gave no batch: otherwise batches would come twice. */
  async *#batches<Batch>(read: () => AsyncIterable<Batch>): AsyncGenerator<Batch> {
    if (this.#isRefused) await this.#renew();
    const tried = this.#opened;
    let isBegun = false;
    try {
      using _reading = this.#reading();
      for await (const batch of read()) {
        isBegun = true;
        this.#isRefused = false;
        yield batch;
      }
      return;
    } catch (thrown) {
      const isOther = await this.#isOther(tried, thrown);
      if (isBegun || !isOther) throw thrown;
    }
    using _reading = this.#reading();
    yield* read();
  }

  /** Counts a read of the current source until disposed. */
  #reading(): Disposable {
    const opened = this.#opened;
    this.#count(opened, 1);
    return { [Symbol.dispose]: () => void (this.#reads.has(opened) && this.#count(opened, -1)) };
  }

  #count(opened: OpenedSource<unknown>, more: number): void {
    this.#reads.set(opened, (this.#reads.get(opened) ?? 0) + more);
    for (const [earlier, reads] of this.#reads) {
      if (reads > 0 || earlier === this.#opened) continue;
      this.#reads.delete(earlier);
      // Ignore errors: the source has been replaced anyway.
      earlier[Symbol.asyncDispose]().then(undefined, () => undefined);
    }
  }

  /** Whether the source was replaced since the failed read. */
  async #isOther(tried: OpenedSource<unknown>, thrown: unknown): Promise<boolean> {
    if (errorFacts(thrown).code !== "E_SOURCE_LOGIN") return false;
    this.#isRefused = true;
    return tried !== this.#opened || (await this.#renew());
  }

  #renew(): Promise<boolean> {
    this.#renewing ??= this.#reopen().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #reopen(): Promise<boolean> {
    const settings = this.#deps.renew(this.#settings);
    if (settings === undefined) return false;
    this.#opened = await this.#deps.open(settings);
    this.#count(this.#opened, 0);
    this.#settings = settings;
    this.#replaced.abort();
    this.#replaced = new AbortController();
    return true;
  }
}

async function closeAll(all: Iterable<AsyncDisposable>): Promise<void> {
  await Promise.all([...all].map((one) => one[Symbol.asyncDispose]()));
}
