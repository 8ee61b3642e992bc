import { StopError, nearest } from "#model";
import type { Switches } from "./switches.ts";

/** How one switch is typed: what may stand there, and the value it means; undefined when it means none. */
interface Spelling<Value> {
  readonly wanted: string;
  read(text: string): Value | undefined;
}

/** One spelling per switch. Where the settings of svcsync have the same value, they spell it the same way. */
const SPELLINGS: { readonly [Name in keyof Switches]: Spelling<Switches[Name]> } = {
  brand: matching("WORD", /^[A-Za-z]\w*$/, ([word]) => word),
  listWrapper: matching("resource|array|key:NAME", /^(?:(resource|array)|key:(\w+))$/, ([, word, key]) =>
    key === undefined ? (word === "array" ? "array" : "resource") : { key },
  ),
  listKeys: pairs(),
  paging: matching(
    "offset:NAME|page:NAME:0|page:NAME:1|none|ignored",
    /^(?:(none|ignored)|offset:(\w+)|page:(\w+):([01]))$/,
    ([, word, offset, page, first]) => {
      if (offset !== undefined) return { kind: "offset", parameter: offset };
      if (page !== undefined) return { kind: "page", parameter: page, first: first === "0" ? 0 : 1 };
      return { kind: word === "none" ? "none" : "ignored" };
    },
  ),
  totalCount: oneOf("yes", "no", "stale"),
  sorting: yesOrNo(),
  order: oneOf("newestFirst", "oldestFirst", "changedFirst"),
  changedSince: yesOrNo(),
  createAnswer: oneOf("record", "id", "location", "none"),
  createStatus: matching("200|201", /^20[01]$/, ([status]) => (status === "201" ? 201 : 200)),
  recordPath: matching("PATH with {resource} and {id}", /^(?=.*\{resource\})(?=.*\{id\})[^/].*$/, ([path]) => path),
  notFound: oneOf("404", "400", "empty", "null"),
  arrayUpdate: oneOf("supported", "refused", "ignored"),
  links: oneOf("id", "object"),
  expiry: oneOf("expire_date", "expires_date", "both", "none"),
  paths: pairs(),
};

/** Every switch with what may stand behind its `=`, for a help text. */
export function switchSpellings(): readonly (readonly [name: string, wanted: string])[] {
  return Object.entries(SPELLINGS).map(([name, { wanted }]) => [name, wanted]);
}

/**
 * One switch as people type it, `createAnswer=location`.
 * @throws {StopError} E_SANDBOX_SWITCH naming what was found, what was wanted, and what was probably meant.
 */
export function switchFromText(text: string): Partial<Switches> {
  const at = text.indexOf("=");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  if (!isSwitch(name)) {
    const known = Object.keys(SPELLINGS);
    const meant = nearest(name, known);
    const hint = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
    throw new StopError("E_SANDBOX_SWITCH", `there is no switch ${JSON.stringify(name)}; ${hint}`);
  }
  const spelling = SPELLINGS[name];
  const found = at < 0 ? "" : text.slice(at + 1).trim();
  const value = spelling.read(found);
  if (value === undefined)
    throw new StopError("E_SANDBOX_SWITCH", `${name}: found ${JSON.stringify(found)}, expected ${spelling.wanted}`);
  return { [name]: value };
}

function isSwitch(name: string): name is keyof Switches {
  return Object.hasOwn(SPELLINGS, name);
}

function matching<Value>(
  wanted: string,
  pattern: RegExp,
  value: (found: readonly [string, ...string[]]) => Value,
): Spelling<Value> {
  const read = (text: string) => {
    const [whole, ...groups] = pattern.exec(text) ?? [];
    return whole === undefined ? undefined : value([whole, ...groups]);
  };
  return { wanted, read };
}

function oneOf<const Word extends string>(...words: readonly Word[]): Spelling<Word> {
  return { wanted: words.join("|"), read: (text) => words.find((word) => word === text) };
}

function yesOrNo(): Spelling<boolean> {
  return matching("true|false", /^(true|false)$/, ([text]) => text === "true");
}

function pairs(): Spelling<Readonly<Record<string, string>>> {
  return matching("RESOURCE=TEXT,RESOURCE=TEXT", /^\w+=[^,=]+(,\w+=[^,=]+)*$/, ([text]) =>
    Object.fromEntries(text.split(",").map((pair) => pair.split("=", 2))),
  );
}
