import { Worker } from "node:worker_threads";
import { Evaluation } from "./evaluation.ts";
import type { Task } from "./expression-workers.ts";

/** A process that evaluates one expression after the other for the one that made it; see {@link ExpressionWorkers}. */
const compiled = new Map<string, Evaluation>();

const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
new Worker(new URL(`./expression-watch-main${ending}`, import.meta.url)).unref();

process.on("message", ({ text, present }: Task) => {
  const known = compiled.get(text) ?? new Evaluation(text);
  compiled.set(text, known);
  void known.of(present).then((evaluated) => process.send!(evaluated));
});
process.send!("ready");
