import type { Sources } from "#daemon";
import type { Stream } from "#mapping";
import type { Finding } from "#model";
import type { TableOutline } from "#sources";
import { viewNamed, type ViewColumnKind, type ViewColumn } from "../views/contract.ts";

type OutlineKind = TableOutline["columns"][number]["kind"];

/** What the catalogue of a database may say of a column. Text may hold stamps too; the check of the stream reads them. */
const accepted: Readonly<Record<ViewColumnKind, readonly OutlineKind[]>> = {
  code: ["text"],
  text: ["text"],
  flag: ["number"],
  stamp: ["stamp", "text"],
  moment: ["stamp", "text"],
};

const wanted: Readonly<Record<ViewColumnKind, string>> = {
  code: "text",
  text: "text",
  flag: "the number 0 or 1",
  stamp: "a date with a time",
  moment: "a date with a time",
};

/** Compares the views that the stream reads with their contract. Finds nothing in a stream that reads other tables. */
export async function checkView(
  { name, source, read }: Pick<Stream, "name" | "source" | "read">,
  sources: Pick<Sources, "sources">,
  signal: AbortSignal,
): Promise<Finding[]> {
  const table = tableOf(read);
  const view = table === undefined ? undefined : viewNamed(table);
  const catalog = sources.sources.get(source)?.catalog;
  if (table === undefined || view === undefined || catalog === undefined) return [];
  const { columns } = await catalog.table(table, signal);
  // SQLite has no types for the columns of a view: each value has its own.
  const isTyped = columns.some(({ kind }) => kind !== "text");
  return view.columns.flatMap((column) => {
    const found = columns.find((each) => each.name.toLowerCase() === column.name);
    return difference(column, isTyped ? found?.kind : found && accepted[column.kind][0]).map((message): Finding => ({
      subject: `stream ${name}, view ${table}`,
      verdict: "problem",
      message,
      remedy: `Correct the view: "svcsync views" prints how it has to look.`,
    }));
  });
}

function difference({ name, kind, isFilled }: ViewColumn, found: OutlineKind | undefined): string[] {
  const filled = isFilled ? "" : "; it may be NULL in every row";
  if (found === undefined) return [`the column ${name} is missing, expected ${wanted[kind]}${filled}`];
  if (accepted[kind].includes(found)) return [];
  return [`the column ${name} holds ${said[found]}, expected ${wanted[kind]}`];
}

const said: Readonly<Record<OutlineKind, string>> = {
  text: "text",
  number: "numbers",
  stamp: "dates",
  version: "row versions",
  binary: "bytes",
  other: "values of another type, such as booleans",
};

function tableOf(read: unknown): string | undefined {
  return typeof read === "object" && read !== null && "table" in read && typeof read.table === "string"
    ? read.table
    : undefined;
}
