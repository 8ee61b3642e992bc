import Table from "cli-table3";
import { afterAll, describe, expect, it } from "vitest";
import { DEFAULT_ACCOUNT, type Sandbox } from "#sandbox";
import { postgresServer } from "../setup/postgres.ts";
import { ask } from "../store/postgres-place.ts";
import { openDelivery, type Delivery } from "./steps/delivery.ts";
import { setStepStage } from "./steps/step-stage.ts";

const postgres = postgresServer();
afterAll(() => postgres.end());

const customer = {
  customer_no: "1",
  name1: "Old",
  name2: null,
  short_name: null,
  status: "A",
  email_domain: null,
  remarks: null,
  warning: null,
  deleted: 0,
};
const stage = (delivery: Delivery, name1: string) => delivery.stage("customers", "1", { ...customer, name1 });

/** What is delivered before the delivery that is stopped, and the requests that may be carried out from then on. */
const stories = [
  { what: "create", before: undefined, atMost: { POST: 1, PUT: 3 } },
  { what: "update", before: "Before", atMost: { POST: 0, PUT: 6 } },
] as const;

const PATIENCE_MS = 600_000;
const METHODS = ["POST", "PUT"] as const;

const carriedOut = (sandbox: Sandbox, method: string) =>
  sandbox.ledger.requests({ method }).filter(({ resource, status }) => resource === "customer" && status === 200)
    .length;

describe("a delivery that stands still at any step while another process takes over", () => {
  const rows: string[][] = [];

  it.each(stories)("leaves the newest value once when it continues: $what", { timeout: PATIENCE_MS }, async (story) => {
    let step = 1;
    while (await standStill(story, step)) step += 1;
    expect(step).toBeGreaterThan(5);
  });

  it("stood still at every step; SHOW_TABLES=1 shows them, what was carried out and what is left", () => {
    const table = new Table({
      head: ["delivery", "stopped", "carried out", "in the service afterwards"],
      style: { head: [], border: [] },
    });
    table.push(...rows);
    if (process.env["SHOW_TABLES"]) process.stdout.write(`${table.toString()}\n`);
    expect(rows.length).toBeGreaterThan(12);
  });

  async function standStill({ what, before, atMost }: (typeof stories)[number], at: number): Promise<boolean> {
    const url = await postgres.url();
    const schema = `stop_${what}_${at}`;
    const { username, password } = DEFAULT_ACCOUNT;
    await using place = await setStepStage({
      STORE_URL: url,
      STORE_SCHEMA: schema,
      SERVICE_TOKEN: "",
      SERVICE_USERNAME: username,
      SERVICE_PASSWORD: password,
    });
    const { sandbox, envFile } = place;
    {
      await using first = await openDelivery(envFile);
      if (before !== undefined) await stage(first, before);
      await first.drain();
      await stage(first, "Old");
    }
    const earlier = METHODS.map((method) => carriedOut(sandbox, method));
    const stopped = await place.stopAt(at);
    if (stopped === undefined) return false;
    // Lost at once, although it believes in its place for seconds more: then the service alone can refuse what it sends.
    for (const table of ["members", "leases"]) await ask(url, `DELETE FROM "${schema}".${table}`);
    await using next = await openDelivery(envFile);
    await next.drain();
    await stage(next, "New");
    await next.drain();
    await stopped.resume();
    await next.drain();
    const names = sandbox.records("customer").map(({ name }) => name);
    const counts = METHODS.map((method, index) => carriedOut(sandbox, method) - (earlier[index] ?? 0));
    const { step } = stopped;
    expect({ step, names }).toEqual({ step, names: ["New"] });
    for (const [index, method] of METHODS.entries())
      expect({ step, method, isEnough: (counts[index] ?? 0) <= atMost[method] }).toEqual({
        step,
        method,
        isEnough: true,
      });
    rows.push([what, step, METHODS.map((method, index) => `${method} ${counts[index]}`).join(", "), "1 record: New"]);
    return true;
  }
});
