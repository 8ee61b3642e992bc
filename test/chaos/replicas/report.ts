import { SHOWN, twoColumns, verdictTable } from "../report.ts";
import type { ReplicasResult } from "./run.ts";
import type { TakeOvers } from "./takeovers.ts";

/** Milliseconds in which another replica should do the work of a leader that ended. */
const WANTED_MS: Readonly<Record<keyof TakeOvers, number>> = { crash: 11_000, "clean stop": 1_000 };

/** The verdict and the figures for people, and one line of JSON for programs. */
export function replicasReport(result: ReplicasResult): string {
  const { streams, counts, complaints, takeOvers, faults, strikes, facts, folder, seed, minutes, replicas, failsOver } =
    result;
  const lines = [
    verdictTable(streams, counts),
    twoColumns("what happened", facts),
    twoColumns("faults", faults),
    ...(["crash", "clean stop"] as const).map((kind) => takeOverLine(kind, takeOvers[kind])),
    ...complaints.slice(0, SHOWN).map((line) => `  ${line}`),
    complaints.length === 0
      ? "Nothing was lost, doubled, overwritten or left behind."
      : `THE VERDICT IS BAD: ${complaints.length} complaints. Logs, plan and ERP are in ${folder}\n` +
        `Repeat it: npm run chaos -- --replicas ${replicas} --minutes ${minutes} --seed ${seed}${failsOver ? " --fail-over" : ""}`,
    JSON.stringify({
      replicas,
      seed,
      minutes,
      failsOver,
      ok: complaints.length === 0,
      takeOvers,
      facts,
      faults,
      strikes,
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function takeOverLine(kind: keyof TakeOvers, all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toLocaleString("en")} ms`;
  return `take-over after a ${kind} of the leader: p50 ${at(0.5)}, p99 ${at(0.99)} of ${all.length}, wanted ${WANTED_MS[kind] / 1_000} s`;
}
