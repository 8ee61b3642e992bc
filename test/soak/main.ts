import { readFile } from "node:fs/promises";
import { setMaxListeners } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { report } from "../chaos/report.ts";
import { runChaos } from "../chaos/run.ts";
import { buildProgram } from "../setup/built-program.ts";

// `npm run soak -- --minutes 20`: one daemon that works without a pause while its garbage is collected many times a second,
// between JavaScript and not in it. Exit code 0 only when it neither crashed nor left anything wrong.
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "20" }, seed: { type: "string", default: "1" } },
});
const minutes = Number(values.minutes);
const collections = fileURLToPath(new URL("collections.mjs", import.meta.url));
/** Below this the soak has proved nothing. */
const collectionsPerMinute = 100;

const stop = new AbortController();
setMaxListeners(0, stop.signal);
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const say = (sentence: string) => void process.stdout.write(`${sentence}\n`);

await buildProgram();
say(`A soak of ${minutes} minutes on Node.js ${process.versions.node} …`);
let collected = 0;
const result = await runChaos(minutes, Number(values.seed), say, stop.signal, {
  withKills: false,
  withMerges: false,
  nodeArgs: ["--expose-gc", "--import", collections],
  atEnd: async ({ logFile }) => {
    for (const [, count] of (await readFile(logFile, "utf8")).matchAll(/"msg":"collected","count":(\d+)/g))
      collected += Number(count);
  },
});
say(report(result).trimEnd());
say(`${collected.toLocaleString("en")} collections, ${result.facts["starts"]} start.`);
if (result.complaints.length > 0 || collected < minutes * collectionsPerMinute) process.exitCode = 1;
