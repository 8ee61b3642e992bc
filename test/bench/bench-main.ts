import { parseArgs } from "node:util";
import { measureDay } from "./day.ts";
import { measureDelay } from "./delay.ts";
import { measureExpressions } from "./expressions.ts";
import { FULL, QUICK } from "./figures.ts";
import { measureHostile } from "./hostile.ts";
import { measureLarge } from "./large.ts";
import { measureLimited } from "./limited.ts";
import { measureIdle } from "./idle.ts";
import { compareRates, sandboxRate } from "./rates.ts";
import { measureFirstRead, measureGrowth } from "./reading/growth.ts";
import { inTurn, measureStaging } from "./reading/staging.ts";
import { DATABASES } from "./reading/tables.ts";
import { measureStores } from "./stores.ts";
import { measureNudges } from "./nudge.ts";
import { measurePlans } from "./plan.ts";
import { asText, missedTargets, type Report } from "./report.ts";
import { measureReturns } from "./returns/returns.ts";
import { measureReplicas } from "./replicas.ts";
import { countRequests } from "./requests.ts";
import { measured, type Figure } from "./runs.ts";
import { measureScaling } from "./scaling.ts";
import { measureStalls } from "./stalls/stalls.ts";
import { buildProgram } from "../setup/built-program.ts";

/** `npm run bench`: what svcsync reaches on this machine, beside what could be reached. `--quick` for a first look. */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    /** Only these parts: rates, requests, limited, expressions, hostile, large, delay, nudge, staging, firstRead, stores, replicas, scaling, idle, plan, day, growth, stalls, returns. */
    only: { type: "string", multiple: true },
    /** How often the last eleven of them run, but for day and returns: the table then shows medians and spread. */
    runs: { type: "string", default: "1" },
  },
});
const sizes = values.quick ? QUICK : FULL;
const only = values.only?.flatMap((names) => names.split(","));
const wants = (part: string) => only === undefined || only.includes(part);
const tell = (what: string) => process.stderr.write(`${what} …\n`);

await buildProgram();
const report: Report = {};
if (wants("rates")) {
  tell("The sandbox alone");
  report.sandboxRate = await sandboxRate(sizes);
  tell("First loads without latency, beside the bare loop");
  report.fast = await compareRates(0, sizes);
  tell("First loads with 50 ms of latency, beside the bare loop");
  report.slow = await compareRates(50, sizes);
}
if (wants("requests")) {
  tell("Requests per record");
  report.requests = await countRequests(sizes);
}
if (wants("limited")) {
  tell("First loads below a limit");
  report.limited = await measureLimited();
}
if (wants("expressions")) {
  tell("First loads with an expression in a process of its own, beside a plain path");
  report.expressions = await measureExpressions(sizes);
}
if (wants("hostile")) {
  tell("Hostile and large answers of an ERP");
  report.hostile = await measureHostile();
}
if (wants("delay")) {
  tell("From a change to the service");
  report.delay = await measureDelay(sizes);
}
if (wants("nudge")) {
  tell("From a commit in PostgreSQL to the service, by a notification");
  report.nudge = await measureNudges(sizes);
}
if (wants("large")) {
  tell(`Memory of ${sizes.small} records`);
  const small = await measureLarge(sizes.small, sizes);
  tell(`Memory of ${sizes.large} records, polls of as many unchanged rows`);
  const large = await measureLarge(sizes.large, sizes);
  report.memory = { small: small.memory, large: large.memory };
  report.poll = large.poll;
}
const runs = Number(values.runs);
const repeated: Record<string, () => Promise<Figure[]>> = {
  staging: () => measured(runs, async () => (await inTurn(DATABASES, (name) => measureStaging(name, sizes))).flat()),
  firstRead: () => measured(runs, () => measureFirstRead(sizes)),
  stores: () => measured(runs, () => measureStores(sizes)),
  replicas: () => measured(runs, () => measureReplicas(sizes)),
  scaling: () => measured(runs, () => measureScaling(sizes)),
  idle: () => measureIdle(sizes, runs),
  plan: () => measurePlans(sizes, runs),
  day: () => measureDay(sizes),
  growth: () => measured(runs, () => measureGrowth(sizes)),
  stalls: () => measured(runs, () => measureStalls(sizes)),
  returns: () => measureReturns(sizes),
};
for (const [part, run] of Object.entries(repeated)) {
  if (!wants(part)) continue;
  tell(`${part}, ${runs} runs`);
  const begun = performance.now();
  (report.figures ??= []).push(...(await run()));
  tell(`  ${part} took ${Math.round((performance.now() - begun) / 1000)} s`);
}
process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : asText(report));
const missed = missedTargets(report);
if (missed.length > 0) {
  process.stderr.write(`Missed:\n${missed.map((line) => `  ${line}\n`).join("")}`);
  process.exitCode = 1;
}
