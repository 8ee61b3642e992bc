import { median, type Sizes } from "./figures.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

const CREATES = { method: "POST", resource: "customer", status: 200 } as const;
const PATIENCE_MS = 600_000;

/** What an expression that needs a process of its own takes of a first load; `share` is the median of the rounds' shares. */
export interface ExpressionShare {
  readonly records: number;
  /** Of all the processor time, that of the expression's processes included: what else the machine does is left out. */
  readonly share: number;
  readonly shares: readonly number[];
}

/**
 * First loads with the expression and with a plain path in its place, one after the other in turn. There is no latency: with
 * any, the same work is a smaller share.
 */
export async function measureExpressions({ load: records, rounds }: Sizes): Promise<ExpressionShare | undefined> {
  await using stage = await Stage.set(records);
  const shares: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const plain = await processorMs(stage, records, false);
    const own = await processorMs(stage, records, true);
    if (plain === undefined || own === undefined) return undefined;
    shares.push(1 - plain / own);
  }
  return { records, share: median(shares), shares };
}

async function processorMs(stage: Stage, records: number, ownExpression: boolean): Promise<number | undefined> {
  await stage.forget();
  await using sandbox = await SandboxProcess.start();
  await using daemon = await stage.start("run", sandbox, { ownExpression });
  await sandbox.reached(records, CREATES, PATIENCE_MS);
  return daemon.processorMs();
}
