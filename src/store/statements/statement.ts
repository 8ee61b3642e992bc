import type { Dialect } from "../roles/access.ts";

/** The type of a value: a whole number, a text (also JSON), any number, or a list of texts. */
type SqlType = "integer" | "text" | "real" | "list";

/** Values of a statement, by name. */
export type CallValues = Readonly<Record<string, string | number | null | readonly string[]>>;

type SqlTypes<Values> = { readonly [Name in keyof Values]-?: SqlType };

/** A statement that the steps use, written once for all databases. */
export interface StepStatement {
  /** Unique; lower case with underscores. */
  readonly name: string;
  /** The values that it takes, which it names as `@name`. */
  readonly takes: Readonly<Record<string, SqlType>>;
  readonly sql: (dialect: Dialect) => string;
  /** Whether only a store that a cluster shares has what it reads or changes. The other stores skip it. */
  readonly ofCluster?: true;
}

/** A statement with its values. `row` only carries the type of its rows. */
export interface StatementCall<Row = unknown> {
  readonly of: StepStatement;
  readonly values: CallValues;
  readonly row?: Row;
}

/** Declares a statement. Calling the result fills in the values. */
export function statement<
  Values extends { readonly [Name in keyof Values]: CallValues[string] },
  Row extends object = object,
>(
  of: StepStatement & { readonly takes: SqlTypes<Values> },
): { (values: Values): StatementCall<Row>; readonly of: StepStatement } {
  return Object.assign((values: Values) => ({ of, values: { ...values } }), { of });
}
