import jsonata from "jsonata";
import { RetryError, type Json, type Row } from "#model";
import { missingColumn, refuseScalars, type ColumnPath } from "../compile/column-path.ts";
import { columnsOf, barePathOf } from "./expression-columns.ts";
import { Evaluation, factsOf } from "./evaluation.ts";
import { expressionFault, type ExpressionFault } from "./expression-fault.ts";
import { isBounded } from "./expression-risk.ts";
import { expressionWorkers } from "./expression-workers.ts";
import { mappingError, type FieldLocation } from "../compile/mapping-error.ts";

/** What is wrong with an expression, checked before any row. */
export function expressionProblem(text: string): ExpressionFault | undefined {
  let ast: unknown;
  try {
    ast = jsonata(text).ast();
  } catch (thrown) {
    const { message, position, token } = factsOf(thrown);
    const end = typeof position === "number" ? position : 0;
    const length = typeof token === "string" && token !== "(end)" ? token.length : 0;
    return atCharacter({ message: String(message), offset: Math.max(0, end - length) });
  }
  const fault = expressionFault(ast);
  return fault && atCharacter(fault);
}

/** The message names the character too, because editors cannot point into an expression of several lines. */
function atCharacter({ message, offset }: ExpressionFault): ExpressionFault {
  return { message: `at character ${offset + 1}: ${message}`, offset };
}

/** A JSONata expression of a checked sync file, compiled once. */
export class Expression {
  readonly place: FieldLocation;
  readonly #text: string;
  readonly #evaluation: Evaluation;
  readonly #isBounded: boolean;
  readonly #columns: readonly string[];
  readonly #path: ColumnPath | undefined;

  constructor(text: string, place: FieldLocation) {
    this.place = place;
    this.#text = text;
    this.#evaluation = new Evaluation(text);
    this.#isBounded = isBounded(this.#evaluation.ast);
    this.#columns = columnsOf(this.#evaluation.ast);
    this.#path = barePathOf(this.#evaluation.ast);
  }

  /**
   * The expression's value for a row; no value becomes null. An expression that could run away is evaluated in a
   * separate process, with a deadline and a memory limit. `present` is the row without its NULLs (see {@link
   * withoutNulls}).
   * @throws {ParkError} E_MAPPING when a column is missing, a path leads into a text, or the expression fails or runs
   * away.
   * @throws {RetryError} E_EXPRESSION_PROCESS when that process cannot be started.
   */
  async evaluate(row: Row, present: Row): Promise<Json> {
    for (const column of this.#columns) if (!Object.hasOwn(row, column)) throw missingColumn(this.place, column, row);
    if (this.#path) refuseScalars(this.#path, row, this.place);
    const evaluated = await (this.#isBounded
      ? this.#evaluation.of(present)
      : expressionWorkers.evaluate(this.#text, present));
    if ("value" in evaluated) return evaluated.value;
    const { failure, isMachines } = evaluated;
    if (!isMachines) throw mappingError(this.place, failure);
    const { stream, field } = this.place;
    throw new RetryError("E_EXPRESSION_PROCESS", `${stream}.${field}: ${failure}`, { details: { stream, field } });
  }
}

/**
 * The row as expressions see it: without its NULLs, at any depth. Otherwise `a & ' ' & b` would write the word "null"
 * into a name, because JSONata prints a null that way.
 */
export function presentValues(row: Row): Row {
  const present: Row = {};
  for (const name of Object.keys(row)) {
    const value = row[name]!;
    if (value !== null) present[name] = typeof value === "object" ? presentIn(value) : value;
  }
  return present;
}

function presentIn(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(presentIn) : presentValues(value);
}
