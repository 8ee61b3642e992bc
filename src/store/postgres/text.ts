/**
 * Converts texts for PostgreSQL. A JavaScript string may hold a NUL or a lone surrogate, a UTF-8 database may not: each is replaced by an
 * escape character and a second one. Different texts stay different and keep their order by code point: each sequence sorts where its
 * character would.
 */
const LOW = "\u0001";
/** The last character before the surrogates. */
const HIGH = "\uD7FF";
const LITERAL = "\u0002";
/** Distance from the first surrogate to the first private-use character. */
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

/** Parses JSON whose texts were stored so. Few have any to be converted: JSON shows the lower one as an escape sequence. */
export function parseStored(json: string): unknown {
  if (!json.includes(HIGH) && !json.includes(String.raw`\u0001`)) return JSON.parse(json);
  return JSON.parse(json, (_, member: unknown) => (typeof member === "string" ? originalText(member) : member));
}

/**
 * SQL that turns a jsonb with such texts into JSON with the original texts. Control characters, NUL among them, are JSON escape sequences
 * there, so {@link originalText} would not see them. That function converts the rest when the text is read.
 */
export function originalJson(jsonb: string): string {
  const high = `chr(${HIGH.charCodeAt(0)})`;
  const withControls = String.raw`replace(replace((${jsonb})::text, E'\\u0001\\u0001', E'\\u0000'), E'\\u0001\\u0002', E'\\u0001')`;
  return String.raw`replace(${withControls}, ${high} || E'\\u0002', ${high} || chr(${LITERAL.charCodeAt(0)}))`;
}
