import type { Fault } from "#sandbox";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

interface Limit {
  readonly what: string;
  readonly fault: Fault & { readonly kind: "rateLimit" | "quota" };
  readonly records: number;
}

/** As long as it takes to see how the rate is kept, not only how it is found. */
const SECONDS = 60;
/** Spans of a quota, of which the first and the last are not whole. */
const SPANS = 2.2;

const LIMITS: readonly Limit[] = [
  ...[20, 40, 100].map((perSecond) => rateLimit(perSecond, 1)),
  rateLimit(40, undefined),
  quota("600 a minute", 600, 60),
  // A day of 20 seconds.
  quota("quota of a day", 1_000, 20),
];

/** A first load against a service that answers 429 beyond a limit. */
export interface Limited {
  readonly what: string;
  readonly requests: number;
  readonly refused: number;
  /** Requests per one that was needed. */
  readonly ratio: number;
  /** What passed as a share of what was allowed: from the first create to the last one, or in the whole spans of a quota. */
  readonly used: number;
}

export async function measureLimited(): Promise<Limited[]> {
  const results: Limited[] = [];
  for (const limit of LIMITS) {
    await using stage = await Stage.set(limit.records);
    await using sandbox = await SandboxProcess.start([limit.fault]);
    await using daemon = await stage.start("sync", sandbox);
    await daemon.ended();
    const requests = await sandbox.count();
    const refused = await sandbox.count({ status: 429 });
    const ratio = requests / (requests - refused);
    results.push({ what: limit.what, requests, refused, ratio, used: await shareUsed(limit, sandbox) });
  }
  return results;
}

async function shareUsed({ fault }: Limit, sandbox: SandboxProcess): Promise<number> {
  if (fault.kind === "quota") return shareOfSpans(await sandbox.passedAt(), fault.requests, fault.seconds);
  const creates = await sandbox.passedAt({ method: "POST", resource: "customer" });
  const seconds = ((creates.at(-1) ?? 0) - (creates[0] ?? 0)) / 1_000;
  return creates.length / seconds / fault.perSecond;
}

function shareOfSpans(passedAt: readonly number[], limit: number, seconds: number): number {
  const spans = passedAt.map((at) => Math.floor(at / (seconds * 1_000)));
  const [first = 0, last = 0] = [spans[0], spans.at(-1)];
  const whole = spans.filter((span) => span > first && span < last).length;
  return whole / ((last - first - 1) * limit);
}

function rateLimit(perSecond: number, retryAfterSeconds: number | undefined): Limit {
  const what = `${perSecond} a second${retryAfterSeconds === undefined ? ", no Retry-After" : ""}`;
  return { what, fault: { kind: "rateLimit", perSecond, retryAfterSeconds }, records: perSecond * SECONDS };
}

function quota(what: string, requests: number, seconds: number): Limit {
  return { what, fault: { kind: "quota", requests, seconds }, records: Math.ceil(SPANS * requests) };
}
