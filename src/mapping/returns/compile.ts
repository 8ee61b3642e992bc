import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson, isJsonObject, type Json, type ReturnValue, type Row } from "#model";
import { condition } from "../compile/stream.ts";
import { kindOf, mappingError, type FieldLocation } from "../compile/mapping-error.ts";
import { ValueCompiler, valueOf, type Input } from "../compile/value.ts";
import { presentValues } from "../expression/expression.ts";
import type { MappedReturnField, MappedReturnValue, ReturnLines, ReturnStream } from "../returns-contract.ts";
import type { CheckedLines, CheckedReturn } from "./check.ts";
import { namesAround, whenOf, type Reads } from "./reads.ts";
import { headScope, linesIn } from "./scope.ts";
import type { AmountWords, ReturnValueWords } from "./words.ts";

/** Raised when a release makes other content of an unchanged definition. */
const contentVersion = 1;

/** Compiles a stream of returns whose words have all been checked. Later errors can only be caused by records. */
export function compileReturn(words: CheckedReturn, reads: Reads): ReturnStream {
  const { name, fields } = words;
  const checked = words.checked!;
  const when = whenOf(checked);
  const isWanted = condition(when, name, "when");
  const head = compileFields(name, fields);
  const { kind } = checked;
  const records = checked.kind === "state" ? undefined : checked.head;
  const reports = checked.kind === "reports" ? checked.head : undefined;
  return {
    name,
    kind,
    resource: records?.resource,
    of: checked.kind === "state" ? checked.head.state : undefined,
    to: defined(checked.head.to),
    answers: answersOf(records?.answers, "folder" in checked.head.to),
    beginAt: records?.begin,
    corrections: reports?.corrections ?? "hold",
    everyMs: checked.head.every,
    guard: checked.head.guard,
    columns: [...fields.keys()],
    reads: reads.head,
    finalBy: reads.finalBy,
    lines: words.lines.map((lines, at) => compileLines(words, lines, reads.head, reads.lines[at] ?? [])),
    async isWanted(record) {
      if (isWanted === undefined) return true;
      const row = headScope(record, reads.head);
      return isWanted(row, presentValues(row));
    },
    async map(record) {
      return head(headScope(record, reads.head));
    },
    whenAccepted: reports?.then && {
      resource: reports.then.resource,
      of: reports.then.of,
      set: reports.then.set,
    },
    fingerprint: fingerprint(words, when),
  };
}

function compileLines(
  { name, checked }: CheckedReturn,
  { words, fields }: CheckedLines,
  headReads: readonly string[],
  reads: readonly string[],
): ReturnLines {
  const { each, kind, amount } = words;
  const place = (field: string): FieldLocation => ({ stream: name, field: `${kind}.${field}` });
  const map = compileFields(name, fields, `${kind}.`);
  const readAmount = amount === undefined ? undefined : compileAmount(amount, place("amount"));
  const resource = checked?.kind === "reports" ? checked.head.resource : "";
  const around = { head: resource, names: namesAround(each), headReads };
  return {
    each,
    kind,
    rounding:
      typeof amount === "object" && amount.round !== undefined
        ? { digits: amount.round, remainder: amount.remainder ?? "refuse" }
        : undefined,
    columns: [...fields.keys()],
    reads,
    async map(record) {
      const lines = linesIn(record, each, { reads, around, place: place("each") });
      const mapped = [];
      for (const { id, row } of lines)
        mapped.push({ kind, id, amount: readAmount ? await readAmount(row) : null, fields: await map(row) });
      return mapped;
    },
  };
}

/** Compiles columns to a function from a row to their values. */
function compileFields(stream: string, fields: ReadonlyMap<string, ReturnValueWords>, prefix = "") {
  const values = new ValueCompiler();
  const compiled = [...fields].map(([name, words]) => {
    const place = { stream, field: `${prefix}${name}` };
    return { name, read: compileValue(words, place, values) };
  });
  return async (row: Row): Promise<MappedReturnField[]> => {
    const input = await inputOf(row, values);
    return compiled.map(({ name, read }) => ({ name, value: read(input) }));
  };
}

function compileAmount(words: AmountWords, place: FieldLocation) {
  const values = new ValueCompiler();
  const { round: _digits, remainder: _rest, ...plain } = typeof words === "string" ? { from: words } : words;
  const read = valueOf(values.compile(plain, place));
  return async (row: Row): Promise<number> => {
    const value = read(await inputOf(row, values));
    if (typeof value === "number") return value;
    throw mappingError(place, `found ${kindOf(value)}, expected a number: a line without an amount cannot be billed`);
  };
}

async function inputOf(row: Row, { expressions }: ValueCompiler): Promise<Input> {
  const results: Json[] = [];
  const present = expressions.length > 0 ? presentValues(row) : row;
  for (const expression of expressions) results.push(await expression.evaluate(row, present));
  return { row, results };
}

function compileValue(words: ReturnValueWords, place: FieldLocation, values: ValueCompiler) {
  if (typeof words !== "object" || !("id" in words)) {
    const read = valueOf(values.compile(words, place));
    return (input: Input): MappedReturnValue => ({ kind: "value", value: plainValue(read(input), place) });
  }
  const read = valueOf(values.compile(words.id, place));
  return (input: Input): MappedReturnValue => {
    const id = idOf(read(input), place);
    return "keyOf" in words
      ? { kind: "keyOf", stream: words.keyOf, id }
      : { kind: "nameOf", resource: words.nameOf, by: words.by, id };
  };
}

function plainValue(value: Json, place: FieldLocation): ReturnValue {
  if (typeof value !== "object" || value === null) return value;
  throw mappingError(place, `found ${kindOf(value)}, expected text, a number, true or false: name a member of it`);
}

/** A link is an id, or an object with it where other members of it are read too. */
function idOf(value: Json, place: FieldLocation): number | null {
  const id = isJsonObject(value) ? (value["id"] ?? null) : value;
  if (id === null || (typeof id === "number" && Number.isSafeInteger(id))) return id;
  throw mappingError(place, `found ${kindOf(id)}, expected the id of a record of the service`);
}

interface AnswerWords {
  readonly table?: string | undefined;
  readonly folder?: string | undefined;
  readonly within: number;
}

function answersOf(words: AnswerWords | undefined, areFiles: boolean): ReturnStream["answers"] {
  if (words === undefined) return undefined;
  const { within: withinMs, ...place } = words;
  return { ...defined(areFiles ? { folder: "answers", ...defined(place) } : place), withinMs };
}

/** Leaves out members without a value. */
function defined<T extends object>(words: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.entries loses the members' types
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as never;
}

/** Identifies the words that determine what a return says. */
function fingerprint({ checked, fields, lines }: CheckedReturn, when: string | undefined): string {
  const definition = {
    version: contentVersion,
    of: checked === undefined ? null : checked.kind === "state" ? checked.head.state : checked.head.resource,
    when: when ?? null,
    fields: Object.fromEntries(fields),
    lines: lines.map(({ words, fields }) => ({ ...words, fields: Object.fromEntries(fields) })),
  };
  const text = canonicalJson(z.json().parse(JSON.parse(JSON.stringify(definition))));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
