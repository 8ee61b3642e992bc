import type { JsonObject } from "#model";
import { only, setStage, type Stage, type StageOptions } from "./stage.ts";

export const numbers = Array.from({ length: 30 }, (_, at) => String(10_000 + at));

/** A service that holds the ERP's customers already. */
export async function inUse(options: StageOptions = {}): Promise<Stage> {
  const stage = await setStage(options);
  const customerStatus = only(stage.sandbox, "customerStatus", "name", "Active").id;
  for (const customer_no of numbers) stage.erp.insertCustomer({ customer_no, name1: `Kunde ${customer_no}` });
  seed(
    stage,
    numbers.map((customerId) => ({ customerId, name: `Kunde ${customerId}`, customerStatus })),
  );
  return stage;
}

export function seed({ sandbox }: Stage, rows: JsonObject[]): void {
  sandbox.seed("customer", rows);
}
