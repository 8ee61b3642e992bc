import {
  canonicalJson,
  counted,
  isJsonObject,
  oneLine,
  recordLabel,
  errorText,
  textLines,
  grouped,
  type Json,
  type StreamName,
} from "#model";
import { VERDICTS, type PlannedDelivery, type PlannedField, type Verdict } from "#pipeline";
import { csvText } from "../text/csv.ts";
import type { StreamPlan } from "./stream-plan.ts";

const FIELDS_SHOWN = 8;

/** What each verdict does, for the head of a plan and for one record. */
const words: Readonly<Record<Verdict, { many: string; one: string }>> = {
  update: { many: "updated", one: "update" },
  create: { many: "created", one: "create" },
  adopt: { many: "bound to existing records", one: "adopt" },
  delete: { many: "deleted", one: "delete" },
  settle: { many: "looked for after a create that was begun", one: "settle" },
  park: { many: "parked", one: "park" },
  wait: { many: "waiting", one: "wait" },
  skip: { many: "left out", one: "left out" },
  unchanged: { many: "unchanged", one: "unchanged" },
};
/** A deletion in the ERP that sets fields: the record stays in the service. */
const setWords = { many: "deleted in the ERP (fields are set, the records stay)", one: "set fields of" };
/** The verdicts, those that matter most first. */
export const ORDER: readonly Verdict[] = [
  "update",
  "create",
  "adopt",
  "delete",
  "settle",
  "park",
  "wait",
  "skip",
  "unchanged",
];

/** The plan of a stream, for a person. */
export function planText(plan: StreamPlan): string {
  const { stream, isMappingChanged, verdicts, fields, samples, causes, areDeletionsHeld, pollError } = plan;
  const counts = plannedCounts(plan).map(({ count, words: what }) => `${grouped(count)} ${what}`);
  const why = isMappingChanged ? " (its mapping changed, so every record is mapped again)" : "";
  const lines = [`${stream}: ${counts.length === 0 ? "nothing to deliver" : counts.join(", ")}${why}`];
  if (pollError !== undefined) lines.push(`  ${pollErrorText(pollError)}`);
  if (fields.length > 0) lines.push(`  fields updated: ${fieldCounts(fields)}`);
  for (const verdict of VERDICTS) {
    const some = samples.filter((sample) => sample.verdict === verdict);
    lines.push(...some.map((sample) => `  ${deliveryText(sample)}`));
    const more = verdicts[verdict] - some.length;
    if (some.length > 0 && more > 0) lines.push(`  … and ${grouped(more)} more to ${wordsOf(some[0]!).one}`);
  }
  for (const { state, count, message, code, examples } of causes)
    lines.push(
      `  ${counted(count, "record")} ${state}: ${message}${code === undefined ? "" : ` (${code})`}, such as ${examples.map(recordLabel).join(", ")}`,
    );
  if (areDeletionsHeld) lines.push(`  ${deletionsHeldText(stream)}`);
  return textLines(lines);
}

/** How many records get each verdict, in words. The verdicts that come first matter most. */
export function plannedCounts({
  verdicts,
  samples,
}: Pick<StreamPlan, "verdicts" | "samples">): { count: number; words: string }[] {
  const met = ORDER.filter((verdict) => verdicts[verdict] > 0);
  return met.map((verdict) => {
    const sample = samples.find((each) => each.verdict === verdict);
    return { count: verdicts[verdict], words: (sample === undefined ? words[verdict] : wordsOf(sample)).many };
  });
}

/** What a delivery does, in one or two words in front of its record. */
export function plannedAct(planned: Pick<PlannedDelivery, "verdict" | "fields">): string {
  return wordsOf(planned).one;
}

/** The words for a verdict; a deletion that sets fields has its own. */
export function wordsOf({ verdict, fields }: Pick<PlannedDelivery, "verdict" | "fields">): {
  many: string;
  one: string;
} {
  return verdict === "delete" && fields.length > 0 ? setWords : words[verdict];
}

export function pollErrorText(pollError: string): string {
  return `Its polls fail, so what the ERP changed since then is missing here: ${pollError}`;
}

