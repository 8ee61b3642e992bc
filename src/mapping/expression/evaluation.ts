import jsonata from "jsonata";
import type { Json, Row } from "#model";
import { kindOf } from "../compile/mapping-error.ts";
import { isObject } from "../object.ts";
import { pad, utc } from "./functions.ts";

/** An expression that works longer than this on one row does not end. */
const timeoutMs = 1_000;
/** Nested calls; above it a function calls itself without end. */
const maxDepth = 400;
/** Members of a list that an expression may build. */
const maxSequence = 100_000;

/** The result of an expression: its value, where nothing is null, or why it has none. */
export type Evaluated =
  | { readonly value: Json }
  /** `isMachines`: the row has no part in it, and another time it may succeed. */
  | { readonly failure: string; readonly isMachines?: true };

/** A JSONata expression with its limits, ready to meet rows. Imports nothing of other rooms: a process of its own loads it alone. */
export class Evaluation {
  readonly #compiled: jsonata.Expression;

  constructor(text: string) {
    this.#compiled = jsonata(text, { timeout: timeoutMs, stack: maxDepth, sequence: maxSequence });
    this.#compiled.registerFunction("utc", utc);
    this.#compiled.registerFunction("pad", pad);
  }

  get ast(): unknown {
    return this.#compiled.ast();
  }

  /** Never throws: what a row did to the expression is told without the row's values. */
  async of(present: Row): Promise<Evaluated> {
    try {
      return { value: asJson(await this.#compiled.evaluate(present)) };
    } catch (thrown) {
      if (thrown instanceof NoValue) return { failure: thrown.message };
      return { failure: `the expression failed: ${withoutValues(thrown)}` };
    }
  }
}

class NoValue extends Error {}

function asJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  // JSON has no infinity and would make null of it: the field would be cleared.
  if (typeof value === "number" && !Number.isFinite(value))
    throw new NoValue("the expression gives no finite number: does it divide by zero?");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (isObject(value) && !("_jsonata_lambda" in value) && !("_jsonata_function" in value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]));
  throw new NoValue("the expression gives a function, expected a value");
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
export function factsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  const facts = isObject(thrown) ? thrown : {};
  return thrown instanceof Error ? { ...facts, message: thrown.message } : facts;
}
