import { isObject } from "../object.ts";

type Node = Readonly<Record<string, unknown>>;

/** Functions whose work and result grow no faster than their arguments. */
const plain = new Set(
  [
    "sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim number",
    "floor ceil round abs sqrt power boolean not exists keys lookup append merge type join formatBase parseInteger",
    "base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl utc local plainText asText error assert zip spread reverse",
  ]
    .join(" ")
    .split(" "),
);

/** Functions that are safe as long as all arguments after the first are literals in the expression. */
const plainWithLiterals = new Set(
  "contains split replace pad formatNumber formatInteger toMillis fromMillis".split(" "),
);
/** With a picture argument, these two turn it into a pattern. */
const plainWithoutPicture = new Set(["toMillis", "fromMillis"]);

const leaves = new Set<unknown>(["name", "string", "number", "value"]);

/**
 * Whether the work of an expression is bounded by the size of the row, so that it may run in the main process. Patterns,
 * own functions, variables, ranges, and steps that compute something for each member of a list are not bounded: a row
 * can make them run forever, or use all memory.
 */
export function isBounded(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.every(isBounded);
  if (!isObject(tree)) return true;
  const perMember = [tree["predicate"], tree["stages"], tree["group"]];
  return isBoundedNode(tree) && isBounded(perMember) && !readsRow(perMember);
}

/** An expression that reads the whole row for each member of a list does work proportional to the product of the two. */
function readsRow(tree: unknown): boolean {
  if (Array.isArray(tree)) return tree.some(readsRow);
  return (
    isObject(tree) && ((tree["type"] === "variable" && tree["value"] === "$") || Object.values(tree).some(readsRow))
  );
}

function isBoundedNode(node: Node): boolean {
  const { type } = node;
  if (leaves.has(type)) return true;
  switch (type) {
    case "variable":
      // The row itself; all other variables are bound by the expression.
      return node["value"] === "" || node["value"] === "$";
    case "path":
      return isBoundedPath(node["steps"]);
    case "filter":
      return isBounded(node["expr"]);
    case "binary":
      return node["value"] !== ".." && isBounded(node["lhs"]) && isBounded(node["rhs"]);
    case "unary":
      return [node["expression"], node["expressions"], node["lhs"]].every(isBounded);
    case "condition":
      return [node["condition"], node["then"], node["else"]].every(isBounded);
    case "block":
      return isBounded(node["expressions"]);
    case "function":
      return isPlainCall(node["procedure"], node["arguments"]);
    default:
      return isObject(node) && type === undefined && Object.values(node).every(isBounded);
  }
}

function isBoundedPath(steps: unknown): boolean {
  if (!Array.isArray(steps)) return false;
  const [first, ...rest] = steps as unknown[];
  return isBounded(first) && rest.every((step) => isObject(step) && step["type"] === "name" && isBounded(step));
}

function isPlainCall(procedure: unknown, given: unknown): boolean {
  if (!isObject(procedure) || procedure["type"] !== "variable" || !Array.isArray(given)) return false;
  const [first, ...rest] = given as unknown[];
  const name = String(procedure["value"]);
  if (plain.has(name)) return isBounded(given);
  if (!plainWithLiterals.has(name) || (plainWithoutPicture.has(name) && rest.length > 0)) return false;
  return isBounded(first) && rest.every(isLiteral);
}

function isLiteral(node: unknown): boolean {
  if (!isObject(node)) return false;
  if (node["type"] === "unary") return node["value"] === "-" && isLiteral(node["expression"]);
  return node["type"] === "string" || node["type"] === "number";
}
