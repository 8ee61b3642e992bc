/**
 * Builds the program into dist, or into the folder that is given, on every system that has Node.js: `npm run build`. The modules are put
 * together into some hundred files, so that a command loads what it runs and little else. `npm run typecheck` checks the types.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = import.meta.dirname;
const folder = resolve(process.argv[2] ?? join(root, "dist"));
const presets = "cli/init/presets";

// What runs in a thread or a process of its own is started by the name of its file: see src/model/program-files.ts.
const started = readdirSync(join(root, "src"), { recursive: true }).filter((file) => file.endsWith("-main.ts"));
const bundle = await rolldown({
  cwd: root,
  input: {
    main: join(root, "src/main.ts"),
    ...Object.fromEntries(started.map((file) => [`lib/${basename(file, ".ts")}`, join(root, "src", file)])),
  },
  platform: "node",
  // Packages stay packages: they are updated, listed and scanned as such. The exception is the helper that rolldown needs to translate
  // `using` for Node.js 22.
  external: (id) => !(/^[.#]|^@oxc-project.runtime/.test(id) || isAbsolute(id)),
  // No file of src does anything by being imported.
  treeshake: { moduleSideEffects: false },
  transform: { target: "node22" },
});
const { output } = await bundle.write({ dir: folder, format: "esm", sourcemap: true, chunkFileNames: "lib/[name].js" });
await bundle.close();
cpSync(join(root, "src", presets), join(folder, presets), { recursive: true });
// Windows has no such bit, and ignores it.
chmodSync(join(folder, "main.js"), 0o755);
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", commit: commit() }));
// What the help of all commands shows, so that it loads none of them.
writeFileSync(join(folder, "commands.json"), execFileSync(process.execPath, [join(folder, "lib/outlines-main.js")]));

// Files of an earlier build are deleted last, so that a program that runs from this folder can still load them meanwhile.
const built = new Set(["package.json", "commands.json", ...output.map(({ fileName }) => join(fileName))]);
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const file = relative(folder, join(entry.parentPath, entry.name));
  if (entry.isFile() && !built.has(file) && !file.startsWith(join(presets))) rmSync(join(folder, file));
}

/** The commit that is built; undefined without git. */
function commit() {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return process.env.SVCSYNC_COMMIT || stdout?.trim();
}
