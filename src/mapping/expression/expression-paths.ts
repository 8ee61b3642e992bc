import jsonata from "jsonata";
import { isObject } from "../object.ts";

/** The fields that an expression reads, each as the names on the way to it, and why some cannot be told. */
export interface ReadPaths {
  readonly paths: readonly (readonly string[])[];
  readonly faults: readonly string[];
}

/** Tells from an expression alone which fields it reads, because only these are asked of the service. */
export function readPathsOf(text: string): ReadPaths {
  const paths: string[][] = [];
  const faults: string[] = [];
  collect(jsonata(text).ast(), paths, faults);
  return { paths, faults: [...new Set(faults)] };
}

type Node = Readonly<Record<string, unknown>>;

const SAY =
  "so svcsync cannot tell which fields it reads; expected fields by their names, such as customer or task.serviceType";
const refused: Readonly<Record<string, string>> = {
  wildcard: "found *, which takes all fields,",
  descendant: "found **, which takes all fields,",
  parent: "found %, which leads out of a record,",
  transform: "found |…|, which copies a whole record,",
};

function collect(node: unknown, paths: string[][], faults: string[]): void {
  if (Array.isArray(node)) for (const item of node) collect(item, paths, faults);
  if (!isObject(node)) return;
  const fault = faultOf(node);
  if (fault !== undefined) faults.push(`${fault} ${SAY}`);
  else if (node["type"] === "path" && Array.isArray(node["steps"])) collectPath(node["steps"], paths, faults);
  else for (const child of Object.values(node)) collect(child, paths, faults);
}

function faultOf(node: Node): string | undefined {
  const type = String(node["type"]);
  if (Object.hasOwn(refused, type)) return refused[type];
  if (isRecord(node)) return "found $, which is the whole record,";
  if ("group" in node) return "found {…} behind a field,";
  if ("focus" in node || "index" in node) return "found @ or # behind a field,";
  const filters = [node["stages"], node["predicate"]].flat().filter(isObject);
  const isFiltered = filters.some(({ expr }) => !isObject(expr) || expr["type"] !== "number");
  return isFiltered ? "found a condition in brackets behind a field," : undefined;
}

/** `$` or `$$`, alone. */
function isRecord(node: Node): boolean {
  return node["type"] === "variable" && (node["value"] === "" || node["value"] === "$");
}

function collectPath(steps: readonly unknown[], paths: string[][], faults: string[]): void {
  const [first, ...rest] = steps;
  const startsAtRecord = isObject(first) && isRecord(first) && rest.length > 0;
  const names = (startsAtRecord ? rest : steps).map((step) =>
    isObject(step) && step["type"] === "name" && faultOf(step) === undefined ? String(step["value"]) : undefined,
  );
  const known = names.filter((name) => name !== undefined);
  if (known.length === names.length) paths.push(known);
  else if (steps.length === 1) collect(first, paths, faults);
  else {
    const fault = steps.filter(isObject).map((step) => (step === first && startsAtRecord ? undefined : faultOf(step)));
    faults.push(`${fault.find((text) => text !== undefined) ?? "found a path that is more than names,"} ${SAY}`);
  }
}
