import type { Json, JsonObject } from "#model";
import type { FieldTypes } from "./field-types.ts";

/**
 * A record in plain values: `false` is null except in a boolean, a many2one is its id with the label beside it as
 * `<field>_label`, an instant is ISO 8601 in UTC.
 */
export function plainRecord(record: JsonObject, types: FieldTypes): JsonObject {
  const plain: JsonObject = {};
  for (const [name, value] of Object.entries(record)) {
    const type = types.get(name);
    if (type === "many2one") {
      const [id, label] = Array.isArray(value) ? value : [value, false];
      plain[name] = empty(id);
      plain[`${name}_label`] = empty(label);
    } else if (type === "datetime" && typeof value === "string") plain[name] = `${value.replace(" ", "T")}Z`;
    else plain[name] = type === "boolean" ? value : empty(value);
  }
  return plain;
}

function empty(value: Json | undefined): Json {
  return value === undefined || value === false ? null : value;
}
