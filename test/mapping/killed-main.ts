import { subscribe } from "node:diagnostics_channel";
import { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { expressionWorkers } from "../../src/mapping/expression/expression-workers.ts";

/**
 * Prints the id of the process that evaluates its expressions, lets one run away there and kills itself, as SIGKILL does: without a
 * chance to end the other one.
 */
const children: ChildProcess[] = [];
const started = z.object({ process: z.instanceof(ChildProcess) });
subscribe("child_process", (message) => children.push(started.parse(message).process));

const pattern = "$contains(a, /^(a+)+$/)";
await expressionWorkers.evaluate(pattern, { a: "aaa" });
process.stdout.write(`${children[0]!.pid}`);
void expressionWorkers.evaluate(pattern, { a: `${"a".repeat(40)}!` });
// Well before the other process would be stopped for its expression.
await setTimeout(500);
process.kill(process.pid, "SIGKILL");
