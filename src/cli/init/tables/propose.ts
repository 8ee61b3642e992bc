import type { TableOutline } from "#sources";
import {
  activeWords,
  changedWords,
  keyWords,
  longTextWords,
  parts,
  secondNameWords,
  tableWords,
  type PartWords,
  type StreamKind,
} from "./words.ts";

/** Column names by part; `key` and `changed` are parts too. */
export type ChosenColumns = Readonly<Record<string, readonly string[]>>;

/** The table that most likely holds the records of a stream; undefined where no name fits. */
export function proposeTable(kind: StreamKind, tables: readonly string[]): string | undefined {
  return best(tables, tableWords[kind], plainTable);
}

/** The name without schema; that of a kind of file without its ending and the place of its date: `customers_*.csv`. */
function plainTable(table: string): string {
  if (table.includes("*") || /\.(csv|txt|tsv|json|ndjson|jsonl|xml)$/i.test(table))
    return table.replace(/\.\w+$/, "").replaceAll("*", "");
  return table.slice(table.lastIndexOf(".") + 1);
}

/**
 * The columns that most likely hold the parts of a stream, by name and type. Parts without a likely column are left out.
 * `parents`: the keys of the streams chosen before, because a child's column often has the same name.
 */
export function proposeColumns(
  kind: StreamKind,
  { columns, key, read }: TableOutline,
  parents: Readonly<Partial<Record<string, readonly string[]>>>,
): ChosenColumns {
  const usable = columns.filter(({ kind }) => kind !== "binary" && kind !== "version").map(({ name }) => name);
  const keys = key.length > 0 ? key : proposed(usable, [...ownKeyWords(kind), ...keyWords]);
  const version = columns.find(({ kind }) => kind === "version")?.name;
  const stamps = columns.filter(({ kind }) => ["stamp", "text", "number"].includes(kind)).map(({ name }) => name);
  const changed = read ? [] : version === undefined ? proposed(stamps, changedWords) : [version];
  const chosen = Object.fromEntries(
    parts[kind].map((part) => {
      const parent = part.parent && parents[part.parent];
      if (parent && parent.every((name) => usable.includes(name) && !keyWords.includes(name.toLowerCase())))
        return [part.part, parent];
      return [part.part, part.parent && parent?.length !== 1 ? [] : columnsOf(part, usable, keys)];
    }),
  );
  const [first, last] = [chosen["firstName"] ?? [], chosen["lastName"] ?? []];
  // A table of persons often splits their names into two columns.
  const isSplit = kind === "contacts" && last.length > 0 && (chosen["name"]?.[0] ?? last[0]) === last[0];
  const isNameless = kind === "contacts" && chosen["name"]?.length === 0;
  if (isSplit || isNameless) chosen["name"] = [...first, ...last];
  else if (kind !== "contacts") chosen["name"] = withMore(chosen["name"], usable, secondNames);
  if (kind === "tickets") chosen["description"] = withMore(chosen["description"], usable, () => longTextWords);
  return withoutEmpty({ key: keys, changed, ...chosen });
}

/** A second line of a name: `name2` beside `name1` or `name`. */
function secondNames(first: string): readonly string[] {
  const stem = first.replace(/_?1$/, "");
  return [`${stem}2`, `${stem}_2`, ...secondNameWords];
}

/** The chosen column, and another one whose text belongs behind it. */
function withMore(
  chosen: readonly string[] | undefined,
  names: readonly string[],
  words: (first: string) => readonly string[],
): readonly string[] {
  const [first] = chosen ?? [];
  if (first === undefined) return [];
  const [more] = proposed(
    names.filter((name) => name !== first),
    words(first).map((word) => word.toLowerCase()),
  );
  return more === undefined ? [first] : [first, more];
}

function ownKeyWords(kind: StreamKind): readonly string[] {
  return parts[kind].find(({ part }) => part === "number")?.words ?? [];
}

function columnsOf(
  { words, isKeyElse }: PartWords,
  names: readonly string[],
  key: readonly string[],
): readonly string[] {
  const found = proposed(names, words);
  return found.length === 0 && isKeyElse ? key.slice(0, 1) : found;
}

function proposed(names: readonly string[], words: readonly string[]): readonly string[] {
  const found = best(names, words, (name) => name);
  return found === undefined ? [] : [found];
}

/** Whether a column marks rows that are used, not those that are deleted. */
export function isActiveMark(column: string): boolean {
  return proposed([column], activeWords).length > 0;
}

/** The name that equals the earliest word; else the one that equals it without its prefix (`kd_name`). */
function best(names: readonly string[], words: readonly string[], plain: (name: string) => string): string | undefined {
  const wanted = words.map((word) => word.replaceAll("_", ""));
  const ranked = names.flatMap((name) => {
    const tokens = tokensOf(plain(name));
    const whole = wanted.indexOf(tokens.join(""));
    const unprefixed = tokens.length > 1 ? wanted.indexOf(tokens.slice(1).join("")) : -1;
    if (whole >= 0) return [{ name, rank: whole }];
    return unprefixed >= 0 ? [{ name, rank: wanted.length + unprefixed }] : [];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.name;
}

/** `KundenNr`, `kunden_nr` and `Kunden-Nr.` are the same two words. Umlauts are spelled out, other accents removed. */
function tokensOf(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1_$2")
    .toLowerCase()
    .replaceAll("ä", "ae")
    .replaceAll("ö", "oe")
    .replaceAll("ü", "ue")
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .split(/[^\p{L}\d]+/u)
    .filter((token) => token !== "");
}

function withoutEmpty(chosen: ChosenColumns): ChosenColumns {
  return Object.fromEntries(Object.entries(chosen).filter(([, columns]) => columns.length > 0));
}
