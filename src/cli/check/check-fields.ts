import type { MappedValue, Stream } from "#mapping";
import {
  canonicalJson,
  errorFacts,
  errorText,
  ParkError,
  shortened,
  type Finding,
  type Json,
  type ResourceName,
  type StreamName,
} from "#model";
import { remedyOf } from "#operator";
import {
  catalogueFacts,
  resourceFacts,
  takes,
  type FieldFact,
  type FieldFacts,
  type FieldKind,
  type Service,
} from "#service";
import { valuesOf, type StreamSample } from "./sample.ts";

/** The streams' first rows. */
type Samples = ReadonlyMap<StreamName, StreamSample>;

/** A sample id, standing for what a reference or a lookup becomes. */
const SOME_ID = 1;
const TEXT_SHOWN = 40;

/**
 * Compares the fields that a resource's streams write with the fields of the service, and the mapped values with what
 * those take. The service silently drops a misspelt field.
 */
export async function checkFields(
  resource: ResourceName,
  streams: readonly Stream[],
  samples: Samples,
  service: Pick<Service, "fields">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const own = streams.filter((stream) => stream.resource === resource);
  const names = [...new Set(own.flatMap(({ ownedFields }) => ownedFields))];
  const known = await service.fields(resource, names, signal);
  return own.flatMap((stream) => streamFindings(stream, samples.get(stream.name), known));
}

function streamFindings(stream: Stream, sample: StreamSample | undefined, known: FieldFacts): Finding[] {
  const { name, resource, ownedFields } = stream;
  const findings = ownedFields.flatMap((field): Finding[] => {
    const fact = known.facts.get(field);
    if (fact === undefined) return [];
    const values = sample === undefined ? [] : writtenTo(sample, field);
    return fieldFinding(stream, field, fact, values);
  });
  const unproven = ownedFields.filter((field) => known.facts.get(field)?.verdict === "unproven");
  if (unproven.length > 0) findings.push(notProven(stream, unproven, known.recordCount));
  findings.push(...unwritten(stream), ...rewritten(stream));
  if (findings.length > 0) return findings;
  return [{ subject: `stream ${name}`, verdict: "ok", message: `${resource} has the fields that it writes` }];
}

function writtenTo(sample: StreamSample, field: string): MappedValue[] {
  const set = sample.deletionFields.filter(({ name }) => name === field);
  return [...valuesOf(sample, field), ...set].map(({ value }) => value);
}

function fieldFinding(
  { name, resource }: Stream,
  field: string,
  { verdict, kind, isReadOnly, suggestion }: FieldFact,
  values: readonly MappedValue[],
): Finding[] {
  const subject = `stream ${name}, field ${field}`;
  if (verdict === "unknown") {
    const hint = suggestion === undefined ? "" : `, did you mean "${suggestion}"?`;
    const message = `${resource} has no field "${field}"${hint}`;
    return [problem(subject, name, "E_FIELD_UNKNOWN", message)];
  }
  if (isReadOnly) return [readOnlyFinding(subject, field)];
  const refused = kind && values.map(sent).find((value) => !takes(kind, value));
  if (kind === undefined || refused === undefined) return [];
  const message = `found ${described(refused)}, expected ${wanted[kind]}`;
  return [problem(subject, name, "E_FIELD_TYPE", message)];
}

/** Fields without which the service refuses a create, as far as is known, and which the stream does not write. */
export function unwritten({ name, resource, ownedFields, create }: Stream): Finding[] {
  if (create === "never") return [];
  const missing = resourceFacts(resource).required.filter((field) => !ownedFields.includes(field));
  if (missing.length === 0) return [];
  const message = `the service may refuse to create a ${resource} without ${missing.join(", ")}, which the stream does not write`;
  const remedy = "Map it, unless the tenant fills it in or the stream creates no records.";
  return [{ subject: `stream ${name}`, verdict: "warning", message, remedy }];
}

