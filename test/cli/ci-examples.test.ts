import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runCaptured } from "./scene.ts";

const guide = readFileSync(fileURLToPath(new URL("../../docs/guides/environments.md", import.meta.url)), "utf8");
const [, planned = ""] = guide.split("## A plan for each pull request");
const examples = [...guide.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = ""]) => text);
const flags = /(?<=\s)--[a-z-]+/g;

/** The commands that an example runs, with their options. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/(?<![/:\w])svcsync (?:apply|check|plan|test)[^\n|;&>]*/g)].map(([command]) =>
    command.trim(),
  );
}

describe("the examples for continuous integration", () => {
  it("are YAML with steps, those of a plan in at most 15 lines", () => {
    expect(examples).toHaveLength(4);
    for (const text of examples) expect(parse(text)).toBeTypeOf("object");
    const short = [...planned.matchAll(/```yaml\n([^]*?)```/g)].map(
      ([, text = ""]) => text.trimEnd().split("\n").length,
    );
    expect(short).toHaveLength(2);
    expect(Math.max(...short)).toBeLessThanOrEqual(15);
  });

  it("run commands that svcsync has, with options that they take", async () => {
    const commands = examples.flatMap(commandsOf);
    expect(commands.filter((command) => command.startsWith("svcsync apply"))).toHaveLength(2);
    for (const command of commands) {
      const { stdout } = await runCaptured([command.split(" ")[1]!, "--help"]);
      for (const [flag] of command.matchAll(flags)) expect(stdout).toContain(flag);
    }
  });
});
