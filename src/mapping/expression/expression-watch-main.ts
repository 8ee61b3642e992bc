import { Socket } from "node:net";

/**
 * The second thread of an expression's process. The standard input ends with the process that made it, also by SIGKILL; this
 * one then ends too, whatever its first thread is in the middle of.
 */
const maker = new Socket({ fd: 0 });
maker.on("error", end);
maker.on("close", end);
maker.resume();

function end(): void {
  process.kill(process.pid, "SIGKILL");
}
