import type { QueryResult } from "pg";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { LateWaking } from "../steps/late-waking.ts";
import type { ListDriver } from "../steps/step.ts";
import type { SqlText, SqlValue } from "./sql.ts";

/** How the store's roles access the schema. */
export interface Database extends ListDriver {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Whether the server refuses every step. */
  readonly isReader: boolean;
  /** A copy without secrets. */
  readonly clean: <Value>(value: Value) => Value;
  /** Reads what is committed at that moment. */
  readonly read: <Row>(sql: string, values?: Readonly<Record<string, SqlValue>>) => Promise<Row[]>;
  /** A read by one call of a function, batched like {@link together}. */
  readonly readTogether: <Row>(name: string, values: object) => Promise<Row[]>;
  /** Runs a step of its own, all or nothing. Resolves to the results of its statements once they are on disk. */
  readonly step: (statements: readonly SqlText[]) => Promise<QueryResult[]>;
  /**
   * Runs a step that is one call of a function which takes a list of calls, {"call": its number, ...}. Resolves to the rows of this call.
   */
  readonly together: <Row>(name: string, values: object) => Promise<Row[]>;
  /** Wakes what a step has left to wake. */
  readonly lateWaking: LateWaking;
}
