import { spawn } from "node:child_process";
import { builtProgram } from "../setup/built-program.ts";
import { until, type Stage } from "./stage.ts";

/** Runs the real program in a process of its own until `isEnough`, then kill -9. Resolves with what ended it. */
export async function runAndKill(
  stage: Stage,
  isEnough: () => boolean,
  path = process.env["PATH"],
): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [builtProgram, "run", "--env-file", stage.envFile], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: path },
  });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.once("exit", (_code, signal) => resolve(signal));
  });
  try {
    await until("the load is far enough", () => child.exitCode !== null || isEnough());
  } finally {
    child.kill("SIGKILL");
  }
  return ended;
}
