import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { report } from "./report.ts";
import { buildProgram } from "../setup/built-program.ts";
import { runChaos } from "./run.ts";

// `npm run chaos -- --minutes 2 --seed 1`, or `--regressions` for every seed that once failed. Exit code 0 only when every
// count of every verdict is zero. A seed fixes what is done, not when the machine gets to it: no two runs are alike.
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
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

await buildProgram();
for (const { seed, minutes } of await runs()) {
  if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
    process.stderr.write("wanted: --minutes <above 0> --seed <whole number>\n");
    process.exitCode = 64;
    break;
  }
  say(`Chaos for ${minutes} minutes with seed ${seed} …`);
  const result = await runChaos(minutes, seed, say, stop.signal);
  process.stdout.write(report(result));
  if (result.complaints.length > 0) process.exitCode = 1;
}
