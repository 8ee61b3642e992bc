import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "#model";
import { keyColumns, tables, text } from "./erp-rows.ts";
import { ownName, plainParents, type Serve } from "./served.ts";

/** One CSV file for each table as a Windows program exports it: a byte order mark, semicolons, day before month. */
export const serveFiles: Serve = async ({ of }) => {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-same-drop-"));
  for (const table of tables) {
    const rows = of[table];
    const names = Object.keys(rows[0]!);
    const lines = [names.join(";"), ...rows.map((row) => names.map((name) => cell(row, name)).join(";"))];
    await writeFile(join(folder, `${table}_20260302.csv`), `\uFEFF${lines.join("\r\n")}\r\n`);
  }
  return {
    source: `{ adapter: files, folder: "${folder}" }`,
    read: (table) =>
      `{ files: ${table}_*.csv, kind: full, format: csv, key: [${keyColumns[table].join(", ")}], ready: atOnce, ` +
      `dates: { due_date: DD.MM.YYYY } }`,
    column: ownName,
    ...plainParents(ownName),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
};

function cell(row: JsonObject, name: string): string {
  const value = text(row, name);
  if (name === "due_date") return value.replace(/^(\d{4})-(\d\d)-(\d\d)$/, "$3.$2.$1");
  return /[";\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
