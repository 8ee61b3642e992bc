import type { QueryResult } from "pg";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { SqlText, SqlValue } from "./sql.ts";

/** How the roles of the store reach the schema. */
export interface Database {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** What claims of this process begin with, and what it maps by; undefined where that does not matter. */
  readonly claims: { readonly epoch: number; readonly mapping: string | undefined };
  /** A copy without secrets. */
  readonly clean: <Value>(value: Value) => Value;
  /** Hears how many creates are committed: a store that has fewer later has lost them. */
  readonly hearCreates: (creates: number) => void;
  /** A read of what is committed then. */
  readonly read: <Row>(sql: string, values?: Readonly<Record<string, SqlValue>>) => Promise<Row[]>;
  /** A read that is one call of a function, as {@link together}. */
  readonly readTogether: <Row>(name: string, values: object) => Promise<Row[]>;
  /** A step of its own, all or nothing; resolves to the results of its statements when the disk has it. */
  readonly step: (statements: readonly SqlText[]) => Promise<QueryResult[]>;
  /** A step that is one call of a function that takes a list of calls, {"call": its number, ...}; resolves to its own rows. */
  readonly together: <Row>(name: string, values: object) => Promise<Row[]>;
}
