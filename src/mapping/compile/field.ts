import { joinKey, type Json, type Key } from "#model";
import type { MappedField, MappedValue } from "../contract.ts";
import type { FieldWords } from "../words.ts";
import { kindOf, mappingError, type FieldLocation } from "./mapping-error.ts";
import { isBlank, valueOf, type CompiledValue, type Input, type ValueCompiler } from "./value.ts";

export type ConstantLookup = { readonly resource: string; readonly by: string; readonly value: string | number };

export type LookupPlace = { readonly resource: string; readonly by: string };

export interface CompiledField {
  readonly map: (input: Input) => MappedField;
  /** The stream that the field refers to. */
  readonly parent: string | undefined;
  /** Where the field's names are looked up. */
  readonly lookup: LookupPlace | undefined;
  readonly constantLookups: readonly ConstantLookup[];
}

/** When the field is written. */
export function ownerOf(words: FieldWords): MappedField["own"] {
  return (typeof words === "object" && words.own) || "always";
}

/** Compiles one field of a stream. Its errors name the field; `values` collects its expressions. */
export function compileField(words: FieldWords, place: FieldLocation, values: ValueCompiler): CompiledField {
  const name = place.field;
  const own = ownerOf(words);
  const field = (map: (input: Input) => MappedValue, facts: Partial<CompiledField> = {}): CompiledField => ({
    map: (input) => ({ name, value: map(input), own }),
    parent: undefined,
    lookup: undefined,
    constantLookups: [],
    ...facts,
  });

  if (typeof words === "object" && "lookup" in words) {
    const { lookup: resource, by } = words;
    const compiled = values.compile(words.value, place);
    const read = valueOf(compiled);
    return field((input) => ({ kind: "lookup", resource, by, value: nameIn(read(input), place) }), {
      lookup: { resource, by },
      constantLookups: lookupsOf(compiled, resource, by),
    });
  }
  if (typeof words === "object" && "ref" in words) {
    const stream = words.ref;
    const parts = (Array.isArray(words.key) ? words.key : [words.key]).map((part) =>
      valueOf(values.compile(part, place)),
    );
    const optional = words.optional ? ({ optional: true } as const) : {};
    const key = (input: Input) =>
      keyOf(
        parts.map((read) => read(input)),
        place,
      );
    return field((input) => ({ kind: "ref", stream, key: key(input), ...optional }), { parent: stream });
  }
  if (typeof words === "object" && "tags" in words) {
    const { resource, by, separator } = words;
    const compiled = values.compile(words.tags, place);
    return field((input) => ({ kind: "tags", resource, by, values: namesIn(compiled, input, separator, place) }), {
      lookup: { resource, by },
      constantLookups: lookupsOf(compiled, resource, by),
    });
  }
  const read = valueOf(values.compile(words, place));
  return field((input) => ({ kind: "value", value: read(input) }));
}

function lookupsOf({ constants }: CompiledValue, resource: string, by: string): ConstantLookup[] {
  return constants.flatMap((value) =>
    (typeof value === "string" || typeof value === "number") && !isBlank(value) ? [{ resource, by, value }] : [],
  );
}

/** The name to look up; a blank text is not a name. */
function nameIn(value: Json, place: FieldLocation): string | number | null {
  if (isBlank(value)) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  throw mappingError(place, `a lookup needs text or a number, found ${kindOf(value)}`, { found: kindOf(value) });
}

/** The parent's key; null if any part is blank, which means that the row has no parent. */
function keyOf(parts: readonly Json[], place: FieldLocation): Key | null {
  if (parts.some(isBlank)) return null;
  const odd = parts.find((part) => typeof part === "object");
  if (odd !== undefined)
    throw mappingError(place, `a key needs text or a number, found ${kindOf(odd)}`, { found: kindOf(odd) });
  return joinKey(parts);
}

/** The names of a tags field, without repeats, in the order of the row. */
function namesIn(
  { read, table }: CompiledValue,
  input: Input,
  separator: string | undefined,
  place: FieldLocation,
): (string | number)[] {
  const value = read(input);
  const isText = typeof value === "string" && value.trim() !== "";
  const split = isText && separator !== undefined ? value.split(separator) : value;
  const names = (Array.isArray(split) ? split.filter((item) => !isBlank(item)) : [split])
    .map((item) => table(typeof item === "string" ? item.trim() : item))
    .map((item) => nameIn(item, place))
    .filter((item) => item !== null);
  return [...new Set(names)];
}
