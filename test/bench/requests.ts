import type { Sizes } from "./figures.ts";
import { SandboxProcess } from "./sandbox-process.ts";
import { Stage } from "./stage.ts";

/** Requests that one kind of record cost, each. */
export interface RequestCost {
  readonly records: number;
  readonly writesEach: number;
  /** Reads included: lookups and the index of what is there, spread over all records. */
  readonly requestsEach: number;
}

export interface RequestCosts {
  readonly created: RequestCost;
  readonly changed: RequestCost;
  readonly unchanged: RequestCost;
}

/** Counts at the service what created, changed and unchanged records cost. */
export async function countRequests({ counted }: Sizes): Promise<RequestCosts> {
  await using sandbox = await SandboxProcess.start();
  await using stage = await Stage.set(counted);
  const step = async (): Promise<RequestCost> => {
    const before = await requestsSoFar(sandbox);
    await (await stage.start("sync", sandbox)).ended();
    const after = await requestsSoFar(sandbox);
    return {
      records: counted,
      writesEach: (after.writes - before.writes) / counted,
      requestsEach: (after.all - before.all) / counted,
    };
  };
  const created = await step();
  for (const { customer_no, name2 } of stage.erp.all("customers"))
    stage.erp.change("customers", [customer_no], { name1: `Neu ${customer_no}`, name2 });
  const changed = await step();
  for (const { customer_no } of stage.erp.all("customers")) stage.erp.touch("customers", [customer_no]);
  const unchanged = await step();
  return { created, changed, unchanged };
}

async function requestsSoFar(sandbox: SandboxProcess): Promise<{ all: number; writes: number }> {
  const [all, posts, puts, deletes] = await Promise.all([
    sandbox.count(),
    sandbox.count({ method: "POST" }),
    sandbox.count({ method: "PUT" }),
    sandbox.count({ method: "DELETE" }),
  ]);
  return { all, writes: posts + puts + deletes };
}
