import { execFileSync } from "node:child_process";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { runCommand } from "#cli";
import { findProgram, provide } from "../setup/program.ts";

const sink = (take: (text: string) => void) =>
  new Writable({ write: (chunk, _, done) => (take(String(chunk)), done()) });

async function run(...argv: string[]) {
  let stdout = "";
  const code = await runCommand(argv, {
    stdout: sink((text) => (stdout += text)),
    stderr: sink(() => {}),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, stdout };
}

/** What a shell proposes for the last of these words. */
const proposals = {
  bash: (program: string, script: string, words: readonly string[]) =>
    execFileSync(
      program,
      [
        "--norc",
        "-c",
        `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svcsync; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        ...words,
      ],
      { encoding: "utf8" },
    ),
  // Its completion system needs a terminal, so the functions that show proposals print them instead.
  zsh: (program: string, script: string, words: readonly string[]) => {
    const shown = `compdef() { : }; _files() { print FILES }; _describe() { print -l -- \${(P)@[-1]} }\n${script}\nwords=("$@"); CURRENT=$#; _svcsync`;
    return execFileSync(program, ["-f", "-c", shown, "zsh", ...words], { encoding: "utf8" });
  },
  fish: (program: string, script: string, words: readonly string[]) =>
    execFileSync(program, ["--no-config", "-c", `${script}\ncomplete -C "$argv"`, words.join(" ")], {
      encoding: "utf8",
    }),
} as const;

const startOf = (shell: string, text: string) => (shell === "bash" ? text : text.split(/[:\t]/)[0]!);

describe.each(["bash", "zsh", "fish"] as const)("completion in %s", (shell) => {
  const propose = async (...words: string[]) => {
    const { stdout } = await run("completion", shell);
    const program = await provide(() => findProgram([shell]), shell);
    const lines = proposals[shell](program, stdout, ["svcsync", ...words]).split("\n");
    return lines.map((line) => startOf(shell, line)).filter((line) => line.startsWith(words.at(-1)!));
  };

  it("completes commands, and the options of the command before them", async () => {
    expect(await propose("unb")).toEqual(["unbind"]);
    expect(await propose("unbind", "--fr")).toEqual(["--from"]);
    expect(await propose("unbind", "customers/1", "--ye")).toEqual(["--yes"]);
    expect(await propose("--env-file", "my.env", "sta")).toEqual(["status"]);
    expect(await propose("status", "--ye")).toEqual([]);
    expect(await propose("unbind", "--env")).toEqual(["--env-file"]);
  });

  it("is a script with every command", async () => {
    const { code, stdout } = await run("completion", shell);
    expect(code).toBe(0);
    for (const command of ["init", "run", "page-password", "completion", "reconcile"])
      expect(stdout).toContain(command);
  });
});

describe("completion", () => {
  it("of another shell is a wrong usage", async () => {
    expect((await run("completion", "powershell")).code).toBe(64);
  });
});
