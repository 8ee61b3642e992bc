import { counted, recordLabel, shortened, grouped, type Json } from "#model";
import type { PlannedDelivery, PlannedField } from "#pipeline";
import { markdownCode, markdownHead, markdownRow, markdownText, Room } from "../text/markdown.ts";
import { confirmText, deletionsHeldText, ORDER, pollErrorText, valueText, wordsOf } from "./plan-text.ts";
import type { StreamPlan } from "./stream-plan.ts";

/** Bytes of a summary, at most. A comment on GitHub takes 65,536 characters, one on GitLab more; the caller may add a line of its own. */
export const MARKDOWN_LIMIT = 60_000;
/** Records shown per stream and verdict. */
export const MARKDOWN_SAMPLES = 20;
const FIELDS_SHOWN = 8;
const VALUE_SHOWN = 80;
const TEXT_SHOWN = 400;
/** How much of the summary warnings may take. */
const WARNINGS_SHARE = 0.25;
/** Kept free for the sentences that count what was left out. */
const SENTENCES = 600;

/** A table that a reader unfolds. */
interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly string[];
  /** What all its rows, and those that are not known, stand for. */
  readonly total: number;
  /** What each of the rows stands for. */
  readonly weights: readonly number[];
}

/**
 * The plans as Markdown, for a comment on a pull request: warnings, totals, then folded examples. What does not fit into `limit` bytes is
 * left out and counted. Texts of the ERP and the service read as they are, but cannot format or mention people.
 */
export function planMarkdown(plans: readonly StreamPlan[], limit = MARKDOWN_LIMIT): string {
  const most = Math.floor(limit * WARNINGS_SHARE);
  const room = new Room(limit - SENTENCES - most);
  const parts = ["## What svcsync would write", warningsPart(plans, new Room(most)), totalsPart(plans, room)];
  const sections = plans.flatMap(sectionsOf);
  const texts = sections.map((section) => sectionText(section, room)).filter((text) => text !== undefined);
  const leftOut = sections.length - texts.length;
  const rest =
    leftOut === 0 ? [] : [`${counted(leftOut, "list")} did not fit here: \`svcsync plan --csv FILE\` writes all.`];
  return `${[...parts, ...texts, ...rest].filter((part) => part !== "").join("\n\n")}\n`;
}

function warningsPart(plans: readonly StreamPlan[], room: Room): string {
  const lines = plans.flatMap(warningsOf).map((text) => `- **Warning:** ${markdownText(cut(text))}`);
  const shown = room.fill(lines);
  const left = lines.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`- … and ${counted(left, "more warning")}`])].join("\n");
}

function warningsOf(plan: StreamPlan): string[] {
  const { stream, verdicts, causes, pollError, isHeld, areDeletionsHeld, samples } = plan;
  const deletion = samples.find(({ verdict }) => verdict === "delete");
  const deleted = deletion === undefined ? "deleted" : wordsOf(deletion).many;
  const parked = causes.filter(({ state }) => state === "parked").reduce((sum, { count }) => sum + count, 0);
  return [
    ...(isHeld ? [confirmText(plan)] : []),
    ...(areDeletionsHeld ? [`${stream}: ${deletionsHeldText(stream)}`] : []),
    ...(verdicts.delete > 0 ? [`${stream}: ${counted(verdicts.delete, "record")} ${deleted}.`] : []),
    ...(parked > 0 ? [`${stream}: ${counted(parked, "record")} parked, which a person has to look at.`] : []),
    ...(pollError === undefined ? [] : [`${stream}: ${pollErrorText(pollError)}`]),
  ];
}

function totalsPart(plans: readonly StreamPlan[], room: Room): string {
  const met = ORDER.filter((verdict) => plans.some(({ verdicts }) => verdicts[verdict] > 0));
  if (met.length === 0) return "Nothing waits to be delivered.";
  const head = markdownHead(["stream", ...met.map((verdict) => wordsOf({ verdict, fields: [] }).many)]);
  room.take(head);
  const rows = plans.map(({ stream, verdicts, isMappingChanged }) =>
    markdownRow([
      `${markdownCode(stream)}${isMappingChanged ? " (mapping changed)" : ""}`,
      ...met.map((verdict) => grouped(verdicts[verdict])),
    ]),
  );
  const shown = room.fill(rows);
  const left = rows.length - shown.length;
  const table = [head, ...shown].join("\n");
  const more = left === 0 ? "" : `\n\n… and ${counted(left, "more stream")}`;
  const isQuiet = plans.every(({ isChange }) => !isChange);
  return `${isQuiet ? "No change.\n\n" : ""}${table}${more}`;
}

