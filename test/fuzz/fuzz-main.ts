import { parseArgs } from "node:util";
import { buildProgram } from "../setup/built-program.ts";
import { runRound, type RoundResult } from "./round.ts";

// `npm run fuzz -- --minutes 2 --seed 1`: mutated answers of the service and of ERPs, hostile rows, files, sync files and
// settings. Exit code 0 only when nothing was found. What a seed and a round draw for the n-th equal request is always the same;
// when the machine gets to it is not. `--round 7` repeats one round.
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    round: { type: "string" },
  },
});
await buildProgram();
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const only = values.round === undefined ? undefined : Number(values.round);
const SHOWN = 20;

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

function add(totals: Map<string, number>, counts: Iterable<readonly [string, number]>): void {
  for (const [name, count] of counts)
    totals.set(name, /highest/.test(name) ? Math.max(totals.get(name) ?? 0, count) : (totals.get(name) ?? 0) + count);
}

function tell({ round, mood, findings, folder }: RoundResult): void {
  say(`round ${round}: ${findings.length === 0 ? "good" : `${findings.length} FINDINGS`} (${mood})`);
  for (const { what, text } of findings.slice(0, SHOWN)) say(`  ${what}: ${text}`);
  if (findings.length > SHOWN) say(`  and ${findings.length - SHOWN} more`);
  if (findings.length === 0) return;
  say(`  log, store and ERP are in ${folder}; again: npm run fuzz -- --seed ${seed} --round ${round}`);
}

if (!(minutes > 0) || !Number.isSafeInteger(seed) || (only !== undefined && !Number.isSafeInteger(only))) {
  process.stderr.write("wanted: --minutes <above 0> --seed <whole number> [--round <whole number>]\n");
  process.exit(64);
}
const totals = new Map<string, number>();
const strikes = new Map<string, number>();
const found: string[] = [];
const endAt = performance.now() + (only === undefined ? minutes * 60_000 : 0);
let round = only ?? 1;
do {
  const result = await runRound(seed, round);
  round += 1;
  tell(result);
  add(totals, Object.entries(result.facts));
  add(strikes, result.strikes);
  found.push(...result.findings.map(({ what }) => what));
} while (performance.now() < endAt);
say(`\n${round - (only ?? 1)} rounds with seed ${seed}`);
for (const [name, count] of [...totals, ...strikes]) say(`  ${name.padEnd(28)} ${count.toLocaleString("en")}`);
say(found.length === 0 ? "Nothing was found." : `${found.length} findings: ${[...new Set(found)].join(", ")}.`);
process.exitCode = found.length === 0 ? 0 : 1;
