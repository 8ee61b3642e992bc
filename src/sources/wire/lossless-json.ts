import type { Json } from "#model";

const STRINGS_AND_NUMBERS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const EXACT_DIGITS = 15;

/**
 * Parses JSON without rounding: a number that a double cannot hold exactly (an id above 2^53, a long decimal) becomes its
 * own text.
 * @throws {SyntaxError} when `text` is not JSON.
 */
export function parseLossless(text: string): Json {
  const value: Json = JSON.parse(text.replace(STRINGS_AND_NUMBERS, keepExact));
  return value;
}

function keepExact(token: string): string {
  return token.startsWith('"') || isExact(token) ? token : `"${token}"`;
}

function isExact(number: string): boolean {
  const digits = number
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  if (digits.length <= EXACT_DIGITS) return true;
  const value = Number(number);
  return Number.isInteger(value) ? Number.isSafeInteger(value) && String(value) === number : String(value) === number;
}
