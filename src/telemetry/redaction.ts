/** Takes every secret out of a text. */
export type Redact = (text: string) => string;

export const redactedMark = "[redacted]";

const bearer = /\bBearer\s+[^\s"',;]+/gi;
/** `//user:password@` and `//token@` inside an address. */
const credentials = /(:\/\/)[^/?#\s"'@]+@/g;

/**
 * A function that knows the secrets of this process. They are found wherever they stand, also as addresses and
 * JSON spell them; what looks like a credential is taken out as well.
 */
export function redactor(secrets: readonly string[]): Redact {
  const spellings = new Set(secrets.filter((secret) => secret !== "").flatMap(spellingsOf));
  // The longest first: a secret that contains another one goes as a whole.
  const known = [...spellings].toSorted((a, b) => b.length - a.length).map(escapeRegExp);
  const pattern = known.length === 0 ? undefined : new RegExp(known.join("|"), "g");
  return (text) => {
    const withoutKnown = pattern === undefined ? text : text.replace(pattern, redactedMark);
    return withoutKnown.replace(bearer, `Bearer ${redactedMark}`).replace(credentials, `$1${redactedMark}@`);
  };
}

const secretField =
  /^(proxy-?)?authorization$|^(set-?)?cookie$|password|passwd|secret|api-?_?key|(access|refresh)_?token$|^token$/i;

/** Does a field's name say that its value must not be seen, whatever it is? */
export function isSecretField(name: string): boolean {
  return secretField.test(name);
}

function spellingsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
