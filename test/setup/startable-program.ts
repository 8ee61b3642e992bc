import { execFile } from "node:child_process";
import { mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { builtProgram } from "./built-program.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
/** The right of everybody to enter a folder. */
const OTHERS_ENTER = 0o001;

/** The program that tests start, and the Node.js that runs it. */
export interface StartableProgram {
  readonly program: string;
  readonly node: string;
}

/** Those of this checkout or, where it lies in a folder that only its owner may enter, copies of them in `folder`. */
export async function startableByAll(folder: string): Promise<StartableProgram> {
  const node = process.execPath;
  if ((await canAllEnter(dirname(builtProgram))) && (await canAllEnter(dirname(node))))
    return { program: builtProgram, node };
  const parts = [relative(root, dirname(builtProgram)), "package.json", ...(await packages())];
  await mkdir(folder, { recursive: true });
  await run("cp", ["-a", "--parents", ...parts, folder], { cwd: root });
  await run("cp", ["-a", node, join(folder, "node")]);
  await run("chmod", ["-R", "a+rX", folder]);
  return { program: join(folder, relative(root, builtProgram)), node: join(folder, "node") };
}

async function canAllEnter(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & OTHERS_ENTER) === 0) return false;
  return dirname(folder) === folder || canAllEnter(dirname(folder));
}

/** The folders of the packages that the program uses, without those of the tests and without Node.js. */
async function packages(): Promise<string[]> {
  const text = await readFile(join(root, "node_modules/.package-lock.json"), "utf8");
  const lock: { packages: Record<string, { dev?: boolean; devOptional?: boolean }> } = JSON.parse(text);
  return Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => !dev && !devOptional && path.lastIndexOf("node_modules/") === 0)
    .map(([path]) => path)
    .filter((path) => !path.startsWith("node_modules/node-"));
}
