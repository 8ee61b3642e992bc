import { unknownName, type CrossCheckFacts } from "../check/cross-check.ts";
import type { FilePath, Problem } from "../check/problem.ts";
import type { CheckedStream } from "../check/stream-words.ts";
import type { CheckedReturn } from "./check.ts";
import type { ReturnValueWords } from "./words.ts";

/** Finds what is well-formed in a stream of returns but cannot be right. */
export function crossCheckReturn(
  { path, checked, fields, lines }: CheckedReturn,
  known: Pick<CrossCheckFacts, "sources" | "resources">,
  streams: readonly CheckedStream[],
): Problem[] {
  const problems: Problem[] = [];
  const streamNames = streams.map(({ name }) => name);
  if (checked?.kind === "state" && !streamNames.includes(checked.head.state))
    problems.push(unknownName([...path, "state"], "stream", checked.head.state, streamNames));
  const resource = checked !== undefined && checked.kind !== "state" ? checked.head.resource : undefined;
  if (resource !== undefined && !known.resources.has(resource))
    problems.push(unknownName([...path, "resource"], "resource", resource, known.resources));
  if (checked?.kind === "reports" && checked.head.resource !== "svcDocument")
    problems.push({
      path: [...path, "resource"],
      message: `found ${checked.head.resource} beside lines, expected svcDocument: only service records have lines`,
    });
  if (checked !== undefined) problems.push(...checkDestination(path, checked, lines.length > 0, known));

  const checkValue = (words: ReturnValueWords, at: FilePath, own: string | undefined) => {
    if (typeof words !== "object") return;
    if ("nameOf" in words && !known.resources.has(words.nameOf))
      problems.push(unknownName([...at, "nameOf"], "resource", words.nameOf, known.resources));
    if (!("keyOf" in words)) return;
    const stream = streams.find(({ name }) => name === words.keyOf);
    if (stream === undefined)
      return void problems.push(unknownName([...at, "keyOf"], "stream", words.keyOf, streamNames));
    const target = stream.parts.resource;
    // A link is usually named after what it leads to.
    const last = words.id.split(".").at(-1)!;
    const meant = last === "id" ? (words.id === "id" ? own : undefined) : known.resources.has(last) ? last : undefined;
    if (target !== undefined && meant !== undefined && meant !== target)
      problems.push({
        path: [...at, "keyOf"],
        message: `found ${words.keyOf}, a stream of ${target}, but ${words.id} is the id of a record of ${meant}; expected a stream of ${meant}`,
      });
  };
  for (const [name, words] of fields) checkValue(words, [...path, "fields", name], resource);
  for (const line of lines)
    for (const [name, words] of line.fields) checkValue(words, [...line.path, "fields", name], undefined);
  for (const { path: place, words } of lines)
    if (typeof words.amount === "object" && words.amount.remainder !== undefined && words.amount.round === undefined)
      problems.push({
        path: [...place, "amount", "remainder"],
        message: "found remainder without round, expected round too",
      });
  return problems;
}

function checkDestination(
  path: FilePath,
  { kind, head }: NonNullable<CheckedReturn["checked"]>,
  hasLines: boolean,
  { sources }: Pick<CrossCheckFacts, "sources">,
): Problem[] {
  const problems: Problem[] = [];
  const { to } = head;
  const answers = "answers" in head ? head.answers : undefined;
  if (!sources.has(to.source))
    problems.push(unknownName([...path, "to", "source"], "source", to.source, sources.keys()));
  if ("table" in to && hasLines && to.lines === undefined)
    problems.push({
      path: [...path, "to"],
      message: "found no table for the lines, expected lines: svcsync.return_lines",
    });
  if (kind === "reports" && head.then !== undefined && answers === undefined)
    problems.push({
      path: [...path, "then"],
      atName: true,
      message: "found then without answers, expected answers: the document's number comes from the ERP's answer",
    });
  if (answers === undefined) return problems;
  const at = [...path, "answers"];
  if ("table" in to && answers.folder !== undefined)
    problems.push({
      path: [...at, "folder"],
      atName: true,
      message: "found a folder beside a table, expected table: svcsync.answers",
    });
  else if ("table" in to && answers.table === undefined)
    problems.push({
      path: at,
      message: "found no table, expected the table of the answers, e.g. table: svcsync.answers",
    });
  if ("folder" in to && answers.table !== undefined)
    problems.push({
      path: [...at, "table"],
      atName: true,
      message: "found a table beside a folder, expected folder: answers",
    });
  return problems;
}
