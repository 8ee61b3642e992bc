import { z } from "zod";
import { isObject } from "./object.ts";
import type { AdapterShapes } from "./sync-file-context.ts";
import { headFields, lineFields, lines, reportHead, stateHead, statusHead } from "./returns/words.ts";
import { entryName, fields, fileHead, resourceName, streamHead } from "./words.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of the sync file, for editors: the definition that the loader uses, completed by the adapters' words
 * and the service's resources.
 */
export function syncFileSchema(adapters: ReadonlyMap<string, AdapterShapes>, resources: Iterable<string>): Schema {
  const sources = [...adapters].map(([name, { settings }]) => sourceSchema(name, toSchema(settings)));
  const reads = [...adapters.values()].map(({ read }) => toSchema(read));
  const { sources: anySources, streams: anyStreams, returns: anyReturns } = fileHead.shape;
  const stream = streamHead.extend({
    read: z.custom().meta({ description: streamHead.shape.read.description, anyOf: reads }),
    fields,
  });
  const returned = z.union([
    reportHead.extend({
      fields: headFields,
      lines: z
        .array(lines.extend({ fields: lineFields.optional() }))
        .describe("The lines of a report, list by list; an empty list for reports without lines."),
    }),
    statusHead.extend({ fields: headFields }),
    stateHead.extend({ fields: headFields.optional() }),
  ]);
  const file = fileHead.extend({
    sources: z.record(anySources.keyType, z.custom().meta({ anyOf: sources })).meta(anySources.meta()!),
    streams: z.record(anyStreams.keyType, stream).meta(anyStreams.meta()!),
    returns: z.record(entryName, returned).optional().meta(anyReturns.meta()!),
  });
  const definitions: Record<string, unknown> = { resource: { enum: [...resources] } };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The sync file of svcsync",
    ...Object.fromEntries(membersAtRoot(toSchema(file), definitions)),
    $defs: definitions,
  };
}

/**
 * The members of a schema, the definitions of each part moved to `definitions` under names of their own. The library gives each part
 * definitions of the same names, and a `$ref` leads to those of the whole.
 */
function membersAtRoot(
  { $defs, ...schema }: Schema,
  definitions: Record<string, unknown>,
  outer: ReadonlyMap<string, string> = new Map(),
): [string, unknown][] {
  const own = isObject($defs) ? Object.entries($defs) : [];
  const taken = Object.keys(definitions).length;
  const names = new Map([...outer, ...own.map(([name], at) => [`#/$defs/${name}`, `part${taken + at}`] as const)]);
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    return isObject(value) ? Object.fromEntries(membersAtRoot(value, definitions, names)) : value;
  };
  for (const name of names.values()) definitions[name] ??= undefined;
  for (const [name, definition] of own) definitions[names.get(`#/$defs/${name}`)!] = moved(definition);
  return Object.entries(schema).map(([word, value]) => {
    const name = word === "$ref" ? names.get(String(value)) : undefined;
    return [word, name === undefined ? moved(value) : `#/$defs/${name}`];
  });
}

/** The schema's text as stored in a file, which states the version of svcsync that it belongs to. */
export function schemaText(
  adapters: ReadonlyMap<string, AdapterShapes>,
  resources: Iterable<string>,
  version: string,
): string {
  const $id = `urn:svcsync:sync-file:${version}`;
  return `${JSON.stringify({ $id, ...syncFileSchema(adapters, resources) }, null, 2)}\n`;
}

function toSchema(schema: z.ZodType): Schema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (isResource(zodSchema)) jsonSchema.$ref = "#/$defs/resource";
    },
  });
  return rest;
}

/** Whether it is `resourceName`, with or without a description and a default. */
function isResource(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodDefault) return isResource(schema.unwrap());
  return schema._zod.def === resourceName.def;
}

/** An adapter's settings with the word that selects it. A text with constraints may also be a `${NAME}`. */
function sourceSchema(name: string, settings: Schema): Schema {
  return withAdapter(name, orVariable(settings));
}

function withAdapter(name: string, schema: Schema): Schema {
  for (const choice of ["anyOf", "oneOf"]) {
    const options = schema[choice];
    if (Array.isArray(options))
      return { ...schema, [choice]: options.filter(isObject).map((option) => withAdapter(name, option)) };
  }
  const adapter = { const: name, description: "The kind of ERP connection." };
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required: unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return { ...schema, properties: { adapter, ...properties }, required: ["adapter", ...required] };
}

const variable: Schema = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" };
const constraints = ["enum", "format", "pattern", "minLength", "maxLength"];

function orVariable(schema: Schema): Schema {
  if (schema["type"] === "string" && constraints.some((word) => word in schema)) {
    const { description, ...text } = schema;
    return { ...(description !== undefined && { description }), anyOf: [text, variable] };
  }
  const inside = (value: unknown): unknown => (isObject(value) ? orVariable(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      if (word === "properties" && isObject(value))
        return [word, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(member)]))];
      return [word, (word === "anyOf" || word === "oneOf") && Array.isArray(value) ? value.map(inside) : value];
    }),
  );
}
