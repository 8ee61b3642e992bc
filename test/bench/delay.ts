import { sleep } from "#model";
import { median, quantile, type Sizes } from "./figures.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

const CUSTOMERS = 100;
const POLL_SECONDS = 1;
const PATIENCE_MS = 60_000;
const UPDATES = { method: "PUT", resource: "customer", status: 200 } as const;

/** From a commit in the ERP to the service's answer, in milliseconds. Half of the poll interval is waiting for the poll. */
export interface Delay {
  readonly pollSeconds: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Changes one customer at a time, at moments that have nothing to do with the polls. */
export async function measureDelay({ changes }: Sizes): Promise<Delay> {
  await using sandbox = await SandboxProcess.start();
  await using stage = await Stage.set(CUSTOMERS);
  await using _daemon = await stage.start("run", sandbox, { pollSeconds: POLL_SECONDS });
  await sandbox.reached(CUSTOMERS, { method: "POST", resource: "customer", status: 200 }, PATIENCE_MS);
  const delays: number[] = [];
  const customers = stage.erp.all("customers");
  for (let change = 1; change <= changes; change++) {
    await sleep(POLL_SECONDS * 1000 * (1 + Math.random()));
    stage.erp.renameCustomer(customers[change % customers.length]!.customer_no, `Fassung ${change}`);
    const changedAt = Date.now();
    await sandbox.reached(change, UPDATES, PATIENCE_MS);
    const { lastAt = Number.NaN } = await sandbox.window(UPDATES);
    delays.push(lastAt - changedAt);
  }
  return { pollSeconds: POLL_SECONDS, medianMs: median(delays), p95Ms: quantile(delays, 0.95) };
}
