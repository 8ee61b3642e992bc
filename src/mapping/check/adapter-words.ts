import { z } from "zod";
import { isObject } from "../object.ts";
import type { FilePath, Problem } from "./problem.ts";
import { choicesOf, plainSchema } from "./schema-names.ts";
import { checkShape, type ShapeOptions } from "./shape-problem.ts";

type Schema = z.core.$ZodType;

/**
 * Checks an adapter's settings as {@link checkShape} does. Earlier versions spelled `privateKey` as `private_key`: each
 * use of the old spelling is a warning, and both spellings at once are a problem.
 */
export function checkAdapterWords<T>(schema: z.ZodType<T>, value: unknown, path: FilePath, options?: ShapeOptions) {
  const current = respelled(schema, value, path);
  const checked = checkShape(schema, current.value, path, options);
  return { ...checked, problems: [...current.problems, ...checked.problems], warnings: current.warnings };
}

/** The current spelling of `private_key`: `privateKey`. */
export function camelCase(word: string): string {
  return word.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Renames only words that the schema itself names: the keys of a map (headers, parameters) belong to the user. */
function respelled(schema: Schema, value: unknown, path: FilePath) {
  const warnings: Problem[] = [];
  const problems: Problem[] = [];

  function respell(schemas: readonly Schema[], value: unknown, path: FilePath): unknown {
    if (typeof value === "string") return respellChoice(schemas, value, path);
    if (Array.isArray(value)) {
      const elements = schemas.flatMap((schema) => (schema instanceof z.ZodArray ? kindsOf(schema.element) : []));
      return value.map((item, at) => respell(elements, item, [...path, at]));
    }
    return isObject(value) ? respellMembers(schemas, value, path) : value;
  }

  function respellMembers(schemas: readonly Schema[], value: Readonly<Record<string, unknown>>, path: FilePath) {
    const words = Object.keys(value);
    const members = Object.entries(value).flatMap(([word, member]): [string, unknown][] => {
      const name = currentName(schemas, word);
      const place = { path: [...path, word], atName: true };
      const twin = words.find((other) => other !== word && currentName(schemas, other) === name);
      if (name !== word && twin !== undefined) {
        const message = `found both "${word}" and "${twin}", two spellings of one word: remove ${word}`;
        problems.push({ ...place, message });
        return [];
      }
      if (name !== word) warnings.push({ ...place, message: `this word is now ${name}; the old spelling still works` });
      return [[name, respell(membersNamed(schemas, name), member, place.path)]];
    });
    return Object.fromEntries(members);
  }

  function respellChoice(schemas: readonly Schema[], value: string, path: FilePath): string {
    const choices = schemas.flatMap((schema) => (schema instanceof z.ZodEnum ? schema.options : []));
    const current = camelCase(value);
    if (choices.includes(value) || !choices.includes(current)) return value;
    warnings.push({ path, message: `this value is now ${current}; the old spelling still works` });
    return current;
  }

  return { value: respell(kindsOf(schema), value, path), warnings, problems };
}

/** The kinds of values that a schema takes: of a union, all its choices. */
function kindsOf(schema: Schema): readonly Schema[] {
  const plain = plainSchema(schema);
  return plain instanceof z.ZodUnion ? choicesOf(plain).flatMap(kindsOf) : [plain];
}

/** The current name of a word: unchanged where it is known, where a map takes any key, or where nothing similar exists. */
function currentName(schemas: readonly Schema[], word: string): string {
  const current = camelCase(word);
  const isKnown = schemas.some((schema) => takesAnyName(schema) || hasMember(schema, word));
  return !isKnown && schemas.some((schema) => hasMember(schema, current)) ? current : word;
}

function takesAnyName(schema: Schema): boolean {
  if (schema instanceof z.ZodObject) return !(schema.def.catchall instanceof z.ZodNever);
  return schema instanceof z.ZodRecord;
}

function hasMember(schema: Schema, name: string): schema is z.ZodObject {
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, name);
}

function membersNamed(schemas: readonly Schema[], name: string): readonly Schema[] {
  return schemas.flatMap((schema) => {
    if (hasMember(schema, name)) return kindsOf(schema.shape[name]);
    return schema instanceof z.ZodRecord ? kindsOf(schema.valueType) : [];
  });
}
