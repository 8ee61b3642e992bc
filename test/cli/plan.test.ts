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

  it.each([["--record", "customers/10001"], ["--confirm", "0123456789ab"], ["--json"]])(
    "--markdown does not go with %s",
    async (...more) => {
      expect(await scene.run("plan", "--markdown", ...more)).toMatchObject({ code: 64, stdout: "" });
    },
  );
});
