import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

// The schema leaves out what a validator would only use for hints; unknown words are faults all the same.
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  addUsedSchema: false,
});
addFormats.default(ajv);
const compiled = new WeakMap<object, ValidateFunction>();

/** Whether the value keeps the schema, as editors see it. */
export function accepts(schema: object, value: unknown): boolean {
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  return known(value);
}
