/** Builds dist, on every system that has Node.js: `npm run build`. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = import.meta.dirname;
const dist = join(root, "dist");
const presets = "cli/init/presets";

const compiler = join(root, "node_modules/typescript/bin/tsc");
const { status, error } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (error !== undefined) throw error;
if (status !== 0) process.exit(status ?? 1);

cpSync(join(root, "src", presets), join(dist, presets), { recursive: true });
// Windows has no such bit, and ignores it.
chmodSync(join(dist, "main.js"), 0o755);
const manifest = { type: "module", imports: { "#*": "./*/index.js" }, commit: commit() };
writeFileSync(join(dist, "package.json"), JSON.stringify(manifest));

/** The commit that is built; undefined without git. */
function commit() {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  return process.env.SVCSYNC_COMMIT || stdout?.trim();
}
