import { meantHint, StopError, type ResourceName } from "#model";

/** One switch: its default, the values that may be typed for it, and how to parse a text; undefined for an invalid one. */
interface Switch<Value> {
  readonly initial: Value;
  readonly wanted: string;
  read(text: string): Value | undefined;
}

/**
 * Everything that the documents leave open, or state in two ways. The defaults are the known facts about the live
 * service; where nothing is known, the value that a careless client stumbles over. README.md names the source of each.
 * Values that svcsync's settings have too are spelled in the same way.
 */
const SWITCHES = {
  /** The word on the wire where the documents write `svc`. */
  brand: matching<string>("svc", "WORD", /^[A-Za-z]\w*$/, ([word]) => word),
  /** Where a list's rows are: under the resource's name, under one fixed key, or the answer itself. */
  listWrapper: matching<"resource" | "array" | { readonly key: string }>(
    "resource",
    "resource|array|key:NAME",
    /^(?:(resource|array)|key:(\w+))$/,
    ([, word, key]) => (key === undefined ? (word === "array" ? "array" : "resource") : { key }),
  ),
  /** Wrapper keys that differ from the resource's name. */
  listKeys: pairs(),
  /** `ignored`: the parameter has no effect and every page is the first one. */
  paging: matching<
    | { readonly kind: "offset"; readonly parameter: string }
    | { readonly kind: "page"; readonly parameter: string; readonly first: 0 | 1 }
    | { readonly kind: "none" }
    | { readonly kind: "ignored" }
  >(
    { kind: "offset", parameter: "offset" },
    "offset:NAME|page:NAME:0|page:NAME:1|none|ignored",
    /^(?:(none|ignored)|offset:(\w+)|page:(\w+):([01]))$/,
    ([, word, offset, page, first]) => {
      if (offset !== undefined) return { kind: "offset", parameter: offset };
      if (page !== undefined) return { kind: "page", parameter: page, first: first === "0" ? 0 : 1 };
      return { kind: word === "none" ? "none" : "ignored" };
    },
  ),
  /** Whether lists carry `totalCount`. `stale`: the total of a whole list stays what it was when the list was first read. */
  totalCount: oneOf("yes", "no", "stale"),
  /** Whether `sortings` has an effect. */
  sorting: yesUnlessTold(),
  /** The order of lists without `sortings`. */
  order: oneOf("newestFirst", "oldestFirst", "changedFirst"),
  /** Whether `changedSince` has an effect. */
  changedSince: yesUnlessTold(),
  createAnswer: oneOf("record", "id", "location", "none"),
  createStatus: matching<200 | 201>(200, "200|201", /^20[01]$/, ([status]) => (status === "201" ? 201 : 200)),
  /** Path of one record below `restApi/v1/`, with {resource} and {id}; may hold a query. */
  recordPath: matching<string>(
    "{resource}/{id}",
    "PATH with {resource} and {id}",
    /^(?=.*\{resource\})(?=.*\{id\})[^/].*$/,
    ([path]) => path,
  ),
  /** The answer for a missing record: a status, or 200 with an empty body or `null`. */
  notFound: oneOf("404", "400", "empty", "null"),
  /** What `{ action, ids }` in an edit does; `wholeArray`: the ids replace the array, whatever the action. */
  arrayUpdate: oneOf("supported", "refused", "ignored", "wholeArray"),
  /** Whether the actions of records exist: `move` of a contact or an object, `merge` of a ticket. */
  actions: yesUnlessTold(),
  /** A linked object without dotted names: its id, or an object with `id` and `name`. */
  links: oneOf("id", "object"),
  /** Whether a logout ends its token, or is only acknowledged. */
  logout: oneOf("effective", "ignored"),
  /** Whether a login ends the account's earlier token of the same name. */
  tokenName: oneOf("unique", "shared"),
  /** What `status` and `statuses` do in lists of service records and invoices. `wrong`: they compare another state. */
  statusFilter: oneOf("ignored", "works", "refused", "wrong"),
  /** What `approvedSince` does. `wrong`: it compares `finishedDate`. */
  approvedSince: oneOf("ignored", "works", "refused", "wrong"),
  /** What `finishedSince` does. `wrong`: it compares `created`. */
  finishedSince: oneOf("ignored", "works", "refused", "wrong"),
  /** Whether the edit of a line changes `modified` of its service record. */
  lineEdits: oneOf("silent", "moveReport"),
  /** Whether dotted names expand the children of a record, such as `tasks.workLogs.time`; otherwise their ids are shown. */
  expandChildren: yesUnlessTold(),
  /** Whether service records and tasks show the totals of their lines. */
  totals: yesUnlessTold(),
  /** How long after an approval its invoice record exists, in milliseconds. */
  invoiceDelayMs: matching<number>(0, "MILLISECONDS", /^\d+$/, ([ms]) => Number(ms)),
  /** Additional paths besides the resource's own name. */
  paths: pairs(),
};

