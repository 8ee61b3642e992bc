import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { replicasReport } from "./replicas/report.ts";
import { runReplicas } from "./replicas/run.ts";
import { report } from "./report.ts";
import { buildProgram } from "../setup/built-program.ts";
import { runChaos } from "./run.ts";

// `npm run chaos -- --minutes 2 --seed 1`, or `--regressions` for every seed that once failed. Exit code 0 only when every
// count of every verdict is zero. A seed fixes what is done, not when the machine gets to it: no two runs are alike.
// With `--replicas 3`: so many replicas over one store in PostgreSQL, and the faults of a network between them; with `--fail-over`
// too, PostgreSQL also loses commits, and what a person then removes by hand is no loss.
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    replicas: { type: "string" },
    "fail-over": { type: "boolean", default: false },
    /** Without tickets that people merge. */
    "no-merges": { type: "boolean", default: false },
    regressions: { type: "boolean", default: false },
  },
});
const stop = new AbortController();
// Every part of a run listens to it.
setMaxListeners(0, stop.signal);
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const regressions = z.array(z.object({ seed: z.int(), minutes: z.number().positive(), found: z.string() }));

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

async function runs(): Promise<{ seed: number; minutes: number }[]> {
  if (!values.regressions) return [{ seed: Number(values.seed), minutes: Number(values.minutes) }];
  return regressions.parse(JSON.parse(await readFile(new URL("seeds.json", import.meta.url), "utf8")));
}

const withMerges = !values["no-merges"];
const replicas = values.replicas === undefined ? undefined : Number(values.replicas);

await buildProgram();
for (const { seed, minutes } of await runs()) {
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || (replicas !== undefined && !(replicas >= 2 && replicas <= 9))) {
    process.stderr.write("wanted: --minutes <above 0> --seed <whole number> --replicas <2 to 9>\n");
    process.exitCode = 64;
    break;
  }
  if (replicas !== undefined) {
    const options = { replicas, minutes, seed, failsOver: values["fail-over"], withMerges };
    const result = await runReplicas(options, say, stop.signal);
    process.stdout.write(replicasReport(result));
    if (result.complaints.length > 0) process.exitCode = 1;
    continue;
  }
  say(`Chaos for ${minutes} minutes with seed ${seed} …`);
  const result = await runChaos(minutes, seed, say, stop.signal, { withMerges });
  process.stdout.write(report(result));
  if (result.complaints.length > 0) process.exitCode = 1;
}
