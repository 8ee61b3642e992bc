import { Worker } from "node:worker_threads";
import { threadFile } from "#model";
import { Evaluation, type Evaluated } from "./evaluation.ts";
import type { Task } from "./expression-workers.ts";

/** The child process that evaluates expressions one after the other; see {@link ExpressionWorkers}. */
const compiled = new Map<string, Evaluation>();

new Worker(threadFile("mapping/expression/expression-watch-main")).unref();

process.on("message", (tasks: readonly Task[]) => {
  void answersTo(tasks).then((answers) => process.send!(answers));
});
process.send!("ready");

async function answersTo(tasks: readonly Task[]): Promise<Evaluated[]> {
  const answers: Evaluated[] = [];
  for (const { text, present } of tasks) {
    const known = compiled.get(text) ?? new Evaluation(text);
    compiled.set(text, known);
    answers.push(await known.of(present));
  }
  return answers;
}
