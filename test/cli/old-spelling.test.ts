import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** The shipped sync file with this word among those of its first stream. */
function edit(word: string): Promise<void> {
  return scene.edit((text) => text.replace("read: { table: customers,", `$& ${word}: 100,`));
}

describe("a sync file with a word in its old spelling", () => {
  const place = "streams.customers.read.page_size";
  const advice = "this word is now pageSize; the old spelling still works";

  it("passes check, which lists the place as a warning", async () => {
    await edit("page_size");
    const { code, stdout } = await scene.run("check");
    expect(stdout).toMatch(new RegExp(`^warning  sync file: \\S+sync.yaml:\\d+:31 ${place}: ${advice}$`, "m"));
    expect(code).toBe(0);
  });

  it("is synced, and the log warns of it once", async () => {
    await scene.set({ LOG_LEVEL: "warn" });
    await edit("page_size");
    const { code, stderr } = await scene.run("sync");
    expect(code).toBe(0);
    const warnings = stderr.split("\n").filter((line) => line.includes("sync file has an old spelling"));
    expect(warnings.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ path: place, column: 31, advice }]);
  });

  it("needs nothing once the word is renamed", async () => {
    await edit("pageSize");
    expect((await scene.run("check")).stdout).not.toContain("spelling");
    expect((await scene.run("sync")).stderr).not.toContain("spelling");
  });
});
