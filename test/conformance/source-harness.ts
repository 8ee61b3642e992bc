import type { SourceStream } from "#sources";

export interface TestRow {
  /** Letters and digits. */
  readonly key: string;
  readonly name: string;
}

export interface StreamOptions {
  readonly pageSize: number;
  /** The database's clock as the stream sees it, epoch milliseconds; without it the real one. */
  readonly clockMs?: (() => number) | undefined;
}

/**
 * An ERP of a test's own with one empty table, and the hand of the one who writes in it. Rows come back from the stream
 * with a column `name`. What an adapter's ERP cannot do is left out here and named in {@link SourceUnderTest.exempt}.
 */
export interface SourceHarness extends AsyncDisposable {
  stream(options: StreamOptions): SourceStream;
  /** Inserts or changes rows in one committed transaction, stamped `atMs` (null: no stamp; absent: now). */
  put(rows: readonly TestRow[], atMs?: number | null): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
  /** Changes rows in a transaction that stays open, stamped now, until the function it resolves to is called. */
  putLate?(rows: readonly TestRow[]): Promise<() => Promise<void>>;
  /** False where nobody else can write while a late transaction is open. Default true. */
  readonly writesBesideLate?: boolean;
  /** Cuts every connection that streams hold, at once. */
  cut?(): Promise<void>;
  /** A stream whose ERP answers as if it had been asked for everything. */
  deafStream?(options: StreamOptions): SourceStream;
  /** Takes away a column that the stream needs. */
  breakSchema?(): Promise<void>;
  /** A stream to an address where nobody answers. */
  unreachable?(): SourceStream;
}

export interface SourceUnderTest {
  readonly name: string;
  open(): Promise<SourceHarness>;
  /** Promises that mean nothing here, each with the reason. */
  readonly exempt?: Readonly<Record<string, string>>;
  /** Why nothing of this adapter can be proven in this run. */
  readonly absent?: string | undefined;
}
