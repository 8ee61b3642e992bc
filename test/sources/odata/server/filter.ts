import type { Json, JsonObject } from "#model";
import { compareTo, literalOf, type Literal } from "./literal.ts";
import { QueryFault } from "./query-fault.ts";
import { jsonText } from "../../../../src/sources/wire/stamps/values.ts";

/** How one service reads `$filter`. */
export interface Grammar {
  readonly version: "v2" | "v4";
  /** Types of the properties, without `Edm.`. A property that is not named here does not exist. */
  readonly types: Readonly<Record<string, string>>;
  /** Whether dates and times are written in quotes too. */
  readonly quotedTimes?: boolean;
  /** Whether `or` may join one property only. */
  readonly refuseMixedOr?: boolean;
  /** Whether the service knows `in (…)`. */
  readonly hasIn?: boolean;
  /** Compares keys of the type Guid as the service's database does. */
  readonly compareGuids?: (a: string, b: string) => number;
  /** Cuts what `$filter` compares, where that is coarser than the values are shown. */
  readonly cut?: (type: string, value: string) => string;
}

export type Test = (row: JsonObject) => boolean;

interface Node {
  readonly test: Test;
  readonly fields: ReadonlySet<string>;
}

const TOKEN = /\s*([(),]|(?:[A-Za-z][\w.]*)?'(?:[^']|'')*'|[^\s(),']+)/gy;
const ORDER: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};
const TEXT: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  startswith: (value, part) => value.startsWith(part),
  endswith: (value, part) => value.endsWith(part),
  contains: (value, part) => value.includes(part),
  substringof: (value, part) => value.includes(part),
};

/** Parses `$filter`. @throws {QueryFault} for what the service's grammar does not have. */
export function parseFilter(text: string, grammar: Grammar): Test {
  return new Parser(text, grammar).whole();
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #grammar: Grammar;
  #at = 0;

  constructor(text: string, grammar: Grammar) {
    const tokens = [...text.matchAll(TOKEN)];
    const end = tokens.reduce((sum, [whole]) => sum + whole.length, 0);
    if (tokens.length === 0 || text.slice(end).trim() !== "") throw new QueryFault("syntax", text);
    this.#tokens = tokens.map(([, token]) => token!);
    this.#grammar = grammar;
  }

  whole(): Test {
    const { test } = this.#either();
    if (this.#at < this.#tokens.length) throw new QueryFault("syntax", this.#tokens[this.#at]!);
    return test;
  }

  #either(): Node {
    let left = this.#both();
    while (this.#accept("or")) {
      const right = this.#both();
      const fields = left.fields.union(right.fields);
      if (this.#grammar.refuseMixedOr && fields.size > 1) throw new QueryFault("mixedOr", [...fields].join(","));
      const [a, b] = [left.test, right.test];
      left = { test: (row) => a(row) || b(row), fields };
    }
    return left;
  }

  #both(): Node {
    let left = this.#one();
    while (this.#accept("and")) {
      const right = this.#one();
      const [a, b] = [left.test, right.test];
      left = { test: (row) => a(row) && b(row), fields: left.fields.union(right.fields) };
    }
    return left;
  }

  #one(): Node {
    if (this.#accept("not")) {
      const { test, fields } = this.#one();
      return { test: (row) => !test(row), fields };
    }
    if (this.#accept("(")) {
      const inner = this.#either();
      this.#expect(")");
      return inner;
    }
    const word = this.#next();
    if (this.#tokens[this.#at] === "(") return this.#function(word);
    return this.#comparison(word);
  }

  #comparison(field: string): Node {
    const type = this.#type(field);
    const operator = this.#next();
    if (operator === "in" && this.#grammar.hasIn) return this.#list(field, type);
    const holds = ORDER[operator];
    if (holds === undefined) throw new QueryFault("syntax", operator);
    const wanted = this.#literal(type);
    return { test: (row) => compares(row[field] ?? null, wanted, operator, holds), fields: new Set([field]) };
  }

  #list(field: string, type: string): Node {
    this.#expect("(");
    const wanted = [this.#literal(type)];
    while (this.#accept(",")) wanted.push(this.#literal(type));
    this.#expect(")");
    const test: Test = (row) => wanted.some((one) => compares(row[field] ?? null, one, "eq", ORDER["eq"]!));
    return { test, fields: new Set([field]) };
  }

  /** `startswith(Name,'M')`, and in v2 `substringof('M',Name)`; `eq true` may follow. */
  #function(name: string): Node {
    const isV2Only = name === "substringof";
    const holds = TEXT[name];
    if (
      holds === undefined ||
      isV2Only !== (this.#grammar.version === "v2" && isV2Only) ||
      (name === "contains" && this.#grammar.version === "v2")
    )
      throw new QueryFault("syntax", name);
    this.#expect("(");
    const first = this.#next();
    this.#expect(",");
    const second = this.#next();
    this.#expect(")");
    const [field, part] = isV2Only ? [second, first] : [first, second];
    this.#type(field);
    const { value } = literalOf(part, "String", this.#grammar);
    const isFalse = this.#accept("eq") && this.#next() === "false";
    const test: Test = (row) => holds(jsonText(row[field]), value ?? "") !== isFalse;
    return { test, fields: new Set([field]) };
  }

  #type(field: string): string {
    const type = this.#grammar.types[field];
    if (type === undefined) throw new QueryFault("property", field);
    return type;
  }

  #literal(type: string): Literal {
    return literalOf(this.#next(), type, this.#grammar);
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new QueryFault("syntax", "the end");
    return token;
  }

  #accept(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#accept(token)) throw new QueryFault("syntax", this.#tokens[this.#at] ?? "the end");
  }
}

/** Null equals null alone. No other comparison with null is true, as in the standard. */
function compares(value: Json, wanted: Literal, operator: string, holds: (order: number) => boolean): boolean {
  if (value === null || wanted.value === null) {
    const same = value === wanted.value;
    return operator === "eq" ? same : operator === "ne" && !same;
  }
  return holds(compareTo(value, wanted));
}
