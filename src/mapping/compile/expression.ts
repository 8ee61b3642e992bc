import jsonata from "jsonata";
import type { Json, Row } from "#model";
import { isObject } from "../object.ts";
import { missingColumn } from "./column-path.ts";
import { columnsOf } from "./expression-columns.ts";
import { expressionFault, type ExpressionFault } from "./expression-fault.ts";
import { kindOf, mappingError, type Place } from "./mapping-error.ts";
import { utc } from "./utc.ts";

/** An expression that works longer than this on one row does not end. */
const timeoutMs = 1_000;
/** Nested calls; above it a function calls itself without end. */
const maxDepth = 400;
/** Members of a list that an expression may build. */
const maxSequence = 100_000;

/** What is wrong with an expression before it meets a row. */
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

/** An expression over several lines cannot be pointed into, so the message counts too. */
function atCharacter({ message, offset }: ExpressionFault): ExpressionFault {
  return { message: `at character ${offset + 1}: ${message}`, offset };
}

/** A JSONata expression of a checked sync file, compiled once. */
export class Expression {
  readonly place: Place;
  readonly #compiled: jsonata.Expression;
  readonly #columns: readonly string[];

  constructor(text: string, place: Place) {
    this.place = place;
    this.#compiled = jsonata(text, { timeout: timeoutMs, stack: maxDepth, sequence: maxSequence });
    this.#compiled.registerFunction("utc", utc);
    this.#columns = columnsOf(this.#compiled.ast());
  }

  /**
   * The expression's value for a row; nothing becomes null.
   * `present` is the row without its NULLs (see {@link withoutNulls}).
   * @throws {ParkError} E_MAPPING when a column is missing, the expression fails or runs away.
   */
  async evaluate(row: Row, present: Row): Promise<Json> {
    for (const column of this.#columns) if (!Object.hasOwn(row, column)) throw missingColumn(this.place, column, row);
    let value: unknown;
    try {
      value = await this.#compiled.evaluate(present);
    } catch (thrown) {
      throw mappingError(this.place, `the expression failed: ${withoutValues(thrown)}`);
    }
    return this.#json(value);
  }

  #json(value: unknown): Json {
    if (value === undefined || value === null) return null;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
    if (Array.isArray(value)) return value.map((item) => this.#json(item));
    if (isObject(value) && !("_jsonata_lambda" in value) && !("_jsonata_function" in value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#json(member)]));
    throw mappingError(this.place, "the expression gives a function, wanted a value");
  }
}

/**
 * The row as expressions see it: without its NULLs, at any depth. `a & ' ' & b` would else write the word "null" into a
 * name, since that is what JSONata makes of a null beside text.
 */
export function withoutNulls(row: Row): Row {
  const present: Row = {};
  for (const name of Object.keys(row)) {
    const value = row[name]!;
    if (value !== null) present[name] = typeof value === "object" ? presentIn(value) : value;
  }
  return present;
}

function presentIn(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(presentIn) : withoutNulls(value);
}

/** Limits that an expression ran into: their `value` is the limit, none of the row's. */
const limits = new Set<unknown>(["D1011", "D1012", "D2015"]);

/** The message of what JSONata threw, with the row's values in it replaced by their kinds. */
function withoutValues(thrown: unknown): string {
  const { code, message = "unknown reason", value, value2, exp } = factsOf(thrown);
  const values = limits.has(code) ? [] : [value, value2, exp].filter((value) => value !== undefined);
  return values.reduce<string>((text, value) => text.replaceAll(JSON.stringify(value), kindOf(value)), String(message));
}

/** JSONata throws plain objects as well as errors; an error's message is not one of its own enumerable members. */
function factsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  const facts = isObject(thrown) ? thrown : {};
  return thrown instanceof Error ? { ...facts, message: thrown.message } : facts;
}
