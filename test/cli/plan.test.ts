import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import { openScene, type Scene } from "./scene.ts";

describe("svcsync plan", () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene();
    scene.erp.insertCustomer({ customer_no: "10003", name1: "a|secret|b" });
    await scene.run("sync");
    await scene.edit((text) => text.replace("name1 & ' ' & name2", "name1 & '|' & name2"));
  });

  afterAll(() => scene[Symbol.asyncDispose]());

  it("--markdown prints a summary for a pull request, with the exit code of a plan", async () => {
    const { code, stdout } = await scene.run("plan", "--markdown");
    expect(code).toBe(2);
    expect(stdout).toContain("## What svcsync would write");
    expect(stdout).toContain("<code>&#34;Muster AG&#34;</code> → <code>&#34;Muster&#124;AG&#34;</code>");
  });

  it("--markdown redacts a secret before its signs are spelled as Markdown", async () => {
    await scene.set({ SERVICE_TOKEN: "a|secret|b" });
    const { stdout } = await scene.run("plan", "--markdown");
    await scene.set({ SERVICE_TOKEN: DEFAULT_TOKEN });
    expect(stdout).not.toContain("secret");
  });

  it("--out writes the plan beside what it prints, never over a file and never through a link", async () => {
    const out = join(scene.folder, "plan.jsonl");
    const link = join(scene.folder, "link.jsonl");
    await symlink(join(scene.folder, "nowhere"), link);
    const { code, stdout } = await scene.run(
      "plan",
      "--out",
      out,
      "--markdown",
      "--csv",
      join(scene.folder, "list.csv"),
    );
    expect(code).toBe(2);
    expect(stdout).toContain("## What svcsync would write");
    const text = await readFile(out, "utf8");
    expect(text.split("\n")[0]).toContain('"svcsyncPlan":1');
    expect(text).toContain('"field":"name","before":"Muster AG","after":"Muster|AG"');
    for (const taken of [out, link])
      expect(await scene.run("plan", "--out", taken)).toMatchObject({
        code: 64,
        stderr: `--out: ${taken} already exists, and may be the work of a person. Choose another name. Nothing was written.\n`,
      });
    expect(await readFile(out, "utf8")).toBe(text);
  });

  it.each([
    ["--record", "customers/10001"],
    ["--confirm", "0123456789ab"],
  ])("--out does not go with %s", async (...more) => {
    const out = join(scene.folder, "other.jsonl");
    expect(await scene.run("plan", "--out", out, ...more)).toMatchObject({ code: 64, stdout: "" });
  });

  it("apply asks on a terminal only, and refuses what is no plan", async () => {
    expect(await scene.run("apply", "plan.jsonl")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("--yes"),
    });
    for (const file of [join(scene.folder, "missing.jsonl"), scene.folder, scene.envFile]) {
      const { code, stdout, stderr } = await scene.run("apply", file, "--yes");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("E_PLAN_FILE");
    }
  });

  it.each([["--record", "customers/10001"], ["--confirm", "0123456789ab"], ["--json"]])(
    "--markdown does not go with %s",
    async (...more) => {
      expect(await scene.run("plan", "--markdown", ...more)).toMatchObject({ code: 64, stdout: "" });
    },
  );
});
