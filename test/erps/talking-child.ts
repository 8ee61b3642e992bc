import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that one talks with, line by line. Disposing it ends it. */
export interface TalkingChild extends AsyncDisposable {
  say(line: string): void;
  /** Resolves when it has said this line. @throws {Error} with its errors, when it ends before. */
  said(line: string): Promise<void>;
}

export function spawnTalking(command: string, args: readonly string[]): TalkingChild {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: (line) => child.stdin.write(`${line}\n`),
    async said(wanted) {
      for (let line = await lines.next(); line.value !== wanted; line = await lines.next())
        if (line.done) throw new Error(`${command} ended: ${errors.slice(-2_000)}`);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}
