import { randomBytes } from "node:crypto";
import Table from "cli-table3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_ACCOUNT, type Sandbox } from "#sandbox";
import { postgresServer } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { ask } from "../store/postgres-place.ts";
import { customerRow } from "./steps/customer-row.ts";
import { openDelivery, type Delivery } from "./steps/delivery.ts";
import { setStepStage } from "./steps/step-stage.ts";

const postgres = postgresServer();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
  await postgres.end();
});

const METHODS = ["POST", "PUT", "DELETE"] as const;

/** A delivery that is stopped. */
interface Story {
  readonly what: string;
  /** Whether the record was delivered before. */
  readonly isKnown: boolean;
  readonly isDeleted?: boolean;
  /** Whether deliveries come through the queue. */
  readonly isQueued?: boolean;
  /** The requests that may be carried out from the stopped delivery on. */
  readonly atMost: Readonly<Record<(typeof METHODS)[number], number>>;
}

const CREATE: Story = { what: "create", isKnown: false, atMost: { POST: 1, PUT: 3, DELETE: 0 } };
const UPDATE: Story = { what: "update", isKnown: true, atMost: { POST: 0, PUT: 6, DELETE: 0 } };
const stories: readonly Story[] = [
  CREATE,
  UPDATE,
  { ...UPDATE, what: "update from the queue", isQueued: true },
  { ...UPDATE, what: "deletion", isDeleted: true },
];

const PATIENCE_MS = 600_000;
const NEWEST = [{ name: "New", isActive: true }];

const stage = (delivery: Delivery, name1: string, isDeleted = false) =>
  delivery.stage("customers", "1", customerRow("1", name1, isDeleted ? 1 : 0));

const carriedOut = (sandbox: Sandbox, method: string) =>
  sandbox.ledger.requests({ method }).filter(({ resource, status }) => resource === "customer" && status === 200)
    .length;

/** Lost at once, although it believes in its place for seconds more: then the service alone can refuse what it sends. */
const lose = (url: string, schema: string) =>
  ask(url, `DELETE FROM "${schema}".members; DELETE FROM "${schema}".leases`);

describe("a delivery that stands still at any step while another process takes over", () => {
  const rows: string[][] = [];

  it.each(stories)("leaves the newest value once when it continues: $what", { timeout: PATIENCE_MS }, async (story) => {
    let step = 1;
    for (; ; step++) {
      const after = await standStill(story, step, lose);
      if (after === undefined) break;
      expect(after).toEqual({ step: after.step, left: NEWEST, tooMany: [] });
    }
    expect(step).toBeGreaterThan(5);
  });

  it("leaves the newest value once after a silence that cost its place", { timeout: PATIENCE_MS }, async () => {
    const begun = "after store.begin, before service.create";
    expect(await standStill(CREATE, begun)).toEqual({ step: begun, left: NEWEST, tooMany: [] });
  });

  it("stood still at every step; SHOW_TABLES=1 shows them and what was carried out", () => {
    const table = new Table({ head: ["delivery", "stopped", "carried out"], style: { head: [], border: [] } });
    table.push(...rows);
    if (process.env["SHOW_TABLES"]) process.stdout.write(`${table.toString()}\n`);
    expect(rows.length).toBeGreaterThan(30);
  });

  /** What is left after a delivery stood still at one step; undefined where there is no such step. */
  async function standStill(story: Story, at: number | string, takePlace?: typeof lose) {
    const url = await postgres.url();
    const schema = `stop_${randomBytes(6).toString("hex")}`;
    const { username, password } = DEFAULT_ACCOUNT;
    await using place = await setStepStage({
      STORE_URL: url,
      STORE_SCHEMA: schema,
      SERVICE_TOKEN: "",
      SERVICE_USERNAME: username,
      SERVICE_PASSWORD: password,
      ...(story.isQueued ? { QUEUE_URL: `${redis.url}?prefix=${schema}` } : {}),
    });
    const { sandbox, envFile } = place;
    {
      await using first = await openDelivery(envFile);
      if (story.isKnown) await stage(first, "Before");
      await first.drain();
      await stage(first, "Old", story.isDeleted);
    }
    const earlier = METHODS.map((method) => carriedOut(sandbox, method));
    const stopped = await place.stopAt(at);
    if (stopped === undefined) return undefined;
    await takePlace?.(url, schema);
    // It waits until the place of the other one is free.
    await using next = await openDelivery(envFile);
    await next.drain();
    await stage(next, "New");
    await next.drain();
    await stopped.resume();
    await next.drain();
    const counts = METHODS.map((method, index) => ({
      method,
      count: carriedOut(sandbox, method) - (earlier[index] ?? 0),
    }));
    rows.push([story.what, stopped.step, counts.map(({ method, count }) => `${method} ${count}`).join(", ")]);
    const active = sandbox.records("customerStatus").find(({ name }) => name === "Active")?.["id"];
    return {
      step: stopped.step,
      left: sandbox
        .records("customer")
        .map(({ name, customerStatus }) => ({ name, isActive: customerStatus === active })),
      tooMany: counts.filter(({ method, count }) => count > story.atMost[method]),
    };
  }
});
