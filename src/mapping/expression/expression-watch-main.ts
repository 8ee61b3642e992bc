import { Socket } from "node:net";

/**
 * The second thread of an expression process. Its standard input closes when the parent process ends, even by SIGKILL;
 * this thread then ends the process, whatever the first thread is doing.
 */
const maker = new Socket({ fd: 0 });
maker.on("error", end);
maker.on("close", end);
maker.resume();

function end(): void {
  process.kill(process.pid, "SIGKILL");
}
