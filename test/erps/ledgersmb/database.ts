import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const PLAIN = ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--output=/dev/null"];

/** Builds a company's database from the SQL of the package, as LedgerSMB's own setup does (`LedgerSMB::Database`). */
export async function buildDatabase(url: string, share: string, chart: string): Promise<void> {
  const load = (files: readonly string[], ...options: string[]) =>
    run("psql", [...PLAIN, ...options, ...files.map((file) => `--file=sql/${file}`), url], {
      cwd: share,
      maxBuffer: 64 * 1024 * 1024,
    });
  await load(["Pg-database.sql"]);
  for (const { file, mayFail } of await order(join(share, "sql/changes/LOADORDER")))
    await load([`changes/${file}`], "--single-transaction").catch((thrown: unknown) => {
      if (!mayFail) throw thrown;
    });
  const modules = await order(join(share, "sql/modules/LOADORDER"));
  await load([...modules.map(({ file }) => `modules/${file}`), `coa/${chart}`]);
}

/** One file a line; `!` stands before changes that may fail because they are in the base already, `#` before comments. */
async function order(path: string): Promise<{ file: string; mayFail: boolean }[]> {
  const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.replace(/#.*/, "").trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => ({ file: line.replace(/^!/, ""), mayFail: line.startsWith("!") }));
}
