import { canonicalJson, counted, oneLine, type Finding, type Key } from "#model";
import { catalogueFacts, resourceFacts } from "#service";
import { isBlankValue, valuesOf, type StreamSample } from "./sample.ts";

/**
 * Finds what each row alone does not show: fields that are empty in all of them, keys that two rows share, and texts
 * that are too long for their field.
 */
export function sampleFindings(sample: StreamSample): Finding[] {
  return [
    ...twoRowsOfOneKey(sample),
    ...allLeftOut(sample),
    ...emptyMatchFields(sample),
    ...emptyRequiredFields(sample),
    ...longTexts(sample),
  ];
}

/** The last of such rows wins, so the record of the others never reaches the service. */
function twoRowsOfOneKey({ stream, rows }: StreamSample): Finding[] {
  const first = new Map<Key, string>();
  const twice = new Set<Key>();
  for (const { key, row } of rows) {
    const content = canonicalJson(row);
    if ((first.get(key) ?? content) !== content) twice.add(key);
    first.set(key, content);
  }
  const [key] = twice;
  if (key === undefined) return [];
  const more = twice.size === 1 ? "" : `, as have ${counted(twice.size - 1, "other key")}`;
  const message = `two rows have the key ${oneLine(key)} and differ${more}; expected one row per key`;
  const remedy = "Choose columns for `key` under `read` whose combination is unique, or correct the ERP or its view.";
  return [{ subject: `stream ${stream.name}`, verdict: "problem", message, remedy }];
}

function allLeftOut({ stream, rows, records }: StreamSample): Finding[] {
  if (rows.length === 0 || records.length > 0) return [];
  const message = `the stream delivers none of ${firstRows(rows.length)}: \`when\` leaves them out, or \`deleted\` takes them as deleted`;
  const remedy = `Compare the conditions with "svcsync peek ${stream.name}".`;
  return [{ subject: `stream ${stream.name}`, verdict: "warning", message, remedy }];
}

/** Nothing is found by an empty value, so svcsync would create again what the service has. */
function emptyMatchFields(sample: StreamSample): Finding[] {
  const { stream, records } = sample;
  if (records.length === 0) return [];
  const emptyIn = (fields: readonly string[]) => fields.filter((field) => isEmptyInAll(sample, field));
  const rules = stream.match.map(({ fields }) => emptyIn(fields));
  const isUsable = rules.some((empty) => empty.length === 0);
  return [...new Set(rules.flat())].map((field): Finding => {
    const effect = isUsable
      ? "the match rule with it finds nothing"
      : "no match rule finds a record, and svcsync would create what the service already has";
    const message = `${field} is empty in all of ${firstRows(records.length)}, and it is a match field: ${effect}`;
    return { ...place(sample, field), verdict: isUsable ? "warning" : "problem", message, remedy: emptyRemedy };
  });
}

const emptyRemedy = 'Correct the column or the expression in the sync file; "svcsync peek" shows what the ERP returns.';

/** The service refuses a create without these fields. */
function emptyRequiredFields(sample: StreamSample): Finding[] {
  const { stream, records } = sample;
  if (stream.create === "never") return [];
  const required = resourceFacts(stream.resource).required.filter((field) => stream.ownedFields.includes(field));
  return required
    .filter((field) => records.length > 0 && isEmptyInAll(sample, field))
    .map((field): Finding => {
      const message = `${field} is empty in all of ${firstRows(records.length)}, and the service requires it to create a ${stream.resource}`;
      return { ...place(sample, field), verdict: "problem", message, remedy: emptyRemedy };
    });
}

function isEmptyInAll(sample: StreamSample, field: string): boolean {
  return valuesOf(sample, field).every(({ value }) => isBlankValue(value));
}

/** What a database column for a line of text usually holds. The API reference states no limits. */
const LINE_LENGTH = 255;
/** Fields of several lines, by the words in their names. */
const longFields = /description|info|warning|comment|content|reason|message|msg|additional|notes?$/i;

function longTexts(sample: StreamSample): Finding[] {
  const { stream } = sample;
  const lines = stream.ownedFields.filter((field) => {
    const kind = catalogueFacts(stream.resource, [field]).get(field)?.kind;
    return (kind === undefined || kind === "text") && !longFields.test(field);
  });
  return lines.flatMap((field): Finding[] => {
    const long = valuesOf(sample, field).flatMap(({ key, value }) => {
      const text = value.kind === "value" && typeof value.value === "string" ? value.value : "";
      return text.length > LINE_LENGTH ? [{ key, length: text.length }] : [];
    });
    const [longest] = long.toSorted((one, other) => other.length - one.length);
    if (longest === undefined) return [];
    const count = `${counted(long.length, "row")} of the sample`;
    const message = `found a text of ${longest.length} characters (${oneLine(longest.key)}; too long in ${count}), expected at most ${LINE_LENGTH}, which a field of one line usually holds`;
    const remedy = `Shorten it in the sync file (expr: "$substring(column, 0, ${LINE_LENGTH})"), or write it to a field of several lines.`;
    return [{ ...place(sample, field), verdict: "warning", message, remedy }];
  });
}

function place({ stream }: StreamSample, field: string): Pick<Finding, "subject"> {
  return { subject: `stream ${stream.name}, field ${field}` };
}

function firstRows(count: number): string {
  return count === 1 ? "1 row that was read" : `the ${count} rows that were read`;
}
