import type { z } from "zod";
import type { FilePath, Problem } from "../check/problem.ts";
import { checkShape } from "../check/shape-problem.ts";
import { isObject } from "../object.ts";
import {
  headFields,
  lineFields,
  lines as linesShape,
  reportHead,
  stateHead,
  statusHead,
  type LinesWords,
  type ReportHead,
  type ReturnValueWords,
  type StateHead,
  type StatusHead,
} from "./words.ts";

type Fields = ReadonlyMap<string, ReturnValueWords>;

/** Well-formed lines of a report, with their place in the file. */
export interface CheckedLines {
  readonly path: FilePath;
  readonly words: LinesWords;
  readonly fields: Fields;
}

type CheckedHead =
  | { readonly kind: "reports"; readonly head: ReportHead }
  | { readonly kind: "status"; readonly head: StatusHead }
  | { readonly kind: "state"; readonly head: StateHead };

/** A stream under `returns:`, as far as its words are well-formed. */
export interface CheckedReturn {
  readonly name: string;
  readonly path: FilePath;
  /** Undefined where something in it is wrong. */
  readonly checked: CheckedHead | undefined;
  readonly fields: Fields;
  readonly lines: readonly CheckedLines[];
  readonly problems: readonly Problem[];
}

/** The columns of a state, unless the sync file says otherwise. The inbox has one for the ERP's key in any case. */
const STATE_COLUMNS = { state: "state", error_code: "code", reason: "reason" };

/** The longest name of a stream that the inbox takes. */
const LONGEST_NAME = 40;
const ONLY_REPORTS = ["corrections", "then"];

/** Checks the words of a stream of returns. Each column is checked alone, so that a wrong one hides no other problem. */
export function checkReturn(name: string, words: unknown): CheckedReturn {
  const path = ["returns", name];
  const problems: Problem[] = [];
  if (name.length > LONGEST_NAME)
    problems.push({ path, atName: true, message: `found ${name.length} characters, expected at most ${LONGEST_NAME}` });
  const given = isObject(words) ? words : {};
  const { checked, problems: inHead } = checkHead(words, path);
  const isState = Object.hasOwn(given, "state");
  const fieldWords = given["fields"] ?? (isState ? STATE_COLUMNS : undefined);
  const fields = checkFields(headFields, fieldWords, [...path, "fields"]);
  if (isObject(words) && (fieldWords === undefined || (isObject(fieldWords) && Object.keys(fieldWords).length === 0)))
    problems.push({
      path: [...path, "fields"],
      message: "found no fields, expected at least one, e.g. order_no: erpReferenceNumber",
    });
  const lines = isState ? { lines: [], problems: [] } : checkLines(given["lines"], [...path, "lines"]);
  return {
    name,
    path,
    checked,
    fields: fields.fields,
    lines: lines.lines,
    problems: [...problems, ...inHead, ...fields.problems, ...lines.problems],
  };
}

/** With `state`, it is the state of records; with `lines`, reports; otherwise a status. */
function checkHead(
  words: unknown,
  path: FilePath,
): { readonly checked: CheckedHead | undefined; readonly problems: readonly Problem[] } {
  const given = isObject(words) ? words : undefined;
  if (given !== undefined && Object.hasOwn(given, "state")) {
    const { value: head, problems } = checkShape(stateHead, words, path);
    return { checked: head && { kind: "state", head }, problems };
  }
  if (given === undefined || Object.hasOwn(given, "lines")) {
    const { value: head, problems } = checkShape(reportHead, words, path);
    return { checked: head && { kind: "reports", head }, problems };
  }
  const strange = ONLY_REPORTS.filter((word) => Object.hasOwn(given, word));
  const others = Object.fromEntries(Object.entries(given).filter(([word]) => !strange.includes(word)));
  const { value: head, problems } = checkShape(statusHead, others, path);
  const wrong = strange.map((word) => ({
    path: [...path, word],
    atName: true,
    message: `found "${word}" without lines, expected lines (an empty list for reports without lines): it goes with reports`,
  }));
  return {
    checked: head === undefined || wrong.length > 0 ? undefined : { kind: "status", head },
    problems: [...problems, ...wrong],
  };
}

/** A wish for everything is refused: names of workers and signatures are personal data, and only listed ones are handed over. */
function everything(path: FilePath, found: string): Problem {
  return {
    path,
    message: `found ${found}, expected each column with its field: only what is listed leaves the service, because names and signatures are personal data`,
  };
}

function checkFields(
  shape: z.ZodType<Record<string, ReturnValueWords>>,
  words: unknown,
  path: FilePath,
): { readonly fields: Fields; readonly problems: readonly Problem[] } {
  const fields = new Map<string, ReturnValueWords>();
  if (words === undefined) return { fields, problems: [] };
  if (words === "*" || (Array.isArray(words) && words.includes("*")))
    return { fields, problems: [everything(path, '"*"')] };
  if (!isObject(words)) return { fields, problems: checkShape(shape, words, path).problems };
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(words)) {
    const at = { path: [...path, name], atName: true };
    const twin = [...fields.keys()].find((other) => other.toLowerCase() === name.toLowerCase());
    if (name === "*" || value === "*") {
      problems.push(everything(at.path, '"*"'));
      continue;
    }
    if (twin !== undefined)
      problems.push({
        ...at,
        message: `found both "${twin}" and "${name}", expected names that differ in more than case`,
      });
    const checked = checkShape(shape, { [name]: value }, path);
    problems.push(...checked.problems);
    for (const [column, words] of Object.entries(checked.value ?? {})) {
      fields.set(column, words);
      if (typeof words === "object" && "const" in words && Array.isArray(words.const))
        problems.push({
          path: [...at.path, "const"],
          message: "found a list, expected text, a number, true, false or null",
        });
    }
  }
  return { fields, problems };
}

function checkLines(
  words: unknown,
  path: FilePath,
): { readonly lines: readonly CheckedLines[]; readonly problems: readonly Problem[] } {
  if (words === undefined) return { lines: [], problems: [] };
  if (!Array.isArray(words))
    return {
      lines: [],
      problems: [{ path, message: "expected a list of lines, each with each, kind, amount and fields" }],
    };
  const lines: CheckedLines[] = [];
  const problems: Problem[] = [];
  for (const [at, item] of words.entries()) {
    const place = [...path, at];
    const head = checkShape(linesShape, item, place);
    const fields = checkFields(lineFields, isObject(item) ? item["fields"] : undefined, [...place, "fields"]);
    problems.push(...head.problems, ...fields.problems);
    if (head.value === undefined) continue;
    const twin = lines.find(({ words: { kind } }) => kind === head.value!.kind);
    if (twin !== undefined)
      problems.push({
        path: [...place, "kind"],
        message: `found "${head.value.kind}" a second time, expected a kind of its own for each list`,
      });
    lines.push({ path: place, words: head.value, fields: fields.fields });
  }
  return { lines, problems };
}
