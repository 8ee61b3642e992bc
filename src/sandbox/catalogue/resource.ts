import { instant, integer, readOnly, restLink, type FieldSpec } from "./field.ts";

/** The neutral word of the documents. */
const NEUTRAL = "svc";

/** Writes names with the tenant's brand where the documents have `svc`, and reads them back. */
export interface Brand {
  readonly name: string;
  /** `svcDocument` -> `acmeDocument`, `hasSvcDocuments` -> `hasAcmeDocuments`, `SVC_SCRIPT` -> `ACME_SCRIPT`. */
  readonly wire: (neutral: string) => string;
  readonly neutral: (wire: string) => string;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function translation(from: string, to: string): (name: string) => string {
  if (from === to) return (name) => name;
  const first = new RegExp(`^${from}(?=[A-Z])`);
  const inner = new RegExp(`${capital(from)}(?=[A-Z])`, "g");
  const upper = new RegExp(`^${from.toUpperCase()}_`);
  return (name) => name.replace(first, to).replace(inner, capital(to)).replace(upper, `${to.toUpperCase()}_`);
}

export function brandOf(name: string): Brand {
  return { name, wire: translation(NEUTRAL, name), neutral: translation(name, NEUTRAL) };
}

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

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A resource as the reference and the facts know it, in neutral (`svc`) words. */
export interface ResourceSpec {
  readonly name: string;
  /** Other spellings that are served too. */
  readonly aliases?: readonly string[];
  /** Absent: the documents name no field of it, so any field is kept as it comes. */
  readonly fields?: Readonly<Record<string, FieldSpec>>;
  readonly required?: readonly string[];
  readonly stamps: "both" | "modified" | "none";
  /** What a list shows without `fields`; narrower than what a single read shows. */
  readonly list: readonly string[];
  /** What a single read does not show without `fields`. */
  readonly hidden?: readonly string[];
  /** Does its list narrow by `changedSince`? */
  readonly changedSince?: true;
  /** Statuses of methods that are never carried out. */
  readonly refuses?: Readonly<Partial<Record<Method, number>>>;
  /** Where it also lives below another resource: `/{parent}/{pid}/{segment}`; the segment is the wrapper key there. */
  readonly nested?: { readonly parent: string; readonly field: string; readonly segment: string };
}
