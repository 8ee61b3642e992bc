import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const folder = join(root, ".test-build");
const stamp = join(folder, "package.json");

/** The first file of the program that tests start: built as dist is, but in a folder where nothing else runs. */
export const builtProgram = join(folder, "main.js");

/** The options of Node in its first line. */
export const programOptions = (): string[] =>
  readFileSync(join(root, "src/main.ts"), "utf8")
    .split("\n", 1)[0]!
    .match(/--\w\S*/g) ?? [];

/** Builds it, where the sources are newer. */
export async function buildProgram(): Promise<void> {
  if ((await newest(join(root, "src"))) < (await changedAt(stamp))) return;
  await run(process.execPath, [join(root, "build.mjs"), folder]);
}

async function newest(of: string): Promise<number> {
  const files = await readdir(of, { recursive: true });
  return Math.max(...(await Promise.all(files.map((file) => changedAt(join(of, file))))));
}

/** 0 for a file that is not there. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