function sectionsOf(plan: StreamPlan): Section[] {
  return [...causesOf(plan), ...examplesOf(plan), ...fieldsOf(plan)];
}

function causesOf({ stream, causes, verdicts }: StreamPlan): Section[] {
  if (causes.length === 0) return [];
  const rows = causes.map(({ count, state, code, message, examples }) =>
    markdownRow([
      grouped(count),
      state,
      markdownText(cut(code === undefined ? message : `${message} (${code})`)),
      examples.map((id) => markdownCode(recordLabel(id), VALUE_SHOWN)).join(", "),
    ]),
  );
  const title = `${stream}: parked or waiting, by reason`;
  const head = ["records", "state", "reason", "such as"];
  return [{ title, head, rows, total: verdicts.park + verdicts.wait, weights: causes.map(({ count }) => count) }];
}

function examplesOf({ stream, samples, verdicts }: StreamPlan): Section[] {
  return ORDER.flatMap((verdict) => {
    const some = samples.filter((sample) => sample.verdict === verdict);
    if (some.length === 0) return [];
    const total = verdicts[verdict];
    const title = `${stream}: ${grouped(total)} ${wordsOf(some[0]!).many}`;
    const rows = some.map((sample) => markdownRow([recordCell(sample), changesCell(sample)]));
    return [{ title, head: ["record", "fields"], rows, total, weights: some.map(() => 1) }];
  });
}

function fieldsOf({ stream, fields }: StreamPlan): Section[] {
  if (fields.length === 0) return [];
  const rows = fields.map(({ field, count }) => markdownRow([markdownCode(field), grouped(count)]));
  const title = `${stream}: how often each field is updated`;
  return [{ title, head: ["field", "records"], rows, total: rows.length, weights: rows.map(() => 1) }];
}

/** The section with as many rows as fit; undefined if not even one does. */
function sectionText({ title, head, rows, total, weights }: Section, room: Room): string | undefined {
  const open = `<details><summary>${markdownText(title)}</summary>\n\n${markdownHead(head)}`;
  const more = (shown: number) => total - weights.slice(0, shown).reduce((sum, weight) => sum + weight, 0);
  if (!room.take(`${open}\n${rows[0]}${sectionEnd(total)}\n`)) return undefined;
  const shown = [rows[0]!, ...room.fill(rows.slice(1))];
  return `${[open, ...shown].join("\n")}${sectionEnd(more(shown.length))}`;
}

function sectionEnd(left: number): string {
  return `${left > 0 ? `\n\n… and ${grouped(left)} more` : ""}\n\n</details>`;
}

function recordCell({ id, serviceId }: PlannedDelivery): string {
  const label = markdownCode(recordLabel(id), VALUE_SHOWN);
  return serviceId === undefined ? label : `${label} (${serviceId} in the service)`;
}

function changesCell({ fields, reason }: PlannedDelivery): string {
  const shown = fields.slice(0, FIELDS_SHOWN).map(fieldCell);
  const left = fields.length - shown.length;
  const more = left > 0 ? [`… and ${counted(left, "more field")}`] : [];
  return [...shown, ...more, ...(reason === undefined ? [] : [markdownText(cut(reason))])].join("<br>");
}

function fieldCell({ field, before, after }: PlannedField): string {
  const old = before === undefined ? "" : `${valueCell(before)} → `;
  return `${markdownCode(field, VALUE_SHOWN)}: ${old}${valueCell(after)}`;
}

function valueCell(value: Json): string {
  return markdownCode(valueText(value), VALUE_SHOWN);
}

function cut(text: string): string {
  return shortened(text, TEXT_SHOWN);
}
