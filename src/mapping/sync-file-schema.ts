import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { fields, fileHead, resourceName, streamHead } from "./words.ts";
import type { AdapterShapes } from "./sync-file-context.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema of the sync file, for editors: the same definition that the loader checks by, with the adapters' own
 * words and the service's resources filled in.
 */
export function syncFileSchema(adapters: ReadonlyMap<string, AdapterShapes>, resources: Iterable<string>): JsonSchema {
  const file = fileHead.extend({ streams: z.record(z.string(), streamHead.extend({ fields })) });
  const schema = toJsonSchema(file);
  const { sources, streams } = schema.properties as Record<"sources" | "streams", JsonSchema>;
  sources.additionalProperties = { anyOf: [...adapters].map(([name, { settings }]) => sourceSchema(name, settings)) };
  streams.description = fileHead.shape.streams.description!;
  const stream = streams.additionalProperties as JsonSchema;
  const { read } = stream.properties as Record<"read", JsonSchema>;
  read.anyOf = [...adapters.values()].map((adapter) => withoutDialect(toJsonSchema(adapter.read)));
  return {
    $schema: schema.$schema!,
    title: "The sync file of svcsync",
    ...schema,
    $defs: { resource: { enum: [...resources] } },
  };
}

/** Writes {@link syncFileSchema} as a file for editors. */
export async function writeSchema(
  path: string,
  adapters: ReadonlyMap<string, AdapterShapes>,
  resources: Iterable<string>,
): Promise<void> {
  await writeFile(path, schemaText(adapters, resources));
}

/** The text of the file that {@link writeSchema} writes. */
export function schemaText(adapters: ReadonlyMap<string, AdapterShapes>, resources: Iterable<string>): string {
  return `${JSON.stringify(syncFileSchema(adapters, resources), null, 2)}\n`;
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (isResource(zodSchema)) jsonSchema.$ref = "#/$defs/resource";
    },
  });
}

/** `resourceName` itself, or what `.describe()` and `.default()` made of it. */
function isResource(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod as { def: { innerType?: z.core.$ZodType } };
  return schema._zod.def === resourceName._zod.def || (def.innerType !== undefined && isResource(def.innerType));
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** An adapter's settings with the word that chooses it; texts may also be a `${NAME}`. */
function sourceSchema(name: string, settings: z.ZodType): JsonSchema {
  return withAdapter(name, orVariable(withoutDialect(toJsonSchema(settings))));
}

function withAdapter(name: string, schema: JsonSchema): JsonSchema {
  for (const choice of ["anyOf", "oneOf"] as const)
    if (schema[choice]) return { ...schema, [choice]: schema[choice].map((option) => withAdapter(name, option)) };
  return {
    ...schema,
    properties: { adapter: { const: name, description: "The kind of ERP connection." }, ...schema.properties },
    required: ["adapter", ...(schema.required ?? [])],
  };
}

const variable: JsonSchema = { type: "string", pattern: "\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}" };

function orVariable(schema: JsonSchema): JsonSchema {
  const { properties, anyOf, oneOf, ...rest } = schema;
  const constrained = rest.enum ?? rest.format ?? rest.pattern ?? rest.minLength ?? rest.maxLength;
  if (constrained !== undefined && rest.type === "string") return { anyOf: [rest, variable] };
  return {
    ...rest,
    ...(anyOf && { anyOf: anyOf.map(orVariable) }),
    ...(oneOf && { oneOf: oneOf.map(orVariable) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, orVariable(member as JsonSchema)]),
      ),
    }),
  };
}
