import { errorFacts } from "#model";
import type { Catalog, TableOutline } from "#sources";
import { incomplete, parentKeys, proposal, streamKinds, withPart, type ParentKeys } from "./choice.ts";
import type { StreamChoice } from "./streams-text.ts";
import type { StreamKind } from "./words.ts";

/** The values of `--set STREAM.PART=…`, by stream and part; `table` counts as a part here. */
export type GivenTables = ReadonlyMap<StreamKind, ReadonlyMap<string, string>>;

/** Separates the settings for tables from those for the env file. */
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

/** The streams whose tables are given, with the rest proposed; a sentence when that does not make complete streams. */
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

/** The table's columns, or a sentence if it does not exist. Any other failure is thrown by the source. */
export async function outlineOf(catalog: Catalog, table: string, signal: AbortSignal): Promise<TableOutline | string> {
  try {
    return await catalog.table(table, signal);
  } catch (thrown) {
    const { code, message } = errorFacts(thrown);
    if (code !== "E_SOURCE_TABLE") throw thrown;
    return message;
  }
}

/** The proposal with the given parts; a sentence when one of them is impossible. */
export function given(proposed: StreamChoice, tables: GivenTables, parents: ParentKeys): StreamChoice | string {
  let choice = proposed;
  for (const [part, columns] of tables.get(proposed.kind) ?? []) {
    const next = part === "table" ? choice : withPart(choice, part, columns, parents);
    if (typeof next === "string") return next;
    choice = next;
  }
  return choice;
}
