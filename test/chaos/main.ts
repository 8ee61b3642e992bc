import { parseArgs } from "node:util";
import { report } from "./report.ts";
import { runChaos } from "./run.ts";

// `npm run chaos -- --minutes 2 --seed 1`: exit code 0 only when every count of the verdict is zero.
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "2" }, seed: { type: "string", default: "1" } },
});
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write("wanted: --minutes <above 0> --seed <whole number>\n");
  process.exitCode = 64;
} else {
  process.stdout.write(`Chaos for ${minutes} minutes with seed ${seed} …\n`);
  const say = (sentence: string) => process.stdout.write(`${sentence}\n`);
  const result = await runChaos(minutes, seed, say, stop.signal);
  process.stdout.write(report(result));
  process.exitCode = result.complaints.length === 0 ? 0 : 1;
}
