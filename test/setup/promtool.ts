import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findProgram, provide } from "./program.ts";

const run = promisify(execFile);

/** What Prometheus' own tool says, on both outputs; `input` is what it reads. @throws when it finds fault. */
export async function promtool(args: readonly string[], input = ""): Promise<string> {
  const program = await provide(() => findProgram(["promtool"]), "prometheus");
  const running = run(program, args);
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return `${stdout}${stderr}`.trim();
}
