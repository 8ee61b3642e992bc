import type { ReturnStream } from "#mapping";
import type { Finding, ResourceName } from "#model";
import { wholeQuery } from "#returns";
import { listsOf, type Service, type WholeQuery } from "#service";

/** Compares the fields that a stream of returns reads, also those of its lines, with the fields of the service: a misspelt one is always empty. */
export async function checkReturnFields(
  { name, resource, reads, lines }: Pick<ReturnStream, "name" | "resource" | "reads" | "lines">,
  service: Pick<Service, "fields">,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (resource === undefined) return [];
  const subject = `returns ${name}`;
  const findings: Finding[] = [];
  const unproven: string[] = [];
  let count = 0;
  for (const [each, names] of fieldsOf(resource, wholeQuery(resource, { reads, lines }))) {
    const { facts } = await service.fields(each, names, signal);
    count += names.length;
    for (const [field, { verdict, suggestion }] of facts) {
      if (verdict === "unproven") unproven.push(`${field} of ${each}`);
      if (verdict === "unknown") findings.push(unknown(`${subject}, field ${field}`, each, field, suggestion));
    }
  }
  if (unproven.length > 0)
    findings.push({
      subject,
      verdict: "warning",
      message: `not proven: ${unproven.join(", ")}: not in svcsync's catalogue, and no record shows a value there`,
      remedy: "Compare the names with a record in the service.",
    });
  if (findings.length > 0) return findings;
  return [{ subject, verdict: "ok", message: `${resource} and its lines have the ${count} fields that it reads` }];
}

/** The fields of a record, and of the records in its lists, by their resource. Of a linked record, the field that links to it. */
function* fieldsOf(resource: ResourceName, { fields, lists }: WholeQuery): Generator<[ResourceName, string[]]> {
  const names = fields.map((field) => (field.startsWith("customFields.") ? field : (field.split(".")[0] ?? field)));
  yield [resource, [...new Set(names)].filter((field) => field !== "id")];
  for (const [field, query] of Object.entries(lists)) yield* fieldsOf(listsOf(resource)[field] ?? field, query);
}

function unknown(subject: string, resource: ResourceName, field: string, suggestion: string | undefined): Finding {
  const meant = suggestion === undefined ? "" : `, did you mean "${suggestion}"?`;
  return {
    subject,
    verdict: "problem",
    code: "E_FIELD_UNKNOWN",
    message: `found "${field}", expected a field of ${resource}${meant} (E_FIELD_UNKNOWN)`,
    remedy:
      "Write the name under returns in the sync file as the service has it: a column of an unknown field would always be empty.",
  };
}
