import { isJsonObject, nearest, ParkError, type Json, type JsonObject } from "#model";

/**
 * Converts a record to plain values: `false` becomes null except in a boolean, a many2one becomes its id with the label beside it
 * as `<field>_label`, an instant becomes ISO 8601 in UTC.
 */
export function plainRecord(record: JsonObject, types: FieldTypes): JsonObject {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => plainField(name, value, types.get(name))),
  );
}

function plainField(name: string, value: Json, type: string | undefined): [name: string, value: Json][] {
  if (type === "many2one") {
    const [id, label] = Array.isArray(value) ? value : [value, false];
    return [
      [name, empty(id)],
      [`${name}_label`, empty(label)],
    ];
  }
  if (type === "datetime" && typeof value === "string") return [[name, `${value.replace(" ", "T")}Z`]];
  return [[name, type === "boolean" ? value : empty(value)]];
}

function empty(value: Json | undefined): Json {
  return value === undefined || value === false ? null : value;
}

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

/** @throws {ParkError} E_SOURCE_REQUEST with the name of the field that was probably meant. */
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
