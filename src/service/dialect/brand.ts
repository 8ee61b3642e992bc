import { isJsonObject, type Json, type JsonObject } from "#model";

/** The word that the reference writes where a tenant has its vendor's. */
const NEUTRAL = "svc";

/** A property of tickets that every tenant has; its beginning is the brand. */
export const BRAND_SIGN = /^([a-z][a-z0-9]*)Documents$/;

/**
 * Translates names between the reference's spelling and the wire's, in both directions: `svcDocument`, `svcDocuments`,
 * `hasSvcDocuments`, `customer.svcScript`. Names alone: values are data and stay as they are.
 */
export class Brand {
  readonly #token: string;
  readonly #outward: (text: string) => string;
  readonly #inward: (text: string) => string;

  constructor(token: string) {
    this.#token = token;
    this.#outward = renamer(NEUTRAL, token);
    this.#inward = renamer(token, NEUTRAL);
  }

  /** A name, a path or a list of names, as the wire spells it. */
  outward(text: string): string {
    return this.#token === NEUTRAL ? text : this.#outward(text);
  }

  /** A name as the reference spells it. */
  inward(text: string): string {
    return this.#token === NEUTRAL ? text : this.#inward(text);
  }

  /** A body with the wire's property names. */
  encode(body: JsonObject): JsonObject {
    return this.#token === NEUTRAL ? body : renamed(body, this.#outward);
  }

  /** An answer with the reference's property names. */
  decode(answer: Json): Json {
    return this.#token === NEUTRAL ? answer : renamed(answer, this.#inward);
  }
}

/** `svc` counts at a name's beginning before a capital, `Svc` inside a name after a small letter and before a capital. */
function renamer(from: string, to: string): (text: string) => string {
  const pattern = new RegExp(`(?<![A-Za-z0-9])${from}(?=[A-Z])|(?<=[a-z])${capital(from)}(?=[A-Z])`, "g");
  return (text) => text.replace(pattern, (hit) => (hit === from ? to : capital(to)));
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function renamed(value: JsonObject, rename: (name: string) => string): JsonObject;
function renamed(value: Json, rename: (name: string) => string): Json;
function renamed(value: Json, rename: (name: string) => string): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), renamed(item, rename)]));
}