/** The value of each switch of a tenant. */
export type Switches = {
  readonly [Name in keyof typeof SWITCHES]: (typeof SWITCHES)[Name]["initial"];
};

/** The defaults, overridden by the given values; undefined members and unknown names are ignored. */
export function switchesOf(given: Partial<Switches>): Switches {
  const names = Object.keys(SWITCHES).filter(isSwitch);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each switch by its name, with a value of its own kind
  return Object.fromEntries(names.map((name) => [name, given[name] ?? SWITCHES[name].initial])) as Switches;
}

/** Every switch with its possible values, for a help text. */
export function switchSpellings(): readonly (readonly [name: string, wanted: string])[] {
  return Object.entries(SWITCHES).map(([name, { wanted }]) => [name, wanted]);
}

/**
 * Parses one switch as people type it, `createAnswer=location`.
 * @throws {StopError} E_SANDBOX_SWITCH, naming what was found, what was expected, and what was probably meant.
 */
export function switchFromText(text: string): Partial<Switches> {
  const at = text.indexOf("=");
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  if (!isSwitch(name)) {
    const hint = meantHint(name, Object.keys(SWITCHES));
    throw new StopError("E_SANDBOX_SWITCH", `the sandbox has no switch ${JSON.stringify(name)}; ${hint}`);
  }
  const spelling = SWITCHES[name];
  const found = at < 0 ? "" : text.slice(at + 1).trim();
  const value = spelling.read(found);
  if (value === undefined)
    throw new StopError("E_SANDBOX_SWITCH", `${name}: found ${JSON.stringify(found)}, expected ${spelling.wanted}`);
  return { [name]: value };
}

function isSwitch(name: string): name is keyof Switches {
  return Object.hasOwn(SWITCHES, name);
}

function matching<Value>(
  initial: Value,
  wanted: string,
  pattern: RegExp,
  value: (found: readonly [string, ...string[]]) => Value,
): Switch<Value> {
  const read = (text: string) => {
    const [whole, ...groups] = pattern.exec(text) ?? [];
    return whole === undefined ? undefined : value([whole, ...groups]);
  };
  return { initial, wanted, read };
}

/** The first word is the default. */
function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]): Switch<Word> {
  return { initial: words[0], wanted: words.join("|"), read: (text) => words.find((word) => word === text) };
}

function yesUnlessTold(): Switch<boolean> {
  return matching(true, "true|false", /^(true|false)$/, ([text]) => text === "true");
}

function pairs(): Switch<Readonly<Record<ResourceName, string>>> {
  return matching({}, "RESOURCE=TEXT,RESOURCE=TEXT", /^\w+=[^,=]+(,\w+=[^,=]+)*$/, ([text]) =>
    Object.fromEntries(text.split(",").map((pair) => pair.split("=", 2))),
  );
}
