import { isDeepStrictEqual } from "node:util";

type Schema = Readonly<Record<string, unknown>>;

/** Judges a value by the part of JSON Schema that the sync file's schema uses; any other keyword is an error. */
export function accepts(schema: unknown, value: unknown): boolean {
  return judge(object(schema), value, object(schema));
}

function judge(schema: Schema, value: unknown, root: Schema): boolean {
  return Object.entries(schema).every(([keyword, wanted]) => {
    const rule = rules[keyword];
    if (!rule) throw new Error(`unexpected keyword ${keyword}`);
    return rule(wanted, value, { schema, root });
  });
}

interface At {
  readonly schema: Schema;
  readonly root: Schema;
}
type Rule = (wanted: unknown, value: unknown, at: At) => boolean;

const fine: Rule = () => true;

const rules: Readonly<Record<string, Rule>> = {
  $schema: fine,
  $defs: fine,
  title: fine,
  description: fine,
  default: fine,
  $ref: (wanted, value, { root }) =>
    judge(object(object(root["$defs"])[String(wanted).replace("#/$defs/", "")]), value, root),
  type: (wanted, value) => [wanted].flat().some((kind) => types[String(kind)]!(value)),
  const: isDeepStrictEqual,
  enum: (wanted, value) => list(wanted).some((one) => isDeepStrictEqual(one, value)),
  anyOf: (wanted, value, { root }) => list(wanted).some((one) => judge(object(one), value, root)),
  allOf: (wanted, value, { root }) => list(wanted).every((one) => judge(object(one), value, root)),
  pattern: (wanted, value) => typeof value !== "string" || new RegExp(String(wanted), "u").test(value),
  minLength: (wanted, value) => typeof value !== "string" || value.length >= Number(wanted),
  minimum: (wanted, value) => typeof value !== "number" || value >= Number(wanted),
  maximum: (wanted, value) => typeof value !== "number" || value <= Number(wanted),
  exclusiveMinimum: (wanted, value) => typeof value !== "number" || value > Number(wanted),
  minItems: (wanted, value) => !Array.isArray(value) || value.length >= Number(wanted),
  items: (wanted, value, { root }) => !Array.isArray(value) || value.every((one) => judge(object(wanted), one, root)),
  required: (wanted, value) => !isObject(value) || list(wanted).every((name) => Object.hasOwn(value, String(name))),
  properties: (wanted, value, { root }) =>
    Object.entries(object(wanted)).every(
      ([name, member]) => !isObject(value) || !Object.hasOwn(value, name) || judge(object(member), value[name], root),
    ),
  propertyNames: (wanted, value, { root }) =>
    !isObject(value) || Object.keys(value).every((name) => judge(object(wanted), name, root)),
  additionalProperties: (wanted, value, { schema, root }) => {
    const known = Object.keys(object(schema["properties"] ?? {}));
    const others = isObject(value) ? Object.entries(value).filter(([name]) => !known.includes(name)) : [];
    return others.every(([, other]) => wanted !== false && (wanted === true || judge(object(wanted), other, root)));
  },
};

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function object(value: unknown): Schema {
  if (!isObject(value)) throw new Error(`expected an object, found ${JSON.stringify(value)}`);
  return value;
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`expected a list, found ${JSON.stringify(value)}`);
  return value;
}
