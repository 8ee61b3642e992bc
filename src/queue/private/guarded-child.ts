import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { childEnvironment } from "#settings";

/**
 * Runs a program together with a reader of standard input. The kernel closes that pipe however this process ends, and the reader then ends
 * the program. The reader is a process of its own, so that it outlives its shell too.
 */
const guardScript = `
exec 3<&0
signal=$1
shift
"$@" </dev/null 3<&- &
child=$!
( read -r _ <&3; kill -$signal $child; sleep 5; kill -KILL $child ) >/dev/null 2>&1 &
reader=$!
exec 3<&-
wait $child
code=$?
kill $reader
exit $code
`;

/** A program that never outlives the process that started it, even after a kill -9. */
export interface GuardedChild {
  /** Resolves to the program's last output when it has ended. */
  readonly ended: Promise<string>;
  /** Reports standard output and standard error, line by line. */
  onLine(listener: (line: string) => void): void;
  /** Ends the program and resolves when it is gone. */
  end(): Promise<void>;
}

export interface GuardedChildOptions {
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** The signal that asks the program to end; it is killed five seconds later. */
  readonly endSignal?: "TERM" | "INT";
}

const lastWordsLength = 2_000;

/**
 * Starts `command` in its own process group, so that a Ctrl-C in the terminal reaches only this process. This process ends the program when
 * it no longer needs it.
 */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  { endSignal = "TERM", ...options }: GuardedChildOptions = {},
): GuardedChild {
  const child = spawn("/bin/sh", ["-c", guardScript, "guard", endSignal, command, ...args], {
    ...options,
    env: childEnvironment(),
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const listeners: ((line: string) => void)[] = [];
  let lastWords = "";
  const hear = (line: string) => {
    lastWords = `${lastWords}${line}\n`.slice(-lastWordsLength);
    for (const listener of listeners) listener(line);
  };
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", hear);
  child.stdin.on("error", () => undefined);
  const ended = Promise.race([once(child, "exit"), once(child, "error")]).then(() => lastWords.trim());
  return {
    ended: ended.catch(() => lastWords.trim()),
    onLine: (listener) => void listeners.push(listener),
    async end() {
      child.stdin.end();
      await ended.catch(() => undefined);
    },
  };
}
