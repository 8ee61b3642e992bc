import { isObject } from "../object.ts";
import { didYouMean } from "../did-you-mean.ts";

/** What is wrong with an expression, and where: characters from its beginning. */
export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
}

/** JSONata functions that a mapping may call, and those of svcsync. */
export const functionNames: ReadonlySet<string> = new Set(
  [
    "sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match",
    "contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt",
    "power boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert",
    "type sort distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl toMillis",
    "fromMillis clone utc local plainText",
  ]
    .join(" ")
    .split(" "),
);

const refused: Readonly<Record<string, string>> = {
  now: "gives another value each time: the same row must always give the same value",
  millis: "gives another value each time: the same row must always give the same value",
  random: "gives another value each time: the same row must always give the same value",
  shuffle: "gives another value each time: the same row must always give the same value",
  eval: "would run text out of the row as an expression",
};

/** Finds expressions that parse but cannot be meant: they would park every record, or write unwanted values. */
export function expressionFault(ast: unknown): ExpressionFault | undefined {
  const nodes = nodesOf(ast);
  const bound = new Set(nodes.flatMap(boundNames));
  for (const node of nodes) {
    const message = nullFault(node) ?? variableFault(node, bound);
    if (message !== undefined) return { message, offset: beginOf(node) };
  }
  return undefined;
}

type Node = Readonly<Record<string, unknown>>;

function nodesOf(tree: unknown): Node[] {
  if (Array.isArray(tree)) return tree.flatMap(nodesOf);
  return isObject(tree) ? [tree, ...Object.values(tree).flatMap(nodesOf)] : [];
}

/** Names that the expression itself defines: `$x := …`, `function($x)`, `@$x`, `#$i`. */
function boundNames(node: Node): unknown[] {
  const lambda = node["type"] === "lambda" && Array.isArray(node["arguments"]) ? node["arguments"] : [];
  const variables: unknown[] = node["type"] === "bind" ? [node["lhs"]] : lambda;
  return [...variables.filter(isObject).map((variable) => variable["value"]), node["focus"], node["index"]];
}

function nullFault(node: Node): string | undefined {
  const compares = node["type"] === "binary" && (node["value"] === "=" || node["value"] === "!=");
  if (!compares || !(isNull(node["lhs"]) || isNull(node["rhs"]))) return undefined;
  return "NULL columns are left out in expressions, so nothing equals null: write $exists(column) instead";
}

function isNull(side: unknown): boolean {
  return isObject(side) && side["type"] === "value" && side["value"] === null;
}

function variableFault(node: Node, bound: ReadonlySet<unknown>): string | undefined {
  if (node["type"] !== "variable" || typeof node["value"] !== "string") return undefined;
  const name = node["value"];
  // `$` and `$$` are the row.
  if (name === "" || name === "$" || bound.has(name) || functionNames.has(name)) return undefined;
  const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;
  return reason === undefined ? `found the unknown $${name}${didYouMean(name, functionNames)}` : `$${name} ${reason}`;
}

/** Positions in the tree lie behind a token; this is the position of its beginning. */
function beginOf(node: Node): number {
  const end = typeof node["position"] === "number" ? node["position"] : 0;
  const length = node["type"] === "variable" ? String(node["value"]).length + 1 : String(node["value"]).length;
  return Math.max(0, end - length);
}
