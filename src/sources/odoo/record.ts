import type { Json, JsonObject } from "#model";
import type { FieldTypes } from "./field-types.ts";

/**
 * A record in plain values: `false` is null except in a boolean, a many2one is its id with the label beside it as
 * `<field>_label`, an instant is ISO 8601 in UTC.
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
