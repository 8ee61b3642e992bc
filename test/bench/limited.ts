import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

const LIMITS = [
  { perSecond: 20, retryAfterSeconds: 1 },
  { perSecond: 40, retryAfterSeconds: 1 },
  { perSecond: 100, retryAfterSeconds: 1 },
  { perSecond: 40, retryAfterSeconds: undefined },
] as const;
/** As long as it takes to see how the rate is kept, not only how it is found. */
const SECONDS = 30;

/** A first load against a service that answers 429 beyond so many requests a second. */
export interface Limited {
  readonly perSecond: number;
  /** What a 429 says in `Retry-After`; undefined when it does not say. */
  readonly retryAfterSeconds: number | undefined;
  readonly requests: number;
  readonly refused: number;
  /** Requests per one that was needed. */
  readonly ratio: number;
  /** What was created within a second, from the first create to the last one, as a share of what was allowed. */
  readonly used: number;
}

export async function measureLimited(): Promise<Limited[]> {
  const results: Limited[] = [];
  for (const { perSecond, retryAfterSeconds } of LIMITS) {
    await using stage = await Stage.set(perSecond * SECONDS);
    await using sandbox = await SandboxProcess.start(0, perSecond, retryAfterSeconds);
    await using daemon = await stage.start("sync", sandbox);
    await daemon.ended();
    const all = await sandbox.window({});
    const refused = await sandbox.count({ status: 429 });
    const needed = all.count - refused;
    const creates = await sandbox.window({ method: "POST", resource: "customer" });
    const created = creates.count - (await sandbox.count({ method: "POST", resource: "customer", status: 429 }));
    const seconds = ((creates.lastAt ?? 0) - (creates.firstAt ?? 0)) / 1_000;
    results.push({
      perSecond,
      retryAfterSeconds,
      requests: all.count,
      refused,
      ratio: all.count / needed,
      used: created / seconds / perSecond,
    });
  }
  return results;
}
