import { base64Cores, withoutBasic, withoutWords } from "./base64-words.ts";

/** Removes every secret from a text. */
export type Redact = (text: string) => string;

export const redactedMark = "[redacted]";

const bearer = /\bBearer\s+[^\s"',;]+/gi;
/** `//user:password@` and `//token@` inside an address. */
const credentials = /(:\/\/)[^/?#\s"'@]+@/g;

/** Tokens remembered per login, at least: a refused token may be logged after the next login. */
const TOKENS_KEPT = 10;

/**
 * The secrets of this process: those of the settings, and those added at run time. They are found everywhere, also as addresses, JSON
 * and base64 spell them. Texts that look like credentials are redacted too.
 */
export class Redaction {
  readonly #spellings = new Set<string>();
  readonly #cores = new Set<string>();
  readonly #logins: { tokens: readonly string[] }[] = [];
  #pattern: RegExp | undefined;
  /** Finds secrets inside of base64, such as `user:password` of a login. */
  #encoded: RegExp | undefined;

  constructor(secrets: readonly string[] = []) {
    this.hide(...secrets);
  }

  /** Adds texts to redact. */
  readonly hide = (...secrets: readonly string[]): void => {
    const before = this.#spellings.size;
    for (const secret of secrets)
      if (secret !== "") {
        for (const spelling of spellingsOf(secret)) this.#spellings.add(spelling);
        for (const core of base64Cores(secret)) this.#cores.add(core);
      }
    if (this.#spellings.size > before) this.#learn();
  };

  /**
   * Returns a function that hides the tokens of one login, which may be renewed for months. It keeps those of the last call and some
   * earlier ones, at least {@link TOKENS_KEPT}. Older tokens have expired, and searching for each one costs time.
   */
  readonly ofLogin = (): ((...tokens: readonly string[]) => void) => {
    const login: { tokens: readonly string[] } = { tokens: [] };
    this.#logins.push(login);
    return (...tokens) => {
      const used = tokens.filter((token) => token !== "");
      if (used.every((token) => login.tokens.includes(token))) return;
      const former = login.tokens.filter((token) => !used.includes(token));
      login.tokens = [...former, ...used].slice(-Math.max(TOKENS_KEPT, 2 * used.length));
      this.#learn();
    };
  };

  #learn(): void {
    const spellings = [...this.#spellings, ...this.#logins.flatMap(({ tokens }) => tokens.flatMap(spellingsOf))];
    this.#pattern = anyOf(spellings, patternOf, "g");
    const cores = [...this.#cores, ...this.#logins.flatMap(({ tokens }) => tokens.flatMap(base64Cores))];
    this.#encoded = cores.length === 0 ? undefined : anyOf(cores, escapeRegExp);
  }

  readonly redact: Redact = (text) => {
    const withoutKnown = this.#pattern === undefined ? text : text.replace(this.#pattern, redactedMark);
    const decoded =
      this.#encoded === undefined ? withoutKnown : withoutWords(withoutKnown, this.#encoded, redactedMark);
    return withoutBasic(decoded, redactedMark)
      .replace(bearer, `Bearer ${redactedMark}`)
      .replace(credentials, `$1${redactedMark}@`);
  };
}

/** A copy in which all texts, including member names, were passed through `redact`. */
export function redacted<Value>(value: Value, redact: Redact): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the copy has the shape of the value
  return copy(value, redact) as Value;
}

function copy(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((member: unknown) => copy(member, redact));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), copy(member, redact)]));
}

const secretField =
  /^(proxy-?)?authorization$|^(set-?)?cookie$|password|passwd|secret|api-?_?key|(access|refresh)_?token$|^token$/i;

/** Whether a field's name means that its value must never be shown. */
export function isSecretField(name: string): boolean {
  return secretField.test(name);
}

/** Longest first, so that a secret that contains another one is removed as a whole. */
function anyOf(texts: readonly string[], pattern: (text: string) => string, flags?: string): RegExp {
  return new RegExp(
    [...new Set(texts)]
      .toSorted((a, b) => b.length - a.length)
      .map(pattern)
      .join("|"),
    flags,
  );
}

function spellingsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
}

/** Secrets up to this length occur in ordinary words. */
const SHORT_LENGTH = 3;
const letter = "[0-9A-Za-z_\\u00c0-\\u024f]";

/** Finds a short secret only where it is a word of its own: cut out of words, it would make every text unreadable. */
function patternOf(spelling: string): string {
  const pattern = escapeRegExp(spelling);
  if (spelling.length > SHORT_LENGTH || !new RegExp(`^${letter}+$`).test(spelling)) return pattern;
  return `(?<!${letter})${pattern}(?!${letter})`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
