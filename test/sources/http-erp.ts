import type { SourceStream } from "#sources";
import type { SourceHarness, StreamOptions, TestRow } from "../conformance/source-harness.ts";
import { SetClock } from "../kit/clock.ts";
import { type Asked, type Told, startWebServer } from "../kit/http.ts";

export interface ErpRow {
  /** Grows with each new key, as serial ids do. */
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** Microseconds since 1970, UTC. */
  readonly stamp: number | null;
}

export interface ErpQuery {
  readonly from?: number | undefined;
  readonly below?: number | undefined;
  readonly after?: string | number | undefined;
  readonly order: "stamp" | "key" | "id";
  readonly offset?: number | undefined;
  readonly limit: number;
  readonly nulls?: boolean | undefined;
}

/** The rows behind an HTTP stand-in for an ERP, with its bad habits as switches. */
export class HttpErp {
  readonly rows = new Map<string, ErpRow>();
  readonly deleted: { readonly key: string; readonly at: number }[] = [];
  /** Answers as if it had been asked for everything. */
  deaf = false;
  /** Leaves the stamp out of its rows. */
  broken = false;
  /** Grows with each write. */
  version = 0;
  #ids = 0;

  write(rows: readonly TestRow[], stamp: number | null): void {
    this.version++;
    for (const { key, name } of rows) {
      const id = this.rows.get(key)?.id ?? ++this.#ids;
      this.rows.set(key, { id, key, name, stamp });
    }
  }

  delete(keys: readonly string[], at: number): void {
    this.version++;
    for (const key of keys) {
      this.rows.delete(key);
      this.deleted.push({ key, at });
    }
  }

  select({ from, below, after, order, offset = 0, limit, nulls = false }: ErpQuery): ErpRow[] {
    const windowed = !this.deaf && (from !== undefined || below !== undefined);
    const found: ErpRow[] = [];
    for (const row of this.rows.values()) {
      if (nulls && row.stamp !== null) continue;
      if (windowed && (row.stamp === null || row.stamp < (from ?? 0) || row.stamp >= (below ?? Infinity))) continue;
      if (order === "stamp" && row.stamp === null) continue;
      if (after !== undefined && !(typeof after === "number" ? row.id > after : row.key > after)) continue;
      found.push(row);
    }
    return found.toSorted((a, b) => compare(a, b, order)).slice(offset, offset + limit);
  }
}

function compare(a: ErpRow, b: ErpRow, order: ErpQuery["order"]): number {
  if (order === "stamp" && a.stamp !== b.stamp) return (a.stamp ?? 0) - (b.stamp ?? 0);
  if (order === "id") return a.id - b.id;
  return a.key < b.key ? -1 : 1;
}

export interface HttpErpKind {
  answer(erp: HttpErp, asked: Asked): Told;
  open(url: string, options: StreamOptions, clock: SetClock): Promise<SourceStream>;
  /** Called for each row that is written, so that what the stand-in keeps is made before anything is measured. */
  written?(row: ErpRow): void;
}

/** An ERP over HTTP for the conformance suite. */
export async function httpHarness(kind: HttpErpKind): Promise<SourceHarness> {
  const erp = new HttpErp();
  let clockMs: () => number = Date.now;
  const server = await startWebServer((asked) => {
    const told = kind.answer(erp, asked);
    return { ...told, headers: { date: new Date(clockMs()).toUTCString(), ...told.headers } };
  });
  const clock = new SetClock(0);
  clock.now = () => clockMs();
  const opened = (url: string, options: StreamOptions): SourceStream => {
    if (options.clockMs !== undefined) clockMs = options.clockMs;
    return lazily(kind.open(url, options, clock));
  };
  return {
    stream: (options) => opened(server.url, options),
    async put(rows, atMs) {
      erp.write(rows, atMs === null ? null : (atMs ?? clockMs()) * 1000 + 123);
      for (const { key } of rows) kind.written?.(erp.rows.get(key)!);
    },
    async delete(keys) {
      erp.delete(keys, clockMs() * 1000);
    },
    async putLate(rows) {
      const stamp = clockMs() * 1000;
      return async () => erp.write(rows, stamp);
    },
    cut: async () => server.cut(),
    deafStream(options) {
      erp.deaf = true;
      return opened(server.url, options);
    },
    async breakSchema() {
      erp.broken = true;
    },
    unreachable: () => opened("http://127.0.0.1:9", { pageSize: 5 }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Opening a source is asynchronous, though nothing is connected; tests want the stream at once. */
function lazily(opening: Promise<SourceStream>): SourceStream {
  return {
    capabilities: { deletions: "sweep" },
    async *changes(cursor, signal) {
      yield* (await opening).changes(cursor, signal);
    },
    readOne: async (key, signal) => (await opening).readOne(key, signal),
    async *keys(signal) {
      yield* (await opening).keys(signal);
    },
    async *deletions(cursor, signal) {
      yield* (await opening).deletions?.(cursor, signal) ?? [];
    },
    check: async (signal) => (await opening).check(signal),
  };
}