export function deletionsHeldText(stream: StreamName): string {
  return `The deletion guard does not allow so many deletions: they wait until "svcsync deletions ${stream} --confirm".`;
}

/** Why the next run does not write a plan that is held, what waits, and what ends that without a person's consent. */
export function heldWords({ stream, updates, known, massHeld, mailHeld }: StreamPlan) {
  const all = `Nothing of ${stream} is delivered`;
  if (mailHeld !== undefined)
    return {
      why: `its first load would make, or may make, the service send mail to customers for ${counted(mailHeld, "new record")}`,
      waits: all,
      until: "the mail is switched off in the service and svcsync restarted",
    };
  if (massHeld !== undefined)
    return {
      why: `the ERP changed many records at once, and ${grouped(massHeld)} of ${counted(known, "record")} would be updated, more than the mass-change guard allows`,
      waits: "They wait",
      until: "the ERP shows the old values again",
    };
  return {
    why: `the changed mapping would update ${grouped(updates)} of ${counted(known, "record")}, more than the change guard allows`,
    waits: all,
    until: "the sync file is corrected and svcsync restarted",
  };
}

/** The command that releases what a guard holds. */
export function confirmText(plan: StreamPlan): string {
  const { why, waits, until } = heldWords(plan);
  return oneLine(`${plan.stream}: ${why}. ${waits} until "svcsync plan --confirm ${plan.plan}", or until ${until}.`);
}

function fieldCounts(fields: StreamPlan["fields"]): string {
  const shown = fields.slice(0, FIELDS_SHOWN).map(({ field, count }) => `${field} ${grouped(count)}`);
  return [...shown, ...(fields.length > FIELDS_SHOWN ? [`${fields.length - FIELDS_SHOWN} more`] : [])].join(", ");
}

/** One delivery in one line. */
export function deliveryText(planned: PlannedDelivery): string {
  const { id, serviceId, deletes, fields, error, reason } = planned;
  const target = serviceId === undefined ? "" : ` (${serviceId} in the service)`;
  const parts = [...(deletes === undefined ? [] : [`deletes ${deletes} first`]), ...fields.map(fieldText)];
  const cause = error ? [errorText(error)] : [];
  const said = [...parts, ...cause, ...(reason === undefined ? [] : [reason])].join("; ");
  return oneLine(`${plannedAct(planned)} ${recordLabel(id)}${target}${said === "" ? "" : `: ${said}`}`);
}

function fieldText({ field, before, after }: PlannedField): string {
  return before === undefined
    ? `${field} ${valueText(after)}`
    : `${field}: ${valueText(before)} -> ${valueText(after)}`;
}

/** A value as text. An id that only the run will know is described in words. */
export function valueText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (!isJsonObject(value)) return canonicalJson(value);
  if (typeof value["newIdOf"] === "string") return `the new id of ${value["newIdOf"]}`;
  if (typeof value["idOf"] === "string") return `the id of ${value["idOf"]} ${canonicalJson(value["value"] ?? null)}`;
  return canonicalJson(value);
}

/** The head of the table that {@link csvRows} fills. */
export const csvHead = csvText([
  ["stream", "key", "verdict", "serviceId", "field", "before", "after", "code", "reason"],
]);

/** The lines of one delivery, one per field; unchanged fields have none. */
export function csvRows({ id, verdict, serviceId, fields, error, reason }: PlannedDelivery): string {
  if (verdict === "unchanged" || verdict === "skip") return "";
  const head = [id.stream, id.key, verdict, serviceId === undefined ? "" : String(serviceId)];
  const tail = [error?.code ?? "", [error?.message, reason].filter((text) => text !== undefined).join("; ")];
  const rows = fields.length === 0 ? [["", "", ""]] : fields.map(cellsOf);
  return csvText(rows.map((cells) => [...head, ...cells, ...tail]));
}

function cellsOf({ field, before, after }: PlannedField): string[] {
  return [field, before === undefined ? "" : cellText(before), cellText(after)];
}

function cellText(value: Json): string {
  if (value === null) return "";
  return typeof value === "string" ? value : valueText(value);
}
