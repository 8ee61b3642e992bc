/** A value as the file has it: its text, and the name before it. */
export interface WrittenValue {
  readonly name: string;
  readonly text: string;
}

/** The member of the line at `offset` in which `offset` lies, as far as the text shows it, even if it is no valid YAML. */
export function valueAround(text: string, offset: number): WrittenValue {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(begin, end < 0 ? text.length : end);
  const at = offset - begin;
  const block = /^\s*(?:- )*([^\s:#{[][^:#{[]*): +/.exec(line);
  const isFlow = block === null || /^[{[]/.test(line.slice(block[0].length));
  if (block !== null && !isFlow) return { name: block[1]!, text: withoutComment(line.slice(block[0].length)) };
  const members = [...line.matchAll(/[{[,] *([\w.-]+): */g)].filter(({ index }) => index <= at);
  const member = members.at(-1);
  if (member === undefined) return { name: "", text: withoutComment(line.slice(at)) };
  return { name: member[1]!, text: flowValue(line.slice(member.index + member[0].length)) };
}

/** A value between brackets ends at the next comma or bracket that is not part of a variable. */
function flowValue(rest: string): string {
  return (/^(?:\$\{[^}]*\}|[^,}\]])*/.exec(rest)?.[0] ?? "").trim();
}

function withoutComment(text: string): string {
  return text.replace(/ #.*$/, "").trim();
}

/** Names whose values are never shown. */
export const secretName = /passw|secret|token|key|pin|credential|auth|cookie/i;
const LONGEST_SHOWN = 60;

/**
 * The value as it should be written, with the quotes that fit. A value that may be secret is replaced by an ellipsis; a
 * variable never is, because it only names one.
 */
export function didQuote({ name, text }: WrittenValue): string {
  const plain = text.replace(/^(["'])(.*)\1$/, "$2");
  const literal = plain.replace(/\$\{[^}]*\}/g, "");
  const isHidden = plain === "" || plain.length > LONGEST_SHOWN || /:\/\/|@/.test(literal);
  const mayShow = !isHidden && (literal === "" || !secretName.test(name));
  const label = name === "" ? "" : `${name}: `;
  if (!mayShow) return `${label}"…"`;
  return plain.includes('"') || plain.includes("\\")
    ? `${label}'${plain.replaceAll("'", "''")}'`
    : `${label}"${plain}"`;
}
