import type { Json } from "#model";

/** A double holds every number of up to this many digits exactly. */
const EXACT_DIGITS = 15;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/**
 * Parses JSON without rounding: a number that a double cannot hold exactly (an id above 2^53, a long decimal) becomes its own text.
 * Time and memory grow with the length of the text, whatever it holds. A reviver that sees each number's source takes twelve times
 * as long for a page of rows, and overflows the stack if objects are nested deeply.
 * @throws {SyntaxError} when `text` is not JSON.
 */
export function parseLossless(text: string): Json {
  const value: Json = JSON.parse(text);
  const exact = quoteInexact(text);
  if (exact === undefined) return value;
  const kept: Json = JSON.parse(exact);
  return kept;
}

/** Returns the text with quotes around each number that would be rounded; undefined if there is none. `text` is valid JSON. */
function quoteInexact(text: string): string | undefined {
  let exact = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isDigit(code) || code === MINUS) {
      const begin = at;
      while (at + 1 < text.length && isInNumber(text.charCodeAt(at + 1))) at++;
      const number = text.slice(begin, at + 1);
      if (isExact(number)) continue;
      exact += `${text.slice(copied, begin)}"${number}"`;
      copied = at + 1;
    }
  }
  return copied === 0 ? undefined : exact + text.slice(copied);
}

/** Returns where the string that begins at `at` ends. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(end)) end += code === BACKSLASH ? 2 : 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a character may follow the first one of a number: a digit, `+`, `-`, `.`, `E` or `e`. */
function isInNumber(code: number): boolean {
  return isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x45 || code === 0x65;
}

function isExact(number: string): boolean {
  if (number.length <= EXACT_DIGITS && !/[eE]/.test(number)) return true;
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const digits = number
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  if (digits.length <= EXACT_DIGITS) return digits === "" || value !== 0;
  return Number.isInteger(value) ? Number.isSafeInteger(value) && String(value) === number : String(value) === number;
}
