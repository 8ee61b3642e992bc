import { isObject } from "../object.ts";
import type { ColumnPath } from "../compile/column-path.ts";

/**
 * The columns of the row that an expression reads, from its syntax tree. Columns that it tests with `$exists` (or `??`)
 * are optional and left out, and so are names below a column, which only the ERP defines.
 */
export function columnsOf(ast: unknown): readonly string[] {
  const read = new Set<string>();
  const optional = new Set<string>();
  collect(ast, read, optional);
  return [...read].filter((name) => !optional.has(name));
}

/** Like {@link columnsOf}, with the optional columns. */
export function allColumnsOf(ast: unknown): readonly string[] {
  const read = new Set<string>();
  collect(ast, read, read);
  return [...read];
}

/** The path that an expression consists of, if it is nothing else: `address.city`, `$.address.city`. */
export function barePathOf(ast: unknown): ColumnPath | undefined {
  if (!isObject(ast) || ast["type"] !== "path" || !Array.isArray(ast["steps"]) || "group" in ast) return undefined;
  const [first, ...rest] = ast["steps"] as unknown[];
  const steps = isVariable(first, "") || isVariable(first, "$") ? rest : [first, ...rest];
  const names = steps.map((step) => (isPlainName(step) ? String(step["value"]) : undefined));
  const [column, ...members] = names.filter((name) => name !== undefined);
  return column === undefined || members.length + 1 < names.length ? undefined : { column, members };
}

function isPlainName(step: unknown): step is Readonly<Record<string, unknown>> {
  return isObject(step) && step["type"] === "name" && !("predicate" in step) && !("stages" in step);
}

function collect(node: unknown, read: Set<string>, optional: Set<string>): void {
  if (Array.isArray(node)) for (const item of node) collect(item, read, optional);
  if (!isObject(node)) return;
  if (node["type"] === "path" && Array.isArray(node["steps"])) {
    const [first, second] = node["steps"] as unknown[];
    // `$.name` and `$$.name` start at the row itself, as a plain name does.
    const column = isVariable(first, "") || isVariable(first, "$") ? second : first;
    if (isObject(column) && column["type"] === "name") read.add(String(column["value"]));
    else collect(first, read, optional);
    return;
  }
  const asks = node["type"] === "function" && isVariable(node["procedure"], "exists");
  for (const [part, child] of Object.entries(node))
    if (!insideValues.has(part)) collect(child, asks ? optional : read, optional);
}

/** Parts of a node in which names are members of a value, not columns: filters, groupings, transforms. */
const insideValues = new Set(["stages", "predicate", "group", "pattern", "update", "delete"]);

function isVariable(node: unknown, name: string): boolean {
  return isObject(node) && node["type"] === "variable" && node["value"] === name;
}
