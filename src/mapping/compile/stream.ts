import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson, type Json, type Row } from "#model";
import type { Deletion, Mapped, MappedField, MappedValue, MatchRule, Stream } from "../contract.ts";
import { Expression, presentValues } from "../expression/expression.ts";
import type { FieldWords, SetWords, StreamHead } from "../words.ts";
import { columnUses } from "./column-uses.ts";
import { compileField, ownerOf, type ConstantLookup } from "./field.ts";
import { kindOf, mappingError } from "./mapping-error.ts";
import { ValueCompiler } from "./value.ts";

/** Raised when a release maps an unchanged definition to different values, so that every record is mapped again. */
const mappingVersion = 1;

/** A stream's words after all checks. */
export interface StreamWords {
  readonly name: string;
  readonly head: StreamHead;
  /** Parsed by the adapter. */
  readonly read: unknown;
  readonly fields: ReadonlyMap<string, FieldWords>;
}

/** Compiles a stream whose words have all been checked. Later errors can only be caused by rows. */
export function compileStream({ name, head, read, fields }: StreamWords): Stream {
  const match = matchRules(head.match);
  const keyNames = new Set(match.flatMap((rule) => rule.fields));
  const all = compileFields(name, [...fields]);
  const identifying = compileFields(
    name,
    [...fields].filter(([field]) => keyNames.has(field)),
  );
  const deletion = compileDeletion(head.deleted);
  const isDeleted = condition(head.deleted?.when, name, "deleted.when");
  const isTaken = condition(head.when, name, "when");

  async function map(row: Row, deleted: boolean): Promise<Mapped> {
    if (deleted) return deletion;
    const present = all.hasExpressions || isDeleted || isTaken ? presentValues(row) : row;
    if (isDeleted && (await isDeleted(row, present))) return deletion;
    if (isTaken && !(await isTaken(row, present))) return { kind: "skip", reason: "left out by when" };
    return { kind: "record", fields: await all.of(row, present) };
  }

  return {
    name,
    source: head.source,
    resource: head.resource,
    read,
    everyMs: head.every,
    match,
    create: head.create,
    gone: head.gone,
    moved: head.moved,
    parents: [...new Set(all.compiled.flatMap(({ parent }) => parent ?? []))],
    ownedFields: [...new Set([...fields.keys(), ...Object.keys(head.deleted?.set ?? {})])],
    createOnlyFields: ownedFor(fields, "create"),
    emptyOnlyFields: ownedFor(fields, "empty"),
    lookups: all.compiled.flatMap(({ lookup }) => lookup ?? []),
    constantLookups: distinct([
      ...all.compiled.flatMap((field) => field.constantLookups),
      ...deletionLookups(deletion),
    ]),
    deletion: deletion.policy,
    columnUses: () => columnUses(head, fields),
    fingerprint: fingerprint(head, fields),
    map,
    identify: (row) => identifying.of(row, presentValues(row)),
  };
}

function ownedFor(fields: ReadonlyMap<string, FieldWords>, own: MappedField["own"]): string[] {
  return [...fields].flatMap(([field, words]) => (ownerOf(words) === own ? field : []));
}

/** Compiles the fields of a stream, with only those expressions that they need of a row. */
function compileFields(stream: string, fields: readonly (readonly [string, FieldWords])[]) {
  const values = new ValueCompiler();
  const compiled = fields.map(([field, words]) => compileField(words, { stream, field }, values));
  const { expressions } = values;
  return {
    compiled,
    hasExpressions: expressions.length > 0,
    async of(row: Row, present: Row): Promise<MappedField[]> {
      const results: Json[] = [];
      for (const expression of expressions) results.push(await expression.evaluate(row, present));
      return compiled.map((field) => field.map({ row, results }));
    },
  };
}

export function condition(text: string | undefined, stream: string, field: string) {
  if (text === undefined) return undefined;
  const expression = new Expression(text, { stream, field });
  return async (row: Row, present: Row): Promise<boolean> => {
    const answer = await expression.evaluate(row, present);
    if (typeof answer === "boolean" || answer === null) return answer === true;
    const found = kindOf(answer);
    throw mappingError(expression.place, `the expression gives ${found}, expected true or false (e.g. column = 1)`, {
      found,
    });
  };
}

function matchRules(words: StreamHead["match"]): MatchRule[] {
  if (!words) return [];
  if (!Array.isArray(words)) return [words];
  const oneRule = words.filter((part) => typeof part === "string");
  if (oneRule.length > 0) return [{ fields: oneRule, compare: "exact" }];
  return words.flatMap((rule): MatchRule[] => {
    if (typeof rule === "string") return [];
    return [Array.isArray(rule) ? { fields: rule, compare: "exact" } : rule];
  });
}

/**
 * Identifies the words that determine the result of `map`. How and when rows are read, found or recreated is not part of
 * it.
 */
function fingerprint(head: StreamHead, fields: ReadonlyMap<string, FieldWords>): string {
  const definition = {
    version: mappingVersion,
    resource: head.resource,
    when: head.when ?? null,
    deleted: head.deleted ?? null,
    // Without it, what was left out has to be looked at again.
    ...(head.create === "never" && { create: head.create }),
    fields: Object.fromEntries(fields),
  };
  return createHash("sha256")
    .update(canonicalJson(z.json().parse(definition)))
    .digest("hex")
    .slice(0, 16);
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

type DeletedWords = NonNullable<StreamHead["deleted"]>;

/** What happens to a deleted record, computed once because it consists of constants. */
function compileDeletion(words: DeletedWords | undefined): Deletion {
  if (words?.delete) return { kind: "deleted", policy: "delete" };
  if (!words?.set) return { kind: "deleted", policy: "ignore" };
  const fields = Object.entries(words.set).map(([name, set]) => ({
    name,
    value: setValue(set),
    own: "always" as const,
  }));
  return { kind: "deleted", policy: "set", fields };
}

function setValue(words: SetWords): MappedValue {
  if (words === null || typeof words !== "object") return { kind: "value", value: words };
  if ("const" in words) return { kind: "value", value: words.const };
  const { lookup: resource, by, value } = words;
  return { kind: "lookup", resource, by, value: typeof value === "boolean" ? String(value) : value };
}

/** The lookups of a deletion; all of them are constants. */
function deletionLookups(deletion: Deletion): ConstantLookup[] {
  if (deletion.policy !== "set") return [];
  return deletion.fields.flatMap(({ value }) => {
    if (value.kind !== "lookup" || value.value === null) return [];
    return [{ resource: value.resource, by: value.by, value: value.value }];
  });
}
