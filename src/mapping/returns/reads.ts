import type { FilePath, Problem } from "../check/problem.ts";
import { parsePath } from "../compile/column-path.ts";
import { didYouMean } from "../did-you-mean.ts";
import { readPathsOf } from "../expression/expression-paths.ts";
import { REPORT_LISTS, STATE_FIELDS } from "../returns-contract.ts";
import type { CheckedReturn } from "./check.ts";
import type { AmountWords, ReturnValueWords } from "./words.ts";

/** The default of `when` for reports. `canceled` may be absent, and nothing is unequal to an absent field in an expression. */
export const APPROVED = "approved and billable and $not(canceled = true)";

/** The fields that a stream of returns reads. */
export interface Reads {
  readonly head: readonly string[];
  /** In the order of the stream's lines. */
  readonly lines: readonly (readonly string[])[];
  readonly finalBy: "approved" | "finished" | undefined;
  readonly problems: readonly Problem[];
}

/** Names of the records around a line: `task` of `tasks.workLogs`, from the innermost outwards. */
export function namesAround(each: string): readonly string[] {
  return each
    .split(".")
    .slice(0, -1)
    .map((list) => list.replace(/s$/, ""));
}

/** Derives from all paths and expressions which fields are read. What cannot be derived is a problem. */
export function readsOf({ path, checked, fields, lines }: CheckedReturn): Reads {
  const head = new Set<string>();
  const ofLines = lines.map(() => new Set<string>());
  const problems: Problem[] = [];
  const hasLists = checked?.kind === "reports";
  const resource = checked !== undefined && checked.kind !== "state" ? checked.head.resource : undefined;

  /** A path that begins at the head. */
  const fromHead = (names: readonly string[], at: FilePath): void => {
    const list = hasLists ? REPORT_LISTS.findLast((each) => isWithin(names.join("."), each)) : undefined;
    if (list === undefined) return void head.add(names.join("."));
    const rest = names.slice(list.split(".").length);
    const target = lines.findIndex(({ words }) => words.each === list);
    const below = lines.findIndex(({ words }) => isWithin(words.each, list));
    if (target >= 0) addTo(ofLines[target]!, rest);
    else if (below >= 0 && rest.length > 0) addTo(ofLines[below]!, [list.replace(/s$/, ""), ...rest]);
    else if (below < 0)
      problems.push({ path: at, message: `found ${list}, which no lines read; expected lines with each: ${list}` });
  };
  const fromLine = (line: number, names: readonly string[], at: FilePath): void => {
    const { each } = lines[line]!.words;
    const [first = "", ...rest] = names;
    const isAround = namesAround(each).includes(first) || first === resource;
    if (isAround && rest.length === 0)
      problems.push({
        path: at,
        message: `found ${first}, a whole record; expected a field of it, such as ${first}.id`,
      });
    else if (first === resource) fromHead(rest, at);
    else if (
      !isAround &&
      REPORT_LISTS.some((list) => isWithin(`${each}.${names.join(".")}`, list) && list !== each && isWithin(list, each))
    )
      fromHead([...each.split("."), ...names], at);
    else addTo(ofLines[line]!, names);
  };

  type Take = (names: readonly string[], at: FilePath) => void;
  const fromText = (text: string, at: FilePath, take: Take) => {
    const { paths, faults } = readPathsOf(text);
    problems.push(...faults.map((message) => ({ path: at, message })));
    for (const names of paths) take(names, at);
  };
  const fromPath = (text: string, at: FilePath, take: Take) => {
    const { column, members } = parsePath(text)!;
    take([column, ...members], at);
  };
  const fromWords = (words: ReturnValueWords | AmountWords, at: FilePath, take: Take) => {
    if (typeof words === "string") fromPath(words, at, take);
    else if ("from" in words) fromPath(words.from, [...at, "from"], take);
    else if ("expr" in words) fromText(words.expr, [...at, "expr"], take);
    else if ("id" in words) fromPath(words.id, [...at, "id"], take);
  };

  const when = whenOf(checked);
  if (when !== undefined) {
    if (comparesUnequal(when))
      problems.push({
        path: [...path, "when"],
        message: `found != true or != false, which is never true where the field is empty; expected $not(… = true), as in ${APPROVED}`,
      });
    fromText(when, [...path, "when"], fromHead);
  }
  for (const [name, words] of fields) fromWords(words, [...path, "fields", name], fromHead);
  for (const [line, { path: place, words, fields }] of lines.entries()) {
    const take: Take = (names, at) => fromLine(line, names, at);
    if (words.amount !== undefined) fromWords(words.amount, [...place, "amount"], take);
    for (const [name, value] of fields) fromWords(value, [...place, "fields", name], take);
  }
  if (checked?.kind === "state") problems.push(...unknownStateFields(path, head));
  const asked = new Set([...head].map((name) => name.split(".")[0]));
  const isByApproval = asked.has("approved") || asked.has("approvedDate");
  const finalBy = checked?.kind !== "reports" ? undefined : isByApproval ? "approved" : "finished";
  if (finalBy !== undefined) head.add(`${finalBy}Date`);
  return { head: linked(head), lines: ofLines.map(linked), finalBy, problems };
}

export function whenOf(checked: CheckedReturn["checked"]): string | undefined {
  if (checked === undefined || checked.kind === "state") return undefined;
  return checked.head.when ?? (checked.kind === "reports" ? APPROVED : undefined);
}

function comparesUnequal(text: string): boolean {
  return /!=\s*(true|false)\b/.test(text);
}

function isWithin(path: string, list: string): boolean {
  return path === list || path.startsWith(`${list}.`);
}

function addTo(reads: Set<string>, names: readonly string[]): void {
  if (names.length > 0) reads.add(names.join("."));
}

/** A link is asked for as an id, or by its members: where a member is read, the id has to be asked for as one too. */
function linked(reads: ReadonlySet<string>): string[] {
  const names = [...reads];
  return [...new Set(names.map((name) => (names.some((other) => other.startsWith(`${name}.`)) ? `${name}.id` : name)))];
}

function unknownStateFields(path: FilePath, read: ReadonlySet<string>): Problem[] {
  const known: readonly string[] = STATE_FIELDS;
  return [...read]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: [...path, "fields"],
      message: `found the unknown "${name}"${didYouMean(name, known) || `, expected one of ${known.join(", ")}`}`,
    }));
}
