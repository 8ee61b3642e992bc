import type { Catalog } from "#sources";
import type { Interview } from "../interview.ts";
import {
  incomplete,
  parentKeys,
  partNames,
  proposal,
  streamKinds,
  withPart,
  type ParentKeys,
} from "./tables/choice.ts";
import { given, outlineOf, type GivenTables } from "./tables/given-tables.ts";
import { proposeTable } from "./tables/propose.ts";
import type { StreamChoice } from "./tables/streams-text.ts";
import type { StreamKind } from "./tables/words.ts";

/** Tables shown at once; part of a name finds the others. */
const TABLES_SHOWN = 40;
const NONE = "-";

/**
 * Asks which table and columns each stream is read from. Undefined when the questions are not answered to the end; a
 * sentence when a given table does not exist.
 */
export async function askTables(
  interview: Interview,
  catalog: Catalog,
  preset: GivenTables,
  signal: AbortSignal,
): Promise<readonly StreamChoice[] | string | undefined> {
  const tables = await catalog.tables(signal);
  const isOfFiles = catalog.of === "files";
  const [one, several] = isOfFiles ? ["one kind of file", "kinds of files"] : ["one table or view", "tables and views"];
  const count = tables.length === 1 ? one : `${tables.length} ${several}`;
  interview.say(`\nThe ${isOfFiles ? "folder" : "database"} has ${count}${listed(tables)}`);
  const choices: StreamChoice[] = [];
  for (const kind of streamKinds) {
    const parents = parentKeys(choices);
    // All other streams refer to customers.
    if (kind !== "customers" && parents["customers"] === undefined) break;
    const table = preset.get(kind)?.get("table") ?? (await askTable(interview, kind, tables, isOfFiles));
    if (table === undefined) return undefined;
    if (table === NONE) continue;
    const outline = await outlineOf(catalog, table, signal);
    if (typeof outline === "string") return `--set ${kind}.table: ${outline}`;
    const proposed = proposal(kind, table, outline, parents);
    const wanted = given(proposed, preset, parents);
    if (typeof wanted === "string") interview.say(`  ${wanted}`);
    const choice = await askColumns(interview, typeof wanted === "string" ? proposed : wanted, parents);
    if (choice === undefined) return undefined;
    if (choice !== NONE) choices.push(choice);
  }
  return choices;
}

function listed(tables: readonly string[]): string {
  const likely = streamKinds.flatMap((kind) => proposeTable(kind, tables) ?? []);
  const shown = [...new Set([...likely, ...tables])].slice(0, TABLES_SHOWN);
  const more = tables.length > shown.length ? "\n  … (type a part of a name to find others)" : "";
  return `:\n${shown.map((name) => `  ${name}`).join("\n")}${more}\n`;
}

async function askTable(
  interview: Interview,
  kind: StreamKind,
  tables: readonly string[],
  isOfFiles: boolean,
): Promise<string | undefined> {
  return await interview.ask({
    text: `${isOfFiles ? "Files" : "Table"} of ${kind} (${NONE} for none)`,
    fallback: proposeTable(kind, tables) ?? NONE,
    objection(answer) {
      if (answer === NONE || tables.includes(answer)) return undefined;
      const found = tables.filter((name) => name.toLowerCase().includes(answer.toLowerCase()));
      const some = found.slice(0, TABLES_SHOWN).join(", ");
      return found.length === 0 ? `no table has ${answer} in its name` : `tables with ${answer} in their name: ${some}`;
    },
  });
}

/** Shows the proposed columns and applies changes until the person accepts them. */
async function askColumns(
  interview: Interview,
  proposed: StreamChoice,
  parents: ParentKeys,
): Promise<StreamChoice | typeof NONE | undefined> {
  const { kind, table, outline } = proposed;
  interview.say(`\nColumns of ${table}: ${outline.columns.map(({ name }) => name).join(", ")}\n`);
  for (let choice = proposed; ;) {
    interview.say(shownParts(choice, parents));
    const text = `Enter takes these for ${kind}; PART=COLUMN changes one, PART= clears it, ${NONE} leaves ${kind} out`;
    const objection = (typed: string) => {
      if (typed === NONE) return undefined;
      if (typed === "") return incomplete(choice, parents);
      const changed = changedBy(choice, typed, parents);
      return typeof changed === "string" ? changed : undefined;
    };
    const answer = await interview.ask({ text, objection });
    if (answer === undefined || answer === NONE) return answer;
    if (answer === "") return choice;
    const changed = changedBy(choice, answer, parents);
    if (typeof changed !== "string") choice = changed;
  }
}

function changedBy(choice: StreamChoice, typed: string, parents: ParentKeys): StreamChoice | string {
  const at = typed.indexOf("=");
  if (at < 1) return "expected PART=COLUMN, or PART=COLUMN, COLUMN for several that belong together";
  return withPart(choice, typed.slice(0, at).trim(), typed.slice(at + 1), parents);
}

function shownParts({ kind, columns, outline }: StreamChoice, parents: ParentKeys): string {
  const lines = partNames(kind, parents, outline).map(
    (part) => `  ${part.padEnd(12)} ${columns[part]?.join(", ") ?? NONE}`,
  );
  return lines.join("\n");
}
