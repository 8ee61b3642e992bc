import Table from "cli-table3";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** `npm run coverage`: how much of each module of src the tests without servers reach. Arguments go to vitest. */

interface Share {
  readonly total: number;
  readonly covered: number;
}

interface FileSummary {
  readonly lines: Share;
  readonly branches: Share;
  readonly functions: Share;
}

const root = join(import.meta.dirname, "../..");
const kinds = ["lines", "branches", "functions"] as const;

const args = process.argv.slice(2);
const selection = args.length > 0 ? args : ["--project", "unit"];
const vitest = spawn("vitest", ["run", "--coverage", ...selection], { stdio: "inherit", cwd: root });
const [code] = await once(vitest, "exit");
const summary: Record<string, FileSummary> = JSON.parse(
  await readFile(join(root, ".coverage/coverage-summary.json"), "utf8"),
);
const files = Object.entries(summary).filter(([file]) => file !== "total");
const modules = Map.groupBy(files, ([file]) => moduleOf(file));
const table = new Table({
  head: ["module", "files", ...kinds.map((kind) => `${kind} %`)],
  colAligns: ["left", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true },
});
for (const [name, entries] of [...modules].toSorted(([a], [b]) => a.localeCompare(b))) table.push(row(name, entries));
table.push(row("all", files));
process.stdout.write(`${table.toString()}\n`);
process.exitCode = typeof code === "number" ? code : 1;

/** The folder below src, or the file where there is none. */
function moduleOf(file: string): string {
  return relative(join(root, "src"), file).split(sep)[0] ?? "";
}

function row(name: string, entries: readonly [string, FileSummary][]): string[] {
  return [name, String(entries.length), ...kinds.map((kind) => percent(entries.map(([, file]) => file[kind])))];
}

function percent(shares: readonly Share[]): string {
  const sum = (of: keyof Share) => shares.reduce((total, share) => total + share[of], 0);
  return sum("total") === 0 ? "–" : ((100 * sum("covered")) / sum("total")).toFixed(1);
}
