import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { systemClock } from "#model";
import { runAt } from "./at/run-at.ts";
import { startCap } from "./cap/index.ts";
import { startCentral } from "./documented/central.ts";
import { startHana } from "./documented/hana.ts";
import { startErpNext } from "./documented/erpnext.ts";
import { startOne } from "./documented/one.ts";
import { startWeclapp } from "./documented/weclapp.ts";
import { startXentral } from "./documented/xentral.ts";
import type { Erp } from "./erp.ts";
import { startLedgerSmb } from "./ledgersmb/index.ts";
import { report } from "./report.ts";
import { play, type Verdict } from "./trial.ts";
import { startTryton } from "./tryton/index.ts";

// `npm run erps`, or `npm run erps -- --only cap`: the presets on real products that it installs, and on local servers that answer as
// others document. `npm run erps -- odoo --url …`: on a product that is already running. Exit code 0 only without complaints.
// Every part of a run listens to the same signals.
setMaxListeners(0);

const erps: Readonly<Record<string, () => Promise<Erp>>> = {
  cap: startCap,
  ledgersmb: startLedgerSmb,
  tryton: startTryton,
  // Local servers that answer as the products' documents say.
  businessCentral: () => startCentral(systemClock),
  s4hana: () => startHana(systemClock),
  businessOne: () => startOne(systemClock),
  erpnext: () => startErpNext(systemClock),
  weclapp: () => startWeclapp(systemClock),
  xentral: () => startXentral(systemClock),
};

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

async function trial(name: string): Promise<Verdict> {
  const startedAt = performance.now();
  await using erp = await erps[name]!();
  say(`${erp.product}: installed and started in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return await play(erp, say);
}

async function runInstalled(): Promise<readonly Verdict[] | number> {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
  const names = values.only ?? Object.keys(erps);
  const unknown = names.filter((name) => !(name in erps));
  // All at once: most of their time is waiting.
  if (unknown.length === 0) return Promise.all(names.map(trial));
  say(`found ${unknown.join(", ")}, expected --only with ${Object.keys(erps).join(", ")}`);
  return 64;
}

const first = process.argv[2];
const isAtAddress = first !== undefined && !first.startsWith("-");
const verdicts = await (isAtAddress ? runAt(process.argv.slice(2), say) : runInstalled());
if (typeof verdicts === "number") process.exitCode = verdicts;
else {
  process.stdout.write(report(verdicts));
  if (verdicts.some(({ complaints }) => Object.values(complaints).some((found) => found.length > 0)))
    process.exitCode = 1;
}
