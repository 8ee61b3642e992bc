import jsonata from "jsonata";
import type { Json, Row } from "#model";
import { kindOf } from "../compile/mapping-error.ts";
import { isObject } from "../object.ts";
import { local, pad, utc } from "./functions.ts";
import { plainText } from "./plain-text.ts";
import { asText, checkTexts, string } from "./texts.ts";

/** An expression that takes more processor time than this for one row is taken to run forever. */
const timeoutMs = 1_000;
/** JSONata knows only the wall clock, which runs on while a machine is paused or busy. It stops the further tries after this time. */
const patientMs = 5_000;
/** A machine that pauses in each of so many tries is asked again later. */
const mostTries = 4;
/** How old a reading of the processor time may be. One takes as long as a small expression. */
const readingMs = 20;
/** The share of the limit from which on the time was the expression's own. */
const ownShare = 0.8;
/** Maximum depth of nested calls, which stops infinite recursion. */
const maxDepth = 400;
/** Maximum number of members in a list that an expression builds. */
const maxSequence = 100_000;

/** The result of an expression: its value, null where there is none, or why it failed. */
export type Evaluated =
  | { readonly value: Json }
  /** `isMachines`: the row is not the cause, and a later try may succeed. */
  | { readonly failure: string; readonly isMachines?: true };

/**
 * A JSONata expression with its limits, ready to evaluate rows. It imports no other module, because a separate process
 * loads it alone.
 */
export class Evaluation {
  readonly #text: string;
  readonly #compiled: jsonata.Expression;

  constructor(text: string) {
    this.#text = text;
    this.#compiled = compiled(text, timeoutMs);
  }

  get ast(): unknown {
    return this.#compiled.ast();
  }

  /** Never throws. A failure is described without the row's values. What only a pause of the machine stopped is tried again. */
  async of(present: Row): Promise<Evaluated> {
    const before = recentProcessorMs();
    for (let attempt = 1; ; attempt++) {
      const expression = attempt === 1 ? this.#compiled : compiled(this.#text, patientMs);
      try {
        return { value: asJson(await expression.evaluate(present)) };
      } catch (thrown) {
        if (thrown instanceof NoValue) return { failure: thrown.message };
        const isTimeout = factsOf(thrown)["code"] === "D1012";
        const isPause = isTimeout && processorMs() - before < timeoutMs * ownShare;
        if (isPause && attempt < mostTries) continue;
        const failure = `the expression failed: ${withoutValues(thrown)}`;
        return isPause ? { failure, isMachines: true } : { failure };
      }
    }
  }
}

function compiled(text: string, timeout: number): jsonata.Expression {
  const expression = jsonata(text, { timeout, stack: maxDepth, sequence: maxSequence });
  checkTexts(expression.ast());
  expression.registerFunction("asText", asText);
  expression.registerFunction("string", string, "<x-b?:s>");
  expression.registerFunction("utc", utc);
  expression.registerFunction("local", local);
  expression.registerFunction("pad", pad);
  expression.registerFunction("plainText", plainText);
  return expression;
}

/** The processor time that this process has used, in milliseconds. It stands still while the machine is paused. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let reading = { at: Number.NEGATIVE_INFINITY, ms: 0 };

/** The same as it was at most {@link readingMs} ago. */
function recentProcessorMs(): number {
  const at = performance.now();
  if (at - reading.at > readingMs) reading = { at, ms: processorMs() };
  return reading.ms;
}

class NoValue extends Error {}

function asJson(value: unknown): Json {
  if (value === undefined || value === null) return null;
  // JSON turns infinity into null, which would clear the field.
  if (typeof value === "number" && !Number.isFinite(value))
    throw new NoValue("the expression gives no finite number: does it divide by zero?");
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (isObject(value) && !("_jsonata_lambda" in value) && !("_jsonata_function" in value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asJson(member)]));
  throw new NoValue("the expression gives a function, expected a value");
}

/** Errors for exceeded limits: their `value` is the limit, not a value of the row. */
const limits = new Set<unknown>(["D1011", "D1012", "D2015"]);

/** JSONata's error message, with values of the row replaced by their kinds. */
function withoutValues(thrown: unknown): string {
  const { code, message = "unknown reason", value, value2, exp } = factsOf(thrown);
  const values = limits.has(code) ? [] : [value, value2, exp].filter((value) => value !== undefined);
  return values.reduce<string>((text, value) => text.replaceAll(JSON.stringify(value), kindOf(value)), String(message));
}

/**
 * The facts of an error. JSONata throws plain objects as well as errors, and an error's message is not an own enumerable
 * member.
 */
export function factsOf(thrown: unknown): Readonly<Record<string, unknown>> {
  const facts = isObject(thrown) ? thrown : {};
  return thrown instanceof Error ? { ...facts, message: thrown.message } : facts;
}
