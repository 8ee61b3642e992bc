import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../setup/built-program.ts";
import { runCaptured } from "./scene.ts";

const { stdout } = await runCaptured(["--help"]);
const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)]
  .map(([, name]) => name!)
  .filter((name) => name !== "svcsync");

/** They ask a person, run until they are stopped, speak a protocol of their own, or print a document. */
const withoutJson = new Set(["help", "init", "run", "mcp", "schema", "completion", "views", "sandbox", "demo"]);

describe("help", () => {
  it("lists the commands that README names, and where to begin", () => {
    expect(commands).toEqual(
      expect.arrayContaining(["init", "run", "sync", "check", "status", "records", "explain", "adopt", "demo"]),
    );
    expect(stdout).toContain("Getting started:");
  });

  it.each(commands)("says what %s does", async (name) => {
    const { code, stdout: text } = await runCaptured([name, "--help"]);
    expect(text).toMatch(new RegExp(`^Usage: svcsync ${name === "help" ? "" : name}`));
    expect(code).toBe(0);
  });

  it.each(commands.filter((name) => !withoutJson.has(name)))(
    "%s prints JSON on request, and its form is documented",
    async (name) => {
      expect((await runCaptured([name, "--help"])).stdout).toMatch(/^ +--json /m);
      const rows = (await readFile("docs/commands.md", "utf8")).matchAll(/^\| `([a-z]+)` \| one /gm);
      expect(Array.from(rows, ([, documented]) => documented)).toContain(name);
    },
  );

  it("shows the same in the built program, which loads no command for it", async () => {
    const { stdout: built } = await promisify(execFile)(process.execPath, [builtProgram, "--help"]);
    expect(built).toBe(stdout);
  });

  it("shows for help and a command what the command shows", async () => {
    const help = (await runCaptured(["help", "unbind"])).stdout;
    expect(help).toBe((await runCaptured(["unbind", "--help"])).stdout);
    expect((await promisify(execFile)(process.execPath, [builtProgram, "help", "unbind"])).stdout).toBe(help);
  });

  it("shows a default the way a user would type it", async () => {
    expect((await runCaptured(["history", "--help"])).stdout).toMatch(/\(default:\s+24h\)/);
    expect((await runCaptured(["watch", "--help"])).stdout).toMatch(/\(default:\s+10m\)/);
  });

  it("is shown for a command line without a command, as a mistake", async () => {
    const { code, stderr } = await runCaptured([]);
    expect(stderr).toContain("Usage: svcsync");
    expect(code).toBe(64);
  });

  it("names the command that was probably meant", async () => {
    const { code, stderr } = await runCaptured(["statsu"]);
    expect(stderr).toContain("status");
    expect(code).toBe(64);
  });

  it("refuses an unknown option and a number that is none", async () => {
    expect(await runCaptured(["status", "--jason"])).toMatchObject({ code: 64 });
    const { code, stderr } = await runCaptured(["records", "--limit", "many"]);
    expect(stderr).toContain("--limit");
    expect(stderr).toContain("many");
    expect(code).toBe(64);
  });

  it("refuses a watch of more than a day as a mistake of the command line", async () => {
    const { code, stderr } = await runCaptured(["watch", "customers/1", "--for", "2d"]);
    expect(stderr).toContain("up to 1d");
    expect(code).toBe(64);
  });

  it.each([
    [["skip"]],
    [["skip", "customers/1", "--group", "0a1b2c3d"]],
    [["skip", "--group", "0a1b2c3d", "--code", "E_X"]],
  ])("refuses a command line that names what to leave out twice, or not at all: %s", async (argv) => {
    const { code, stderr } = await runCaptured(argv);
    expect([code, stderr]).toEqual([64, expect.stringContaining("Name one record as stream/key")]);
  });

  it("tells the version", async () => {
    expect((await runCaptured(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
