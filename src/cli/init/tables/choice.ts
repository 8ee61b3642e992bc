import { nearest } from "#model";
import type { TableOutline } from "#sources";
import { proposeColumns, type ChosenColumns } from "./propose.ts";
import type { StreamChoice } from "./streams-text.ts";
import { parts, type StreamKind } from "./words.ts";

/** The streams in the order in which they are chosen: parents before their children. */
export const streamKinds: readonly StreamKind[] = ["customers", "contacts", "sites", "tickets", "orders"];

/** The keys of the streams chosen so far. */
export type ParentKeys = Readonly<Partial<Record<string, readonly string[]>>>;

export function parentKeys(choices: readonly StreamChoice[]): ParentKeys {
  return Object.fromEntries(choices.map(({ kind, columns }) => [kind, columns["key"] ?? []]));
}

/** The parts that a stream of a table can have, without those that refer to a stream which was not chosen. */
export function partNames(
  kind: StreamKind,
  parents: ParentKeys,
  { read }: Pick<TableOutline, "read">,
): readonly string[] {
  const own = parts[kind].filter(({ parent }) => parent === undefined || parents[parent] !== undefined);
  // Files are read as they come.
  return ["key", ...(read ? [] : ["changed"]), ...own.map(({ part }) => part)];
}

/** The proposed choice for a table. */
export function proposal(kind: StreamKind, table: string, outline: TableOutline, parents: ParentKeys): StreamChoice {
  return { kind, table, outline, columns: proposeColumns(kind, outline, parents) };
}

/**
 * The choice with one part set to `columns`, separated by commas; an empty text removes the part. A sentence where that
 * is impossible.
 */
export function withPart(
  choice: StreamChoice,
  part: string,
  columns: string,
  parents: ParentKeys,
): StreamChoice | string {
  const wanted = partNames(choice.kind, parents, choice.outline);
  if (!wanted.includes(part)) return `found the part ${part}, expected one of ${wanted.join(", ")}`;
  const names = choice.outline.columns.map(({ name }) => name);
  const given = columns.split(",").map((column) => column.trim());
  const chosen = given.filter((column) => column !== "");
  const unknown = chosen.find((column) => !names.includes(column));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names) ?? names.find((name) => name.toLowerCase() === unknown.toLowerCase());
    const hint = meant === undefined ? `it has ${names.join(", ")}` : `did you mean ${meant}?`;
    return `${choice.table} has no column ${unknown}; ${hint}`;
  }
  const others: ChosenColumns = Object.fromEntries(Object.entries(choice.columns).filter(([name]) => name !== part));
  return { ...choice, columns: chosen.length === 0 ? others : { ...others, [part]: chosen } };
}

/** Why the choice cannot be written yet; undefined if it can. */
export function incomplete({ kind, columns }: StreamChoice, parents: ParentKeys): string | undefined {
  const required = ["key", ...parts[kind].filter(({ isRequired }) => isRequired).map(({ part }) => part)];
  const missing = required.filter((part) => columns[part] === undefined);
  if (missing.length > 0) return `still missing: ${missing.join(", ")}`;
  const several = ["changed", "number"].find((part) => (columns[part] ?? []).length > 1);
  if (several !== undefined) return `found several columns for ${several}, expected one`;
  for (const { part, parent } of parts[kind]) {
    const [own, wanted] = [columns[part], parent && parents[parent]];
    if (own && wanted && own.length !== wanted.length)
      return `${part}: expected as many columns as the key of ${parent} has (${wanted.join(", ")}), found ${own.join(", ")}`;
  }
  return undefined;
}
