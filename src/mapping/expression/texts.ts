import { kindOf } from "../compile/mapping-error.ts";
import { isObject } from "../object.ts";

/** Digits of a number in a text, as JSONata writes them. */
const DIGITS = 15;

/**
 * Makes each side of `&` pass through `$asText`. JSONata would turn an object or a list into JSON text and a function into nothing, and
 * the service would show that.
 * @param ast the tree that JSONata evaluates; it is changed.
 */
export function checkTexts(ast: unknown): void {
  if (Array.isArray(ast)) ast.forEach(checkTexts);
  if (!isObject(ast)) return;
  Object.values(ast).forEach(checkTexts);
  if (ast["type"] === "binary" && ast["value"] === "&")
    Object.assign(ast, { lhs: checked(ast["lhs"]), rhs: checked(ast["rhs"]) });
}

function checked(side: unknown): unknown {
  if (!isObject(side) || side["type"] === "string" || side["type"] === "number") return side;
  const { position } = side;
  const procedure = { type: "variable", value: "asText", position };
  return { type: "function", value: "(", position, procedure, arguments: [side] };
}

/** Returns a value that a text can hold. @throws {RangeError} for an object, a list or a function. */
export function asText(value: unknown): unknown {
  if (typeof value !== "function" && (typeof value !== "object" || value === null)) return value;
  const found =
    isObject(value) && ("_jsonata_lambda" in value || "_jsonata_function" in value) ? "a function" : kindOf(value);
  throw new RangeError(
    `found ${found} where a text is made, expected a text or a number: name a member of it, or join a list with $join`,
  );
}

/** `$string(value)` as JSONata defines it, for plain values. @throws {RangeError} for an object, a list or a function. */
export function string(value: unknown): string | undefined {
  const plain = asText(value);
  if (plain === undefined || typeof plain === "string") return plain;
  if (typeof plain !== "number") return JSON.stringify(plain);
  if (!Number.isFinite(plain)) throw new RangeError("the number is not finite: does it divide by zero?");
  return JSON.stringify(Number.isInteger(plain) ? plain : Number(plain.toPrecision(DIGITS)));
}
