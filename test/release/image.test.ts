import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { baseOf, workingEngine, type EngineWish } from "../../deploy/release/engine.ts";
import { linesOf, writeImages } from "../../deploy/release/image.ts";
import { root } from "../architecture/source-files.ts";

const own = `linux/${process.arch === "x64" ? "amd64" : process.arch}`;
const other = own === "linux/amd64" ? "linux/arm64" : "linux/amd64";
const wish: EngineWish = { base: "mirror.example/node:24", program: undefined, isForAll: true };

/** A folder that is all of the PATH, in which programs do what the test says. */
let folder: string;
let path: string | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svcsync-engines-"));
  mkdirSync(join(folder, "bin"));
  path = process.env["PATH"];
  process.env["PATH"] = join(folder, "bin");
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

/** What a program does for its first word; each call is written down. Anything else ends with 0. */
function program(name: string, does: Readonly<Record<string, string>> = {}): void {
  const cases = Object.entries(does).map(([words, act]) => `  "${words}"*) ${act} ;;\n`);
  const text = `#!/bin/sh\necho "${name} $*" >> ${folder}/calls\ncase "$*" in\n${cases.join("")}esac\n`;
  writeFileSync(join(folder, "bin", name), text, { mode: 0o755 });
}
const calls = () => readFileSync(join(folder, "calls"), "utf8").split("\n");
const fails = (text: string) => `echo "${text}" >&2; exit 125`;
const holdsBase = { "image inspect": `echo ${own}` };
const lacksOther = { [`pull --quiet --platform ${other}`]: fails("no such host") };
/** An engine that runs containers of this machine's platform, and saves an archive that the test has written. */
const podman = (does: Readonly<Record<string, string>> = {}) =>
  program("podman", { ...holdsBase, ...lacksOther, save: `/bin/cp ${folder}/archive.tar "$5"`, ...does });

