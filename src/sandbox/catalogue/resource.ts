import { timestamp, integer, readOnly, restLink, type FieldSpec } from "./field.ts";

/** The neutral word in the documents. */
const NEUTRAL = "svc";

/** Translates names between `svc` in the documents and the tenant's brand. */
export interface BrandNames {
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

export function brandOf(name: string): BrandNames {
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
  /** Stores fields that it does not know. */
  readonly open: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  readonly byWire: ReadonlyMap<string, Field>;
  readonly required: readonly Field[];
}

export function compileResource(spec: ResourceSpec, brand: BrandNames): Resource {
  const specs: Record<string, FieldSpec> = { id: readOnly(integer), ...spec.fields };
  if (spec.stamps === "both") specs["created"] = readOnly(timestamp);
  if (spec.stamps !== "none") specs["modified"] = readOnly(timestamp);
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

/** What becomes of a service record. `invoice` is always refused. */
export type ReportAction = "releaseDraft" | "preFinish" | "finish" | "approve" | "cancel" | "invoice";

/** `move` gives a record another customer, which no edit can. `merge` moves what a ticket holds into another one. */
export type RecordAction = "move" | "merge" | ReportAction;

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** A resource according to the reference and the known facts, in neutral (`svc`) names. */
export interface ResourceSpec {
  readonly name: string;
  /** Other spellings that are served too. */
  readonly aliases?: readonly string[];
  /** Absent: no document names its fields, so any field is stored unchanged. */
  readonly fields?: Readonly<Record<string, FieldSpec>>;
  readonly required?: readonly string[];
  readonly stamps: "both" | "modified" | "none";
  /** What a list shows without `fields`; fewer than a read of one record. */
  readonly list: readonly string[];
  /** What a read of one record hides without `fields`. */
  readonly hidden?: readonly string[];
  /** Whether `changedSince` narrows its list. */
  readonly changedSince?: true;
  /** Statuses that answer methods which are never carried out. */
  readonly refuses?: Readonly<Partial<Record<Method, number>>>;
  /** `PUT /{resource}/{id}/{action}` */
  readonly actions?: readonly RecordAction[];
  /** Where it also exists below another resource: `/{parent}/{pid}/{segment}`. The segment is the wrapper key there. */
  readonly nested?: { readonly parent: string; readonly field: string; readonly segment: string };
}
