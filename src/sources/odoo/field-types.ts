import { isJsonObject, ParkError, type Json, nearest } from "#model";

/** The types of a model's fields, by name. */
export type FieldTypes = ReadonlyMap<string, string>;

/** @throws {ParkError} E_SOURCE_REQUEST when the answer of `fields_get` holds no fields. */
export function fieldTypes(answer: Json, model: string): FieldTypes {
  const types = new Map<string, string>();
  if (isJsonObject(answer))
    for (const [name, field] of Object.entries(answer))
      if (isJsonObject(field) && typeof field["type"] === "string") types.set(name, field["type"]);
  if (types.size === 0) throw new ParkError("E_SOURCE_REQUEST", `Odoo tells no fields of ${model}`);
  return types;
}

/** @throws {ParkError} E_SOURCE_REQUEST naming the field that was probably meant. */
export function assertFields(types: FieldTypes, names: readonly string[], model: string): void {
  for (const name of names) {
    if (types.has(name)) continue;
    const meant = nearest(name, [...types.keys()]);
    throw new ParkError(
      "E_SOURCE_REQUEST",
      `${model} has no field ${name}${meant === undefined ? "" : `; was ${meant} meant?`}`,
    );
  }
}
