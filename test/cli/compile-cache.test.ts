import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtProgram, programOptions } from "../setup/built-program.ts";

/** Runs the program with `folder` as the home of its user. */
const run = (folder: string, ...argv: string[]) =>
  promisify(execFile)(process.execPath, [...programOptions(), builtProgram, ...argv], {
    env: { ...process.env, HOME: folder, NODE_DISABLE_COMPILE_CACHE: undefined, NODE_COMPILE_CACHE: undefined },
  });

describe("what V8 compiled", () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "svcsync-home-"));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  const kept = () => readdir(join(home, ".cache/svcsync"), { recursive: true }).catch(() => []);

  it("is kept for the next command, but not by the daemon", async () => {
    await run(home, "run", "--help");
    expect(await kept()).toEqual([]);
    await run(home, "--version");
    expect((await kept()).length).toBeGreaterThan(10);
  });

  it("is not needed: a home that nobody can write stops no command", async () => {
    expect((await run("/proc/nowhere", "--version")).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});
