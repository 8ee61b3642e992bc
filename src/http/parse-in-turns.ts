import { setImmediate as nextTurn } from "node:timers/promises";
import { isJsonObject, type Json, type JsonObject } from "#model";

/** Characters that are read in one turn of the event loop: a few milliseconds of work. */
const TURN = 256 * 1024;
/** Lists and objects nested deeper are not divided. Rows are allowed no more levels. */
const LEVELS = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Parses JSON like `parse`, which is called once for a short text. A long text is parsed in parts of about `turn` characters, and
 * everything else may run between them. A worker thread would be no help: its result has to be copied, which takes longer than to parse
 * it. A part is a list or an object with some of the members of one in the text, so `parse` must treat each member separately. One string,
 * and what is nested deeper than 64 levels, is never divided.
 * @throws {SyntaxError} when `text` is not JSON.
 */
export async function parseInTurns(text: string, parse: (text: string) => Json, turn: number = TURN): Promise<Json> {
  if (text.length <= 2 * turn) return parse(text);
  const parts = new Parts(text, parse, turn);
  while (!parts.read()) await nextTurn();
  return parts.value();
}

/** A list or an object that has begun and has not ended. */
interface Open {
  readonly isList: boolean;
  /** Where its first member may begin. */
  readonly begin: number;
  /** Where its members begin that are not in `members` yet. */
  from: number;
  /** What must come at `from`: a member or the end, a member, or a comma or the end. */
  next: "any" | "member" | "comma";
  /** Where the last comma between its members is; before `from` if there is none. */
  comma: number;
  /** What was read of it, as soon as it is divided. */
  members?: Json[] | JsonObject;
}

/** Finds the members of a text and gives them to the parser, some at a time. */
class Parts {
  readonly #text: string;
  readonly #parse: (text: string) => Json;
  readonly #turn: number;
  /** From the outermost to the innermost; those below {@link LEVELS} are only counted. */
  readonly #open: Open[] = [];
  #deeper = 0;
  #at = 0;
  #inString = false;
  /** What is before it was given to the parser. */
  #parsedTo = 0;
  /** The outermost list or object, if it is divided. */
  #root: Json | undefined;

  constructor(text: string, parse: (text: string) => Json, turn: number) {
    this.#text = text;
    this.#parse = parse;
    this.#turn = turn;
  }

  /** Reads on for one turn. Returns whether the text is at its end. */
  read(): boolean {
    const text = this.#text;
    const end = Math.min(text.length, this.#at + this.#turn);
    let at = this.#at;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (this.#inString) {
        if (code === BACKSLASH) at++;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) this.#inString = true;
      else if (code === COMMA) this.#comma(at);
      else if (isOpening(code)) this.#opening(at);
      else if (isClosing(code)) this.#closing(at);
    }
    this.#at = at;
    return at >= text.length;
  }

  value(): Json {
    if (this.#root === undefined) return this.#parse(this.#text);
    if (this.#open.length > 0) throw unexpected("an end");
    this.#expectBlank(this.#parsedTo, this.#text.length);
    return this.#root;
  }

  #opening(at: number): void {
    if (this.#open.length === LEVELS || (this.#open.length === 0 && this.#root !== undefined)) this.#deeper++;
    else this.#open.push({ isList: this.#text[at] === "[", begin: at + 1, from: at + 1, next: "any", comma: at });
  }

  #comma(at: number): void {
    const open = this.#open.at(-1);
    if (open === undefined || this.#deeper > 0) return;
    open.comma = at;
    if (open.next === "comma") this.#pass(open, at);
    else if (at - this.#parsedTo > this.#turn) this.#divide(at);
  }

  #closing(at: number): void {
    if (this.#deeper > 0) {
      this.#deeper--;
      return;
    }
    const open = this.#open.pop();
    if (open === undefined || open.isList !== (this.#text[at] === "]")) throw unexpected(this.#text[at]!);
    if (open.members === undefined) return;
    this.#take(open, at, true);
    this.#parsedTo = at + 1;
    const parent = this.#open.at(-1);
    if (parent !== undefined) Object.assign(parent, { from: at + 1, next: "comma" } satisfies Partial<Open>);
  }

  /** Gives everything before the comma at `at` to the parser. From then on, all that is open is divided. */
  #divide(at: number): void {
    let parent: Open | undefined;
    for (const open of this.#open) {
      open.members ??= this.#begin(open, parent);
      if (open.comma >= open.from) {
        this.#take(open, open.comma, false);
        this.#pass(open, open.comma);
      }
      parent = open;
    }
    this.#parsedTo = at + 1;
  }

  /** Puts a list or object whose members follow into the one around it. */
  #begin({ isList, begin }: Open, parent: Open | undefined): Json[] | JsonObject {
    const members = isList ? [] : {};
    const from = parent?.from ?? 0;
    if (parent === undefined) this.#root = members;
    if (parent?.next === "comma") throw unexpected(this.#text[begin - 1]!);
    if (parent === undefined || parent.isList) this.#expectBlank(from, begin - 1);
    if (parent !== undefined) add(parent, parent.isList ? [members] : { [this.#name(from, begin - 1)]: members });
    return members;
  }

  /** The name of a member whose value begins at `to`. It is parsed with a value, since `parse` may change names. */
  #name(from: number, to: number): string {
    const [name, ...others] = Object.keys(this.#parse(`{${this.#text.slice(from, to)}null}`) ?? {});
    if (name === undefined || others.length > 0) throw unexpected(this.#text[to]!);
    return name;
  }

  /** Takes the members before `to`, which is a comma or the end. */
  #take(open: Open, to: number, isEnd: boolean): void {
    const { from, isList, next } = open;
    const members = this.#text.slice(from, to);
    if (isBlank(members)) {
      if (isEnd && next !== "member") return;
      throw unexpected(this.#text[to]!);
    }
    if (next === "comma") throw unexpected("a value after a value");
    add(open, this.#parse(isList ? `[${members}]` : `{${members}}`));
  }

  /** Goes past the comma at `at`. */
  #pass(open: Open, at: number): void {
    if (open.next === "comma") this.#expectBlank(open.from, at);
    open.from = at + 1;
    open.next = "member";
  }

  #expectBlank(from: number, to: number): void {
    if (!isBlank(this.#text.slice(from, to))) throw unexpected("characters between two values");
  }
}

function add({ members }: Open, more: Json): void {
  if (Array.isArray(members) && Array.isArray(more)) for (const member of more) members.push(member);
  else if (isJsonObject(members) && isJsonObject(more))
    for (const [name, member] of Object.entries(more)) put(members, name, member);
}

/** Sets a member. `__proto__` is a member like any other, but cannot be assigned. */
function put(members: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether there is only white space, as JSON defines it. */
function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}

function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

function unexpected(what: string): SyntaxError {
  return new SyntaxError(`Unexpected ${what} in JSON`);
}