describe("an engine for the image", () => {
  it("is none where none is installed", async () => {
    expect(await workingEngine(wish)).toBe("docker is not installed; podman is not installed");
  });

  it("is the one that runs containers, not the one that is only installed", async () => {
    program("docker", { info: fails("Cannot connect to the Docker daemon") });
    program("podman", { ...holdsBase, ...lacksOther });

    expect(await workingEngine(wish)).toEqual({
      program: "podman",
      base: wish.base,
      platforms: [own],
      refused: { [other]: `podman cannot get the base ${wish.base} for ${other} (no such host)` },
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      "lets none start",
      { ...holdsBase, run: fails("crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted".replaceAll("`", "'")) },
      `podman does not run ${own} containers with the limits of the smoke test (crun: setrlimit 'RLIMIT_NOFILE': Operation not permitted)`,
    ],
    [
      "does not get the base",
      { "image inspect": "exit 1", pull: fails("no such host") },
      `podman cannot get the base mirror.example/node:24 for ${own} (no such host)`,
    ],
    [
      "gives its containers no network",
      { ...holdsBase, [`run --rm --platform ${own} ${wish.base} npm ping`]: fails("EAI_AGAIN") },
      `podman does not let ${own} containers reach the npm registry (EAI_AGAIN)`,
    ],
  ])("is not the one that %s", async (_, does, sentence) => {
    program("podman", does);
    expect(await workingEngine(wish)).toBe(`docker is not installed; ${sentence}`);
  });

  it("is not one that hangs", async () => {
    program("podman", { info: "while :; do :; done" });
    expect(await workingEngine({ ...wish, program: "podman", patience: 0.01 })).toContain(
      "podman is installed, but answers nothing (no end within 0.3 s)",
    );
  });

  it("asks no registry for a base that is here", async () => {
    program("podman", { ...holdsBase, ...lacksOther });
    await workingEngine({ ...wish, isForAll: false });
    expect(calls().filter((call) => call.startsWith("podman pull"))).toEqual([]);
  });

  it("has both platforms where an emulator runs the other one", async () => {
    program("docker", holdsBase);
    expect(await workingEngine(wish)).toMatchObject({ program: "docker", platforms: [own, other] });
  });

  it("is asked for the base of the Dockerfile", () => {
    expect(baseOf(root)).toMatch(/^node:\d+\.\d+\.\d+-/);
  });
});

describe("the image of a release", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  let tree: string;
  let out: string;
  beforeEach(() => {
    tree = join(folder, "tree");
    out = join(folder, "out");
    mkdirSync(join(tree, "test"), { recursive: true });
    mkdirSync(out);
    smoke("exit 0");
    writeFileSync(join(folder, "index.json"), JSON.stringify({ manifests: [{ digest }] }));
    execFileSync("/bin/tar", ["-cf", join(folder, "archive.tar"), "-C", folder, "index.json"]);
    for (const name of ["tar", "sh"])
      writeFileSync(join(folder, "bin", name), `#!/bin/sh\nexec /bin/${name} "$@"\n`, { mode: 0o755 });
    program("git", { show: "echo 2026-11-27T10:00:00+00:00" });
  });
  const smoke = (text: string) =>
    writeFileSync(
      join(tree, "test/container.sh"),
      `#!/bin/sh\necho "smoke $IMAGE $CONTAINER_ENGINE" >> ${folder}/calls\n${text}\n`,
      { mode: 0o755 },
    );
  const write = () =>
    writeImages({ root: tree, folder: out, version: "1.2.3", commit: "0123abc", base: wish.base, program: "" });

  it("is an archive whose digest is written beside it, after it was tried", async () => {
    podman();
    const report = await write();
    const file = `svcsync-1.2.3-image-${own.slice(6)}.tar`;

    expect(report).toMatchObject({ base: wish.base, images: [{ platform: own, file, digest }] });
    expect(report.notBuilt[other]).toContain(`podman cannot get the base ${wish.base} for ${other}`);
    expect(JSON.parse(readFileSync(join(out, "image.json"), "utf8"))).toEqual(report);
    expect(readdirSync(out).toSorted()).toEqual(["image.json", file]);
    expect(linesOf(report)).toContain(`image ${own}: ${file}, ${digest}`);
    const made = calls().filter((call) => /^(smoke|podman (build|save|image rm))/.test(call));
    expect(made.map((call) => call.split(" ").slice(0, 2).join(" "))).toEqual([
      "podman build",
      `smoke localhost/svcsync-release:1.2.3-${own.slice(6)}`,
      "podman save",
      "podman image",
    ]);
    expect(made[0]).toContain(
      `--build-arg NODE=${wish.base} --build-arg VERSION=1.2.3 --build-arg REVISION=0123abc --build-arg CREATED=2026-11-27T10:00:00+00:00`,
    );
  });

  it("is not there where no engine runs, and the release says so", async () => {
    const report = await write();
    const reason = "docker is not installed; podman is not installed";

    expect(report).toEqual({ base: wish.base, images: [], notBuilt: { [own]: reason, [other]: reason } });
    expect(linesOf(report)).toEqual(
      ["linux/amd64", "linux/arm64"].map((platform) => `image ${platform}: not built, because ${reason}`),
    );
    expect(readdirSync(out)).toEqual(["image.json"]);
  });

  it("is not there where its build fails, and the release says why", async () => {
    podman({ build: fails("packages.example: no route") });
    expect((await write()).notBuilt[own]).toBe("its build failed: packages.example: no route");
  });

  it("is no image when it does not hold what it promises", async () => {
    podman();
    smoke("echo 'the image runs as another user' >&2; exit 1");
    await expect(write()).rejects.toThrow("another user");
    expect(readdirSync(out)).toEqual([]);
    expect(calls().some((call) => call.startsWith("podman image rm"))).toBe(true);
  });

  it("is no image when the engine saves something else than an OCI archive", async () => {
    podman({ save: 'echo text > "$5"' });
    await expect(write()).rejects.toThrow("is no OCI archive");
  });
});
