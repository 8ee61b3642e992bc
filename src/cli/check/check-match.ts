import type { MappedField, MappedValue, Stream } from "#mapping";
import type { Finding, Json, Projection } from "#model";
import { naturalKey } from "#pipeline";

/**
 * Warns of a match rule by which two sample rows are one record although their values differ: the second one would take over the
 * first one's record. `rows` are the mapped fields of each row.
 */
export function looseRules({ name, match }: Stream, rows: readonly (readonly MappedField[])[]): Finding[] {
  const records = rows.map(projected);
  return match.flatMap((rule): Finding[] => {
    const { fields, compare } = rule;
    const known = new Map<string, Projection>();
    for (const record of records) {
      const key = naturalKey(rule, record);
      if (key === undefined) continue;
      const other = known.get(key);
      const isSame =
        other && naturalKey({ fields, compare: "exact" }, other) === naturalKey({ fields, compare: "exact" }, record);
      if (other && !isSame) return [oneForTwo(name, compare, fields, [other, record])];
      known.set(key, record);
    }
    return [];
  });
}

function oneForTwo(
  stream: string,
  compare: string,
  fields: readonly string[],
  pair: readonly [Projection, Projection],
): Finding {
  const [one, other] = pair.map((record) => fields.map((field) => JSON.stringify(record[field])).join(", "));
  const message = `compare: ${compare} takes ${one} and ${other} for the same ${fields.join(", ")}: two rows of the ERP differ only in what it ignores`;
  const stricter =
    compare === "normalized" ? "`compare: caseInsensitive`, or leave `compare` out" : "leave `compare` out";
  const remedy = `If these are two records, write ${stricter}, or add a field to the rule that tells them apart.`;
  return { subject: `stream ${stream}, match`, verdict: "warning", message, remedy };
}

/** The values of a row that tell records apart before they are resolved: a reference by its key, a lookup by its name. */
function projected(fields: readonly MappedField[]): Projection {
  return Object.fromEntries(fields.map(({ name, value }) => [name, plain(value)]));
}

function plain(mapped: MappedValue): Json {
  switch (mapped.kind) {
    case "ref":
      return mapped.key;
    case "tags":
      return mapped.values.join(", ");
    case "value":
    case "lookup":
      return mapped.value;
  }
}
