import { z } from "zod";

/** The schema at a path below a schema, where the path alone determines it. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  return path.reduce<z.core.$ZodType | undefined>(
    (at, part) => (at ? child(plainSchema(at), part) : undefined),
    schema,
  );
}

function child(schema: z.core.$ZodType, part: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<PropertyKey, z.core.$ZodType>> = schema.shape;
    return Object.hasOwn(shape, part) ? shape[part] : undefined;
  }
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}

/** The choices of a union, in order. */
export function choicesOf(schema: z.core.$ZodType | undefined): readonly z.core.$ZodType[] {
  const at = schema && plainSchema(schema);
  return at instanceof z.ZodUnion ? at.options : [];
}

/** The members that an object may have; of a union, those of all its choices. */
export function memberNames(schema: z.core.$ZodType | undefined): readonly string[] {
  const at = schema && plainSchema(schema);
  if (at instanceof z.ZodObject) return Object.keys(at.shape);
  return [...new Set(choicesOf(at).flatMap(memberNames))];
}

/** A schema without wrappers that make its value optional or transform it. */
export function plainSchema(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  if (isWrapped) return plainSchema(schema.unwrap());
  return schema instanceof z.ZodPipe ? plainSchema(schema.in) : schema;
}
