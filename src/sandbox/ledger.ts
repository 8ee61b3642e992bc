import type { ResourceName } from "#model";
import type { RecordDatabase } from "./records/database.ts";
import type { Version, WriteAction } from "./records/version.ts";

/** A finished request. Bodies of logins, and tokens, are never kept. */
export interface RequestEntry {
  /** From 1, without gaps. */
  readonly number: number;
  readonly at: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** Neutral name, or `login` or `logout`; undefined for an unknown path. */
  readonly resource: string | undefined;
  readonly username: string | undefined;
  /** 0 if the connection was cut before an answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The error message of a refusal. */
  readonly error?: string | undefined;
  /** Kinds of the faults that hit. */
  readonly faults?: readonly string[] | undefined;
}

/** One write. `record` is the record afterwards; undefined once it is gone. */
export type WriteEntry = Omit<Version, "previous">;

export interface RequestQuery {
  readonly method?: string;
  readonly resource?: string;
  readonly status?: number;
}

export interface WriteQuery {
  readonly resource?: ResourceName;
  readonly id?: number;
  readonly action?: WriteAction;
}

interface Waiter {
  readonly query: RequestQuery;
  readonly heard: (entry: RequestEntry) => void;
}

/** All requests to the sandbox, and all writes. */
export class Ledger {
  readonly #database: RecordDatabase;
  readonly #size: number;
  #ring: RequestEntry[] = [];
  #lastNumber = 0;
  #counts = new Map<string, number>();
  #waiters: Waiter[] = [];

  constructor(database: RecordDatabase, size: number) {
    this.#database = database;
    this.#size = size;
  }

  /** The number of the next request. */
  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  add(entry: RequestEntry): void {
    this.#ring[entry.number % this.#size] = entry;
    const name = countName(entry.method, entry.resource, entry.status);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (this.#waiters.length === 0) return;
    const heard = this.#waiters.filter((waiter) => matches(entry, waiter.query));
    this.#waiters = this.#waiters.filter((waiter) => !heard.includes(waiter));
    for (const waiter of heard) waiter.heard(entry);
  }

  /** The remembered requests, oldest first. */
  requests(query: RequestQuery = {}): RequestEntry[] {
    return this.#ring.filter((entry) => matches(entry, query)).toSorted((a, b) => a.number - b.number);
  }

  /** The number of requests, including those no longer remembered. */
  count(query: RequestQuery = {}): number {
    let total = 0;
    for (const [name, count] of this.#counts) {
      const [method = "", resource = "", status] = name.split(" ");
      if (matches({ method, resource: resource || undefined, status: Number(status) }, query)) total += count;
    }
    return total;
  }

  /** The next request of this kind that ends after this call. */
  next(query: RequestQuery = {}): Promise<RequestEntry> {
    return new Promise((heard) => {
      this.#waiters.push({ query, heard });
    });
  }

  /** Every write, oldest first, including seeded records. */
  writes(query: WriteQuery = {}): WriteEntry[] {
    return this.#database.log
      .filter(
        (version) =>
          (query.resource === undefined || version.resource === query.resource) &&
          (query.id === undefined || version.id === query.id) &&
          (query.action === undefined || version.action === query.action),
      )
      .map(writeEntry);
  }

  clear(): void {
    this.#ring = [];
    this.#counts = new Map();
  }
}

function writeEntry({ previous: _previous, ...entry }: Version): WriteEntry {
  return entry;
}

const countName = (method: string, resource: string | undefined, status: number): string =>
  `${method} ${resource ?? ""} ${status}`;

function matches(
  entry: { method: string; resource: string | undefined; status: number },
  query: RequestQuery,
): boolean {
  return (
    (query.method === undefined || query.method === entry.method) &&
    (query.resource === undefined || query.resource === entry.resource) &&
    (query.status === undefined || query.status === entry.status)
  );
}
