import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScene, runCaptured, type Scene } from "./scene.ts";

const steps = [
  ...(await readFile("docs/assistants.md", "utf8")).matchAll(/^```(yaml|diff|console)\n(.*?)^```\n/gms),
].map(([, kind, body = ""]) => ({ kind, body }));

const files = ["config/svcsync.yaml", "config/svcsync.test.yaml"] as const;

let scene: Scene;
const home = process.cwd();
beforeAll(async () => {
  scene = await openScene();
  await mkdir(join(scene.folder, "config"));
  process.chdir(scene.folder);
});
afterAll(async () => {
  process.chdir(home);
  await scene[Symbol.asyncDispose]();
});

describe("the example of docs/assistants.md", () => {
  it("shows what the commands print, and how they end", async () => {
    let isInstalled = false;
    for (const { kind, body } of steps) {
      if (kind === "yaml") await writeFile(body.includes("\ncases:") ? files[1] : files[0], body);
      if (kind === "diff") await edit(body);
      if (kind !== "console") continue;
      const shown = commandsIn(body);
      expect({ body, shown }).not.toEqual({ body, shown: [] });
      for (const { argv, file, output } of shown) {
        if (argv[0] === "plan" && !isInstalled) {
          isInstalled = true;
          await install();
        }
        const { code, stdout, stderr } = await runCaptured(argv);
        if (file !== undefined) await writeFile(file, stdout);
        const found = steady(`${file === undefined ? stdout : ""}${stderr}${code}\n`);
        expect({ argv, output: found }).toEqual({ argv, output: steady(output) });
      }
    }
    expect(isInstalled).toBe(true);
    // What the page promises in the end.
    const names = scene.sandbox.records("customer").map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(["MUSTER AG", "ÜBERSEE"]));
  });
});

/** The commands of a block, each with what is shown below it: its output, then its exit code. */
function commandsIn(body: string) {
  return [...body.matchAll(/^\$ svcsync (.*?)(?: > (\S+))?; echo \$\?\n((?:(?!\$ ).*\n)*)/gm)].map(
    ([, words = "", file, output = ""]) => ({ argv: words.split(" "), file, output }),
  );
}

/** Replaces the lines with a minus by those with a plus, in the file that has them. */
async function edit(body: string): Promise<void> {
  const lines = (sign: string) =>
    body
      .split("\n")
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1))
      .join("\n");
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (!text.includes(lines("-"))) continue;
    return writeFile(
      file,
      text.replace(lines("-"), () => lines("+")),
    );
  }
  throw new Error(`No file has these lines:\n${body}`);
}

/** The installation that the page speaks of: the scene's settings for the page's sync file, and one round. */
async function install(): Promise<void> {
  await scene.set({ SYNC_FILE: undefined });
  await writeFile(".env", await readFile(scene.envFile, "utf8"));
  expect((await runCaptured(["sync"])).code).toBe(0);
}

/** Without what differs from run to run. */
const steady = (text: string) =>
  text.replace(/(?<="durationMs":)[\d.]+|(?<="serviceId":)\d+|\d+(?= in the service\))/g, "0");
