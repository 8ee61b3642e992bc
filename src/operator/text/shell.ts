import { recordLabel, type RecordId } from "#model";

/** A text as one word of a shell: unquoted where possible. The result never contains a double quote or a control character. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  // oxlint-disable-next-line no-control-regex -- they cannot be typed between plain quotes
  if (/^[^'"`\\\u0000-\u001f\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u.test(text)) return `'${text}'`;
  return `$'${Array.from(text, escaped).join("")}'`;
}

/** `stream/key` as one word of a shell. */
export function recordWord(id: RecordId): string {
  return shellQuoted(recordLabel(id));
}

function escaped(character: string): string {
  if (/^[\w @%+=:,./|#&;()[\]{}<>*?!~^$-]$/.test(character) || /^[\p{L}\p{N}]$/u.test(character)) return character;
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