/**
 * Fields that the service accepts only in a create, but that the stream also writes later. Links are left out: a record
 * that got another parent in the ERP should show up as a dropped field.
 */
export function rewritten({ name, resource, ownedFields, createOnlyFields }: Stream): Finding[] {
  const { createOnly } = resourceFacts(resource);
  const fields = ownedFields.filter((field) => createOnly.includes(field) && !createOnlyFields.includes(field));
  const facts = catalogueFacts(resource, fields);
  return fields
    .filter((field) => facts.get(field)?.kind !== "id")
    .map((field): Finding => {
      const message = `the service takes ${field} only when it creates a ${resource}, and drops later changes`;
      const remedy = "Add `own: create` to the field in the sync file.";
      return { subject: `stream ${name}, field ${field}`, verdict: "warning", message, remedy };
    });
}

/** A warning for a field that the service computes: what is written to it is lost. */
export function readOnlyFinding(subject: string, field: string): Finding {
  const message = `the service computes ${field} and drops what is written to it`;
  return { subject, verdict: "warning", message, remedy: "Take the field out of the sync file." };
}

function problem(subject: string, stream: StreamName, code: "E_FIELD_UNKNOWN" | "E_FIELD_TYPE", said: string): Finding {
  const remedy = remedyOf({ code }, { stream });
  return { subject, verdict: "problem", message: `${said} (${code})`, code, remedy };
}

function notProven({ name, resource }: Stream, fields: readonly string[], recordCount: number): Finding {
  const seen = recordCount === 0 ? `no record of ${resource}` : `${recordCount} of ${resource} without a value there`;
  const message = `not proven: ${fields.join(", ")}: not in svcsync's catalogue, and the service shows ${seen}`;
  const remedy = `Compare the names with a record of ${resource} in the service, or check again when it has one.`;
  return { subject: `stream ${name}`, verdict: "warning", message, remedy };
}

/** A mapped value as it would be sent. */
function sent(mapped: MappedValue): Json {
  switch (mapped.kind) {
    case "value":
      return mapped.value;
    case "ref":
      return mapped.key === null ? null : SOME_ID;
    case "lookup":
      return mapped.value === null ? null : SOME_ID;
    case "tags":
      return [SOME_ID];
  }
}

function described(value: Json): string {
  const shown = shortened(canonicalJson(value), TEXT_SHOWN);
  if (Array.isArray(value)) return `the list ${shown}`;
  if (typeof value === "string") return `the text ${shown}`;
  return `${typeof value === "object" ? "the object" : `the ${typeof value}`} ${shown}`;
}

const wanted: Readonly<Record<FieldKind, string>> = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  date: "a date such as 2026-01-31T08:00:00Z",
  id: "the id of a record, by `ref` or `lookup`",
  ids: "a list of ids, such as `tags` makes",
  object: "an object",
};

/**
 * Looks up the names that the sync file contains (Active, Open, Normal …), so that a name that the service does not have
 * is reported before it parks thousands of records.
 */
export async function checkFieldNames(
  streams: readonly Stream[],
  service: Pick<Service, "lookup">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, constantLookups } of streams) {
    const unknown: Finding[] = [];
    for (const { resource, by, value } of constantLookups)
      try {
        await service.lookup(resource, by, value, signal);
      } catch (thrown) {
        // Any other error concerns the service as a whole.
        if (!(thrown instanceof ParkError)) throw thrown;
        const remedy = `Use an existing name in the stream's lookup, or create ${JSON.stringify(value)} in the service.`;
        unknown.push({ subject: `stream ${name}`, verdict: "problem", message: errorText(errorFacts(thrown)), remedy });
      }
    const names = constantLookups.map(({ value }) => value).join(", ");
    if (unknown.length === 0 && names !== "")
      findings.push({ subject: `stream ${name}`, verdict: "ok", message: `the service has ${names}` });
    findings.push(...unknown);
  }
  return findings;
}
