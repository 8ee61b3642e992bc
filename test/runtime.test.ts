import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram } from "./setup/built-program.ts";

const run = promisify(execFile);

/** The program's first file, alone in a folder: whatever it imports is missing, and says so. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-runtime-"));
  await copyFile(builtProgram, join(folder, "main.js"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts the program on a Node that calls itself `version`. */
async function startOn(version: string): Promise<{ code: number; stderr: string }> {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return run(process.execPath, ["--import", preload, join(folder, "main.js"), "status"]).then(
    () => ({ code: 0, stderr: "" }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

describe("the program's first step", () => {
  it.each(["18.20.8", "20.20.2", "21.7.3", "22.14.0", "23.11.1"])(
    "ends on Node.js %s with one sentence, before anything is imported",
    async (version) => {
      const { code, stderr } = await startOn(version);

      expect(stderr).toBe(
        `svcsync needs Node.js 24, or 22.15 and newer of 22, and this is ${version}: install Node.js 24, or use "npx svcsync" in a checkout, where "npm ci" installs one.\n`,
      );
      expect(code).toBe(78);
    },
  );

  it.each(["22.15.0", "24.0.0", "24.21.0", "26.1.0"])("goes on to its rooms on Node.js %s", async (version) => {
    expect((await startOn(version)).stderr).toContain("ERR_");
  });

  it("asks for what package.json asks for", async () => {
    const { engines } = (await import("../package.json", { with: { type: "json" } })).default;
    expect(engines.node).toBe("^22.15 || >=24");
  });

  it("is run by test:node22 on the oldest release that is supported", async () => {
    const script = await readFile(join(import.meta.dirname, "node22.sh"), "utf8");
    expect(script).toContain("\nversion=22.15.0\n");
  });
});
