/** Shorter cores would match by chance. Those of secrets from four bytes are long enough. */
const CORE_LENGTH = 4;

/** A word of base64 or base64url, with or without padding, also as an address (`%2B`) or JSON (`\\/`) spells it. */
const word = /(?:[\w+-]|\\?\/|%2[BF])+(?:=|%3D){0,2}/gi;

/** The value of a header for a login with name and password. */
const basic = /\bBasic +((?:[\w+/-]|%2[BF])+(?:=|%3D){0,2})/gi;

/**
 * What base64 makes of a secret wherever it is in a longer text, such as `user:SECRET`: its first bytes share a digit with what
 * precedes it, in one of three ways. The digits between the shared ones are always the same.
 */
export function base64Cores(secret: string): string[] {
  const bytes = [Buffer.from(secret, "utf8"), Buffer.from(secret, "latin1")];
  const cores = bytes.flatMap((encoded) => [0, 1, 2].map((before) => coreOf(encoded, before)));
  return [...new Set(cores.filter(({ length }) => length >= CORE_LENGTH).flatMap(spellingsOf))];
}

/** Replaces each word of base64 that contains something `known`, as a whole: its ends may hold the rest of the secret. */
export function withoutWords(text: string, known: RegExp, mark: string): string {
  return known.test(text) ? text.replace(word, (found) => (known.test(found) ? mark : found)) : text;
}

/** Replaces the credentials of a header `Basic …`, which are `user:password` in base64. */
export function withoutBasic(text: string, mark: string): string {
  return text.replace(basic, (found, encoded: string) => (isLogin(encoded) ? `Basic ${mark}` : found));
}

function isLogin(encoded: string): boolean {
  const decoded = Buffer.from(decodeURIComponent(encoded), "base64").toString("latin1");
  // Control characters show that an ordinary word follows "Basic".
  return /^[^:\p{Cc}]*:\P{Cc}*$/u.test(decoded);
}

/** The digits that hold nothing but bits of `bytes` when so many bytes precede them in their group of three. */
function coreOf(bytes: Buffer, before: number): string {
  const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  return digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

function spellingsOf(core: string): string[] {
  const urlSafe = core.replaceAll("+", "-").replaceAll("/", "_");
  return [core, urlSafe, encodeURIComponent(core), core.replaceAll("/", "\\/")];
}
