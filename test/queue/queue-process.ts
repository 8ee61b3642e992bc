import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { QueueLocation } from "#queue";
import { scriptEnvironment } from "../setup/script.ts";

/** What the process of queue-process-main.ts is told. */
export interface Orders {
  readonly location: QueueLocation;
  readonly polls: Readonly<Record<string, number>>;
  /** How long its handlers take, in milliseconds. */
  readonly holdMs: number;
}

/** Another process that works on a queue, and says a line for each thing that happens. */
export interface QueueProcess extends AsyncDisposable {
  readonly lines: string[];
  /** Kills it at once, as `kill -9` does, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops its queue, and resolves when nothing keeps the process going any more. */
  stop(): Promise<void>;
}

export function startQueueProcess(orders: Orders): QueueProcess {
  const main = fileURLToPath(new URL("queue-process-main.ts", import.meta.url));
  const args = [main, JSON.stringify(orders)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: scriptEnvironment });
  const lines: string[] = [];
  createInterface(child.stdout).on("line", (line) => void lines.push(line));
  const gone = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  return { lines, kill, stop, [Symbol.asyncDispose]: kill };
}
