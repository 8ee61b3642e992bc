import { isJsonObject, type Json, type JsonObject } from "#model";

/** The word in the reference that stands for the vendor's brand on a tenant. */
const NEUTRAL = "svc";

/** A ticket property that every tenant has; it begins with the brand. */
export const BRAND_SIGN = /^([a-z][a-z0-9]*)Documents$/;

/**
 * Translates names between the spelling of the reference and that of the wire: `svcDocument`, `svcDocuments`,
 * `hasSvcDocuments`, `customer.svcScript`. Values are data and stay unchanged.
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

  /** Spells a name, a path or a list of names as the wire does. */
  outward(text: string): string {
    return this.#token === NEUTRAL ? text : this.#outward(text);
  }

  /** Spells a name as the reference does. */
  inward(text: string): string {
    return this.#token === NEUTRAL ? text : this.#inward(text);
  }

  /** Translates the property names of a body to those of the wire. */
  encode(body: JsonObject): JsonObject {
    return this.#token === NEUTRAL ? body : renamed(body, this.#outward);
  }

  /** Translates the property names of an answer to those of the reference. */
  decode(answer: Json): Json {
    return this.#token === NEUTRAL ? answer : renamed(answer, this.#inward);
  }
}

/** Replaces `svc` at the beginning of a name before a capital, and `Svc` inside a name between a small letter and a capital. */
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
