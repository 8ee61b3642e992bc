import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keptName, PROMISES_FOLDER } from "./kept-table.ts";
import type { PromiseCells } from "./promise-table.ts";
import { promisesText } from "./promises-text.ts";

/** Runs the suite for every adapter and writes what was proven into the documentation. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "docs/source-promises.md");
const suites = [
  "test/conformance/source.test.ts",
  "test/sources/odata/conformance.test.ts",
  "test/sources/odoo/conformance.test.ts",
  "test/sources/rest/conformance.test.ts",
  "test/sources/files/conformance.test.ts",
];

const folder = await mkdtemp(join(tmpdir(), "svcsync-promises-"));
try {
  const vitest = spawn("npx", ["vitest", "run", ...suites], {
    cwd: root,
    env: { ...process.env, [PROMISES_FOLDER]: folder },
    stdio: "inherit",
  });
  const [code] = await once(vitest, "exit");
  const tables = await Promise.all(suites.map(tableOf));
  const day = new Date().toISOString().slice(0, 10);
  const cells: PromiseCells = Object.assign({}, ...tables);
  await writeFile(page, promisesText(cells, `${day}, Node ${process.versions.node}`));
  process.exitCode = Number(code);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tableOf(suite: string): Promise<PromiseCells> {
  const cells: PromiseCells = JSON.parse(await readFile(join(folder, keptName(suite)), "utf8"));
  return cells;
}
