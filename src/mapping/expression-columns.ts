type Ast = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Ast {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function childrenOf(node: Ast): unknown[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? (value.flat() as unknown[]) : [value]));
}

function isVariable(node: unknown, name: string): boolean {
  return isNode(node) && node["type"] === "variable" && node["value"] === name;
}

/**
 * The columns of the row that an expression reads, from its syntax tree. Those it asks about with `$exists` (or `??`) are
 * optional and left out, and so are names below another: what is inside a column is the ERP's affair.
 */
export function columnsOf(ast: unknown): readonly string[] {
  const read = new Set<string>();
  const optional = new Set<string>();
  collect(ast, read, optional);
  return [...read].filter((name) => !optional.has(name));
}

function collect(node: unknown, read: Set<string>, optional: Set<string>): void {
  if (!isNode(node)) return;
  if (node["type"] === "path") {
    const [first, second] = node["steps"] as Ast[];
    // `$.name` and `$$.name` begin at the row itself; a plain name does too.
    const column = isVariable(first, "") || isVariable(first, "$") ? second : first;
    if (column?.["type"] === "name") read.add(column["value"] as string);
    else collect(first, read, optional);
    return;
  }
  const asks = node["type"] === "function" && isVariable(node["procedure"], "exists");
  for (const child of childrenOf(node)) collect(child, asks ? optional : read, optional);
}

/** Does an expression compare something with the word `null`? */
export function comparesWithNull(ast: unknown): boolean {
  if (Array.isArray(ast)) return ast.some(comparesWithNull);
  if (!isNode(ast)) return false;
  if (ast["type"] === "binary" && (ast["value"] === "=" || ast["value"] === "!=")) {
    const sides = [ast["lhs"], ast["rhs"]];
    if (sides.some((side) => isNode(side) && side["type"] === "value" && side["value"] === null)) return true;
  }
  return Object.values(ast).some(comparesWithNull);
}
