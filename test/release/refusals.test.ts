import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalsOf, type ReleaseFacts } from "../../deploy/release/refusals.ts";
import { release, ReleaseRefused } from "../../deploy/release/release.ts";

const ready: ReleaseFacts = {
  version: "1.2.3",
  lockedVersion: "1.2.3",
  changelog: "# Changelog\n\n## 1.2.3 (2026-11-27)\n\n### What you must do\n\nNothing.\n\n## 1.2.2 (2026-10-01)\n",
  changedFiles: "",
  inFolder: [],
  tags: ["v1.2.2"],
  isDryRun: false,
};

describe("a release", () => {
  it("is built of a clean tree with a dated changelog and a new version", () => {
    expect(refusalsOf(ready)).toEqual([]);
  });

  it.each<[string, Partial<ReleaseFacts>, string]>([
    ["a changed file", { changedFiles: " M src/main.ts\n?? notes.txt\n" }, "2 uncommitted files (src/main.ts, …)"],
    ["another version in the lock file", { lockedVersion: "1.2.2" }, "package-lock.json 1.2.2"],
    [
      "a changelog without a date",
      { changelog: "# Changelog\n\n## Unreleased\n" },
      'is "Unreleased", expected "1.2.3 (YYYY-MM-DD)"',
    ],
    [
      "a changelog of another version",
      { changelog: "## 1.2.2 (2026-10-01)\n" },
      "is for 1.2.2, package.json has 1.2.3",
    ],
    ["a date that does not exist", { changelog: "## 1.2.3 (2026-13-01)\n" }, "has the date 2026-13-01"],
    ["nothing that users must do", { changelog: "## 1.2.3 (2026-11-27)\n\n### Safety\n" }, 'no "What you must do"'],
    ["a folder that holds something", { inFolder: ["photo.jpg", "b"] }, "already holds photo.jpg and 1 more"],
    ["a tag that exists", { tags: ["v1.2.3"] }, "the tag v1.2.3 exists"],
  ])("is refused for %s", (_, changed, sentence) => {
    expect(refusalsOf({ ...ready, ...changed })).toEqual([expect.stringContaining(sentence)]);
  });

  it("is tried without a tag, also of a version that has one", () => {
    expect(refusalsOf({ ...ready, tags: ["v1.2.3"], isDryRun: true })).toEqual([]);
  });
});

describe("the release program", () => {
  it("leaves a folder that holds something as it was", async () => {
    using it = repository();
    const out = join(it.folder, "out");
    mkdirSync(out);
    writeFileSync(join(out, "photo.jpg"), "mine");

    expect(String(await it.attempt(out))).toContain("already holds photo.jpg");
    expect(readdirSync(out)).toEqual(["photo.jpg"]);
  });

  it("writes no folder and sets no tag when a step fails, and says what the step said", async () => {
    using it = repository();
    const thrown = await it.attempt(join(it.folder, "out"));

    expect(thrown).toBeInstanceOf(ReleaseRefused);
    expect(String(thrown)).toContain("build failed: this build failed No release was written.");
    expect(readdirSync(it.folder)).toEqual(["tree"]);
    expect(it.git("tag")).toBe("");
  });
});

/** A repository that is ready, in a folder of its own. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), "svcsync-repository-"));
  const root = join(folder, "tree");
  mkdirSync(root);
  const git = (...words: string[]) => execFileSync("git", words, { cwd: root, stdio: "pipe", encoding: "utf8" });
  const manifest = { name: "svcsync", version: "1.2.3", scripts: { build: "echo this build failed >&2; exit 1" } };
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ version: "1.2.3" }));
  writeFileSync(join(root, "CHANGELOG.md"), ready.changelog);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "--quiet", "--message", "all: begin");
  const attempt = (out: string) =>
    release({
      root,
      out,
      isDryRun: false,
      cosignKey: undefined,
      repository: undefined,
      builder: undefined,
      schemaUrl: undefined,
      imageBase: undefined,
      engine: undefined,
      isImageRequired: false,
      say: () => undefined,
    }).catch((thrown: unknown) => thrown);
  return { folder, root, git, attempt, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
