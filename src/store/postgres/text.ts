/**
 * Texts as PostgreSQL takes them. A NUL and half of a surrogate pair, which a JavaScript string may hold and a UTF-8 database may
 * not, are written with an escape sign before them. Different texts stay different and keep their order by code point: each
 * sequence sorts where its character does.
 */
const LOW = "\u0001";
/** The last character before the surrogates. */
const HIGH = "\uD7FF";
const LITERAL = "\u0002";
/** From the first half of a surrogate pair to the first private character. */
const SHIFT = 0x800;

const FOREIGN = new RegExp(`[\0${LOW}${HIGH}\\p{Surrogate}]`, "gu");
const ESCAPED = new RegExp(`${LOW}[${LOW}${LITERAL}]|${HIGH}[${LITERAL}\\uE000-\\uE7FF]`, "g");

export function storedText(text: string): string {
  return text.replace(FOREIGN, (sign) => {
    if (sign === "\0") return LOW + LOW;
    if (sign === LOW || sign === HIGH) return sign + LITERAL;
    return HIGH + String.fromCharCode(sign.charCodeAt(0) + SHIFT);
  });
}

export function originalText(stored: string): string {
  return stored.replace(ESCAPED, ([escape = "", sign = ""]) => {
    if (sign === LITERAL) return escape;
    return escape === LOW ? "\0" : String.fromCharCode(sign.charCodeAt(0) - SHIFT);
  });
}

/**
 * In SQL: a jsonb that holds such texts, as the JSON of the original ones. Control characters, NUL among them, are escape sequences in
 * it, where {@link originalText} does not see them. The rest it turns back when the text is read.
 */
export function originalJson(jsonb: string): string {
  const high = `chr(${HIGH.charCodeAt(0)})`;
  const withControls = String.raw`replace(replace((${jsonb})::text, E'\\u0001\\u0001', E'\\u0000'), E'\\u0001\\u0002', E'\\u0001')`;
  return String.raw`replace(${withControls}, ${high} || E'\\u0002', ${high} || chr(${LITERAL.charCodeAt(0)}))`;
}
