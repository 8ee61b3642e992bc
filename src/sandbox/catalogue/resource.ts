import type { Brand } from "./brand.ts";
import { instant, integer, readOnly, restLink, type FieldSpec } from "./field.ts";
import type { ResourceSpec } from "./resource-spec.ts";

export interface Field extends FieldSpec {
  readonly name: string;
  /** The name in requests and answers. */
  readonly wire: string;
}

/** A resource ready to be served under one brand. */
export interface Resource extends Omit<ResourceSpec, "fields" | "required"> {
  readonly wire: string;
  /** Keeps fields that it does not know. */
  readonly open: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  readonly byWire: ReadonlyMap<string, Field>;
  readonly required: readonly Field[];
}

export function compileResource(spec: ResourceSpec, brand: Brand): Resource {
  const specs: Record<string, FieldSpec> = { id: readOnly(integer), ...spec.fields };
  if (spec.stamps === "both") specs["created"] = readOnly(instant);
  if (spec.stamps !== "none") specs["modified"] = readOnly(instant);
  specs["link"] = restLink;
  const fields = new Map<string, Field>();
  const byWire = new Map<string, Field>();
  for (const [name, fieldSpec] of Object.entries(specs)) {
    const field: Field = { ...fieldSpec, name, wire: brand.wire(name) };
    fields.set(name, field);
    byWire.set(field.wire, field);
  }
  return {
    ...spec,
    wire: brand.wire(spec.name),
    open: spec.fields === undefined,
    fields,
    byWire,
    required: (spec.required ?? []).map((name) => fields.get(name)!),
  };
}
