import { basename } from "node:path";

/** The build puts the modules into dist/lib, so a module cannot find files by its place in src. The paths below work in src and in dist. */
const isSource = import.meta.url.endsWith(".ts");

/** A file that is read while the program runs. The path begins at the folder of main.js; `../` leads to the root of the package. */
export const programFile = (path: string): URL => new URL(`../${path}`, import.meta.url);

/** The file of a module that runs in a thread or a process of its own: its path in src, without its ending. The name ends in `-main`. */
export const threadFile = (module: `${string}-main`): URL =>
  isSource ? programFile(`${module}.ts`) : new URL(`./${basename(module)}.js`, import.meta.url);

/** The options of Node.js with which a thread runs such a file. */
export const threadOptions: readonly string[] = isSource ? ["--experimental-strip-types"] : [];
