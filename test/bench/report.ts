import { cpus } from "node:os";
import type { Delay } from "./delay.ts";
import type { Hostile } from "./hostile.ts";
import type { Limited } from "./limited.ts";
import type { Memory, UnchangedPoll } from "./large.ts";
import type { ExpressionShare } from "./expressions.ts";
import type { Nudged } from "./nudge.ts";
import type { Rate } from "./rates.ts";
import type { RequestCosts } from "./requests.ts";
import { figureLine, type Figure } from "./runs.ts";

/** Everything that one run measured; parts that were not asked for are absent. */
export interface Report {
  sandboxRate?: number;
  fast?: Rate;
  slow?: Rate;
  requests?: RequestCosts;
  limited?: readonly Limited[];
  expressions?: ExpressionShare | undefined;
  hostile?: readonly Hostile[];
  delay?: Delay;
  nudge?: Nudged;
  memory?: { readonly small: Memory; readonly large: Memory };
  poll?: UnchangedPoll;
  /** Of the parts that are run several times. */
  figures?: Figure[];
}

/** What was measured, the figure, and where there is one the target; `missed` where the figure is beyond it. */
type Line = readonly [what: string, figure: string, wanted: string, verdict?: "missed"];

const MEGABYTE = 1024 * 1024;

/** What is to be reached, each as the smallest or largest value that will do. */
export const TARGETS = {
  fastRatio: 0.65,
  slowRatio: 0.97,
  writesPerChanged: 1,
  writesPerUnchanged: 0,
  memoryRatio: 1.3,
  limitedRatio: 1.05,
  limitedUse: 0.95,
  expressionShare: 0.1,
  stallMs: 200,
  nudgeMs: 300,
};

/** What was asked for and missed, a line each. */
export function missedTargets(report: Report): string[] {
  return linesOf(report).flatMap(([what, figure, wanted, verdict]) =>
    verdict === undefined ? [] : [`${what.trim()}: ${figure}, expected ${wanted}`],
  );
}

/** The report as a table: what was measured, the figure, and where there is one the target. */
export function asText(report: Report): string {
  const lines = linesOf(report);
  const width = (column: 0 | 1) => Math.max(...lines.map((line) => line[column].length));
  const [first, second] = [width(0), width(1)];
  const [model] = cpus();
  const head = `Node ${process.version}, ${cpus().length} processors (${model?.model.trim() ?? "unknown"})\n\n`;
  return (
    head +
    lines
      .map(
        ([what, figure, wanted, verdict = ""]) =>
          `${what.padEnd(first)}  ${figure.padStart(second)}  ${wanted} ${verdict}`.trimEnd() + "\n",
      )
      .join("")
  );
}

function linesOf(report: Report): Line[] {
  return [
    ...rates(report),
    ...requests(report),
    ...limited(report),
    ...expressions(report),
    ...hostile(report),
    ...others(report),
    ...(report.figures ?? []).map(figureLine),
  ];
}

function atLeast(what: string, figure: string, value: number, target: number): Line {
  return value >= target ? [what, figure, `at least ${target}`] : [what, figure, `at least ${target}`, "missed"];
}

function atMost(what: string, figure: string, value: number, target: number): Line {
  return value <= target ? [what, figure, `at most ${target}`] : [what, figure, `at most ${target}`, "missed"];
}

function rates({ sandboxRate, fast, slow }: Report): Line[] {
  const lines: Line[] = [];
  if (sandboxRate !== undefined) lines.push(["the sandbox alone, creates/s", whole(sandboxRate), ""]);
  for (const [rate, target] of [
    [fast, TARGETS.fastRatio],
    [slow, TARGETS.slowRatio],
  ] as const) {
    if (!rate) continue;
    const where = rate.latencyMs === 0 ? "no latency" : `${rate.latencyMs} ms latency`;
    lines.push(
      [`first load of ${whole(rate.records)}, ${where}, records/s`, whole(rate.svcsync), ""],
      [`  bare loop, records/s`, whole(rate.bareLoop), ""],
      atLeast(
        `  ratio (rounds ${rate.ratios.map((ratio) => ratio.toFixed(2)).join(" ")})`,
        rate.ratio.toFixed(2),
        rate.ratio,
        target,
      ),
    );
  }
  return lines;
}

function requests({ requests }: Report): Line[] {
  if (!requests) return [];
  const { created, changed, unchanged } = requests;
  return [
    ["writes per created record", created.writesEach.toFixed(2), "1.00"],
    ["  requests in all", created.requestsEach.toFixed(3), ""],
    atMost("writes per changed record", changed.writesEach.toFixed(2), changed.writesEach, TARGETS.writesPerChanged),
    ["  requests in all", changed.requestsEach.toFixed(3), ""],
    atMost(
      "writes per unchanged record",
      unchanged.writesEach.toFixed(2),
      unchanged.writesEach,
      TARGETS.writesPerUnchanged,
    ),
    ["  requests in all", unchanged.requestsEach.toFixed(3), ""],
  ];
}

function limited({ limited = [] }: Report): Line[] {
  return limited.flatMap(({ what, requests, refused, ratio, used }): Line[] => [
    atMost(
      `requests per needed one, limit of ${what} (${refused} of ${whole(requests)} refused)`,
      ratio.toFixed(3),
      ratio,
      TARGETS.limitedRatio,
    ),
    atLeast("  share of the allowed rate", used.toFixed(3), used, TARGETS.limitedUse),
  ]);
}

function expressions({ expressions }: Report): Line[] {
  if (!expressions) return [];
  const { records, share, shares } = expressions;
  const what = `processor time of an expression's own process, first load of ${whole(records)} (rounds ${shares.map(percent).join(" ")})`;
  return [atMost(what, percent(share), share, TARGETS.expressionShare)];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function hostile({ hostile = [] }: Report): Line[] {
  return hostile.flatMap(({ what, bytes, processorMs, stallMs }): Line[] => [
    atMost(`${what}, ${whole(bytes / 1_000)} kB, longest stall in ms`, whole(stallMs), stallMs, TARGETS.stallMs),
    ["  processor ms", whole(processorMs), ""],
  ]);
}

function others({ delay, nudge, memory, poll }: Report): Line[] {
  const lines: Line[] = [];
  if (delay)
    lines.push(
      [`from a change to the service, polls every ${delay.pollSeconds} s, median ms`, whole(delay.medianMs), ""],
      ["  95 of 100 within ms", whole(delay.p95Ms), ""],
    );
  if (nudge)
    lines.push(
      atMost(
        `from a commit to the service by a notification, polls every ${nudge.pollSeconds} s, median ms`,
        whole(nudge.medianMs),
        nudge.medianMs,
        TARGETS.nudgeMs,
      ),
      ["  95 of 100 within ms", whole(nudge.p95Ms), ""],
    );
  if (poll) lines.push([`poll of ${whole(poll.rows)} unchanged rows, ms`, whole(poll.milliseconds), ""]);
  if (memory) {
    const { small, large } = memory;
    lines.push(
      [`peak memory, first load of ${whole(small.records)}, MB`, megabytes(small.peakBytes), ""],
      [`peak memory, first load of ${whole(large.records)}, MB`, megabytes(large.peakBytes), ""],
    );
    if (small.peakBytes !== undefined && large.peakBytes !== undefined) {
      const ratio = large.peakBytes / small.peakBytes;
      lines.push(atMost("  ratio", ratio.toFixed(2), ratio, TARGETS.memoryRatio));
    }
  }
  return lines;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** The system's own count of a process's memory: only Linux tells it. */
function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? "unknown here" : whole(bytes / MEGABYTE);
}
