import { nearest, StopError, type ResourceName } from "#model";

/**
 * Everything the documents leave open, or say in two ways. The defaults are what is known about the live service; where
 * nothing is known, the value that a sloppy client stumbles over. README.md names the source of each.
 */
export interface Switches {
  /** The word on the wire where the documents write `svc`. */
  readonly brand: string;
  /** Where a list's rows are: under the resource's name, under one fixed key, or the answer itself. */
  readonly listWrapper: "resource" | "array" | { readonly key: string };
  /** Wrapper keys that differ from the resource's name. */
  readonly listKeys: Readonly<Record<ResourceName, string>>;
  /** `ignored`: the parameter has no effect and every page is the first one. */
  readonly paging:
    | { readonly kind: "offset"; readonly parameter: string }
    | { readonly kind: "page"; readonly parameter: string; readonly first: 0 | 1 }
    | { readonly kind: "none" }
    | { readonly kind: "ignored" };
  /** Do lists carry `totalCount`? `stale`: a whole list is told as long as it was when it was first read. */
  readonly totalCount: "yes" | "no" | "stale";
  /** Is `sortings` obeyed? */
  readonly sorting: boolean;
  /** The order of lists without `sortings`. */
  readonly order: "newestFirst" | "oldestFirst" | "changedFirst";
  /** Does `changedSince` have an effect? */
  readonly changedSince: boolean;
  readonly createAnswer: "record" | "id" | "location" | "none";
  readonly createStatus: 200 | 201;
  /** Path of one record below `restApi/v1/`, with {resource} and {id}; may hold a query. */
  readonly recordPath: string;
  /** How a missing record is spelled: a status, or 200 with nothing or with `null`. */
  readonly notFound: "404" | "400" | "empty" | "null";
  /** What `{ action, ids }` in an edit does; `wholeArray`: the ids replace the array, whatever the action. */
  readonly arrayUpdate: "supported" | "refused" | "ignored" | "wholeArray";
  /** A linked object without dotted names: its id, or an object with `id` and `name`. */
  readonly links: "id" | "object";
  /** The member that says when a token expires. */
  readonly expiry: "expire_date" | "expires_date" | "both" | "none";
  /** Does a logout end its token, or is it only answered? */
  readonly logout: "effective" | "ignored";
  /** Does a login end the account's earlier token of the same name? */
  readonly tokenName: "unique" | "shared";
  /** Paths served beside the resource's own name. */
  readonly paths: Readonly<Record<ResourceName, string>>;
}

const DEFAULT_SWITCHES: Switches = {
  brand: "svc",
  listWrapper: "resource",
  listKeys: {},
  paging: { kind: "offset", parameter: "offset" },
  totalCount: "yes",
  sorting: true,
  order: "newestFirst",
  changedSince: true,
  createAnswer: "record",
  createStatus: 200,
  recordPath: "{resource}/{id}",
  notFound: "404",
  arrayUpdate: "supported",
  links: "id",
  expiry: "expire_date",
  logout: "effective",
  tokenName: "unique",
  paths: {},
};

/** The defaults with what is given laid over them; members that are undefined, or no switches, do not count. */
export function switchesOf(given: Partial<Switches>): Switches {
  const switches = { ...DEFAULT_SWITCHES };
  let name: keyof Switches;
  for (name in DEFAULT_SWITCHES) if (given[name] !== undefined) Object.assign(switches, { [name]: given[name] });
  return switches;
}

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
  arrayUpdate: oneOf("supported", "refused", "ignored", "wholeArray"),
  links: oneOf("id", "object"),
  expiry: oneOf("expire_date", "expires_date", "both", "none"),
  logout: oneOf("effective", "ignored"),
  tokenName: oneOf("unique", "shared"),
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
