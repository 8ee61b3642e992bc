import { errorFacts } from "#model";
import type { Catalog, TableOutline } from "#sources";
import { incomplete, parentKeys, proposal, streamKinds, withPart, type ParentKeys } from "./choice.ts";
import type { StreamChoice } from "./streams-text.ts";
import type { StreamKind } from "./words.ts";

/** What `--set STREAM.PART=…` says, by stream and part; `table` is a part here. */
export type GivenTables = ReadonlyMap<StreamKind, ReadonlyMap<string, string>>;

/** Takes the lines about tables apart from those of the env file. */
export function tablesOf(settings: ReadonlyMap<string, string>): { tables: GivenTables; others: Map<string, string> } {
  const tables = new Map<StreamKind, Map<string, string>>();
  const others = new Map<string, string>();
  for (const [name, value] of settings) {
    const at = name.indexOf(".");
    const kind = streamKinds.find((one) => one === name.slice(0, Math.max(at, 0)));
    if (kind === undefined) others.set(name, value);
    else tables.set(kind, new Map([...(tables.get(kind) ?? []), [name.slice(at + 1), value]]));
  }
  return { tables, others };
}

/** The streams whose tables are given, the rest of them proposed; a sentence where that does not make whole streams. */
export async function givenStreams(
  tables: GivenTables,
  catalog: Catalog,
  signal: AbortSignal,
): Promise<readonly StreamChoice[] | string> {
  const choices: StreamChoice[] = [];
  for (const kind of streamKinds.filter((one) => tables.has(one))) {
    const parents = parentKeys(choices);
    const table = tables.get(kind)?.get("table");
    if (table === undefined) return `--set ${kind}.table is missing.`;
    if (kind !== "customers" && parents["customers"] === undefined)
      return `--set customers.table is missing: ${kind} belong to customers.`;
    const outline = await outlineOf(catalog, table, signal);
    if (typeof outline === "string") return `--set ${kind}.table: ${outline}`;
    const choice = given(proposal(kind, table, outline, parents), tables, parents);
    const problem = typeof choice === "string" ? choice : incomplete(choice, parents);
    if (typeof choice === "string" || problem !== undefined) return `--set ${kind}: ${problem}.`;
    choices.push(choice);
  }
  return choices;
}

/** The table's columns, or why there is no such table; every other failure is the source's. */
export async function outlineOf(catalog: Catalog, table: string, signal: AbortSignal): Promise<TableOutline | string> {
  try {
    return await catalog.table(table, signal);
  } catch (thrown) {
    const { code, message } = errorFacts(thrown);
    if (code !== "E_SOURCE_TABLE") throw thrown;
    return message;
  }
}

/** The proposal with the parts that are given; a sentence where one of them cannot be. */
export function given(proposed: StreamChoice, tables: GivenTables, parents: ParentKeys): StreamChoice | string {
  let choice = proposed;
  for (const [part, columns] of tables.get(proposed.kind) ?? []) {
    const next = part === "table" ? choice : withPart(choice, part, columns, parents);
    if (typeof next === "string") return next;
    choice = next;
  }
  return choice;
}
