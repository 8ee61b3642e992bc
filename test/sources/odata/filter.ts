import type { Json, JsonObject } from "#model";

type Test = (row: JsonObject) => boolean;

const TOKENS = /\s*(\(|\)|(?:datetimeoffset|datetime|time|guid)?'(?:[^']|'')*'|[^\s()]+)/gy;

/** As much of `$filter` as the standard has and the adapter uses, evaluated on rows whose values compare as texts. */
export function filterOf(text: string | null, refuseMixedOr = false): Test {
  if (text === null) return () => true;
  const tokens = [...text.matchAll(TOKENS)].map((match) => match[1]!);
  let at = 0;
  const either = (): { test: Test; fields: Set<string> } => {
    let left = both();
    while (tokens[at] === "or") {
      at++;
      const right = both();
      const fields = new Set([...left.fields, ...right.fields]);
      if (refuseMixedOr && fields.size > 1) throw new Error("'or' over different fields is not supported");
      const [a, b] = [left.test, right.test];
      left = { test: (row) => a(row) || b(row), fields };
    }
    return left;
  };
  const both = (): { test: Test; fields: Set<string> } => {
    let left = one();
    while (tokens[at] === "and") {
      at++;
      const right = one();
      const [a, b] = [left.test, right.test];
      left = { test: (row) => a(row) && b(row), fields: new Set([...left.fields, ...right.fields]) };
    }
    return left;
  };
  const one = (): { test: Test; fields: Set<string> } => {
    if (tokens[at] === "(") {
      at++;
      const inner = either();
      if (tokens[at++] !== ")") throw new Error(`a bracket is not closed in ${text}`);
      return inner;
    }
    const [field, operator, value] = [tokens[at++]!, tokens[at++]!, tokens[at++]!];
    return { test: comparison(field, operator, value), fields: new Set([field]) };
  };
  const { test } = either();
  if (at !== tokens.length) throw new Error(`cannot read the filter ${text} behind ${tokens.slice(0, at).join(" ")}`);
  return test;
}

function comparison(field: string, operator: string, written: string): Test {
  if (written === "null") return (row) => (row[field] ?? null) === null;
  const wanted = plain(written);
  return (row) => {
    if (!(field in row)) throw new Error(`Could not find a property named '${field}'`);
    const value = row[field] ?? null;
    if (value === null) return false;
    const order = compared(value, wanted);
    if (operator === "eq") return order === 0;
    if (operator === "gt") return order > 0;
    if (operator === "ge") return order >= 0;
    if (operator === "lt") return order < 0;
    throw new Error(`unknown operator ${operator}`);
  };
}

function compared(value: Json, wanted: string): number {
  if (typeof value === "number") return value - Number(wanted);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text < wanted ? -1 : text > wanted ? 1 : 0;
}

/** Literals of all types as the text that rows hold. */
function plain(literal: string): string {
  const quoted = /^(datetimeoffset|datetime|time|guid)?'(.*)'$/.exec(literal);
  if (quoted === null) return literal.replace(/[LM]$/, "");
  const text = quoted[2]!.replaceAll("''", "'");
  return quoted[1] === "time" ? text.replace(/^PT(\d+)H(\d+)M(\d+)S$/, "$1:$2:$3") : text;
}
