import Table from "cli-table3";
import { describe, expect, it } from "vitest";
import type { Json } from "#model";
import type { Sandbox } from "#sandbox";
import { customerRow } from "./steps/customer-row.ts";
import { openDelivery, type Delivery } from "./steps/delivery.ts";
import { setStepStage } from "./steps/step-stage.ts";

const customer = customerRow("1", "Grün & Söhne");
const ticket = {
  ticket_no: "T1",
  customer_no: "1",
  contact_no: null,
  subject: "Pumpe steht",
  body: null,
  due_date: null,
  priority: "high",
  status: "open",
  tags: "VIP,Notdienst",
  deleted: 0,
};
const order = { order_no: "A1", customer_no: "1", ticket_no: null, reference: "Bestellung 7", billable: 1, deleted: 0 };

/** One life of a record: what stands before the delivery that dies, and what must stand at the end. */
interface Story {
  readonly what: string;
  /** Everything before; delivered to its end. */
  readonly before: (delivery: Delivery) => Promise<void>;
  /** Between the two: what somebody else does to the service. */
  readonly meanwhile?: (sandbox: Sandbox) => void;
  /** What the dying delivery is about. */
  readonly staged: (delivery: Delivery) => Promise<void>;
  /** A step at which an earlier life ended already. */
  readonly diedAt?: string;
  /** The last step of interest: from there on it is another story's. */
  readonly until?: string;
  /** What the ERP did after that. */
  readonly stagedAgain?: (delivery: Delivery) => Promise<void>;
  /** The records of the resource at the end. */
  readonly resource: string;
  readonly wanted: readonly Record<string, Json>[];
  /**
   * Requests at most, of each method, over both lives: an update that was not seen to end is sent again, and once more when
   * the first can no longer arrive. Adding and removing tags are two requests.
   */
  readonly atMost: Readonly<Partial<Record<"POST" | "PUT" | "DELETE", number>>>;
}

const stories: readonly Story[] = [
  {
    what: "create",
    before: (delivery) => delivery.stage("customers", "1", customer),
    staged: (delivery) => delivery.stage("tickets", "T1", ticket),
    resource: "ticket",
    wanted: [{ erpReferenceNumber: "T1", description: "Pumpe steht", priority: "High", tags: ["Notdienst", "VIP"] }],
    atMost: { POST: 1, PUT: 0, DELETE: 0 },
  },
  {
    what: "create, begun by one that died",
    before: (delivery) => delivery.stage("customers", "1", customer),
    staged: (delivery) => delivery.stage("tickets", "T1", ticket),
    diedAt: "after service.create, before service.read",
    until: "after store.end",
    resource: "ticket",
    wanted: [{ erpReferenceNumber: "T1", description: "Pumpe steht", priority: "High", tags: ["Notdienst", "VIP"] }],
    atMost: { POST: 1, PUT: 0, DELETE: 0 },
  },
  {
    what: "adopt",
    before: (delivery) => delivery.stage("customers", "1", customer),
    meanwhile: (sandbox) =>
      void sandbox.seed("ticket", [{ erpReferenceNumber: "T1", description: "Pumpe steht", tags: [] }]),
    staged: (delivery) => delivery.stage("tickets", "T1", ticket),
    resource: "ticket",
    wanted: [{ erpReferenceNumber: "T1", description: "Pumpe steht", priority: "High", tags: ["Notdienst", "VIP"] }],
    atMost: { POST: 0, PUT: 3, DELETE: 0 },
  },
  {
    what: "update",
    before: async (delivery) => {
      await delivery.stage("customers", "1", customer);
      await delivery.stage("tickets", "T1", ticket);
    },
    staged: (delivery) => delivery.stage("tickets", "T1", { ...ticket, subject: "Pumpe läuft", tags: "VIP,Wartung" }),
    resource: "ticket",
    wanted: [{ erpReferenceNumber: "T1", description: "Pumpe läuft", priority: "High", tags: ["VIP", "Wartung"] }],
    atMost: { POST: 0, PUT: 6, DELETE: 0 },
  },
  {
    what: "delete by setting fields",
    before: async (delivery) => {
      await delivery.stage("customers", "1", customer);
      await delivery.stage("tickets", "T1", ticket);
    },
    staged: (delivery) => delivery.stage("tickets", "T1", { ...ticket, deleted: 1 }),
    resource: "ticket",
    wanted: [{ erpReferenceNumber: "T1", description: "Pumpe steht", ticketStatus: "Closed" }],
    atMost: { POST: 0, PUT: 3, DELETE: 0 },
  },
  {
    what: "delete",
    before: async (delivery) => {
      await delivery.stage("customers", "1", customer);
      await delivery.stage("orders", "A1", order);
    },
    staged: (delivery) => delivery.stage("orders", "A1"),
    resource: "svcDocument",
    wanted: [],
    atMost: { POST: 0, PUT: 0, DELETE: 2 },
  },
  {
    what: "come back from a deletion that was begun",
    before: async (delivery) => {
      await delivery.stage("customers", "1", customer);
      await delivery.stage("orders", "A1", order);
    },
    staged: (delivery) => delivery.stage("orders", "A1"),
    diedAt: "after service.remove, before store.end",
    stagedAgain: (delivery) => delivery.stage("orders", "A1", { ...order, reference: "Bestellung 8" }),
    resource: "svcDocument",
    wanted: [{ erpReferenceNumber: "A1", referenceNumber: "Bestellung 8" }],
    atMost: { POST: 1, PUT: 0, DELETE: 3 },
  },
];

/** A story dies and lives again some twenty times, each time as a process of its own. */
const PATIENCE_MS = 600_000;

describe("a delivery that is killed at any step and started again", () => {
  const rows = new Map(stories.map(({ what }): [string, string[][]] => [what, []]));

  it.concurrent.each(stories)("leaves the record once and correct: $what", { timeout: PATIENCE_MS }, async (story) => {
    let fatal = 1;
    for (; ; fatal++) {
      const died = await dieAndLiveAgain(story, fatal);
      if (died === undefined || (story.until !== undefined && died.step.startsWith(story.until))) break;
      rows.get(story.what)!.push([story.what, String(fatal), died.step, died.records, died.writes]);
    }
    expect(fatal).toBeGreaterThan(5);
  });

  it("was killed at every step; SHOW_TABLES=1 shows them and their outcomes", () => {
    const table = new Table({
      head: ["delivery", "step", "killed", "in the service afterwards", "writes over both lives"],
      style: { head: [], border: [] },
    });
    table.push(...[...rows.values()].flat());
    if (process.env["SHOW_TABLES"]) process.stdout.write(`${table.toString()}\n`);
    expect(table.length).toBeGreaterThan(60);
  });
});

async function dieAndLiveAgain(story: Story, fatal: number) {
  await using stage = await setStepStage();
  const { sandbox } = stage;
  {
    await using first = await openDelivery(stage.envFile);
    await story.before(first);
    await first.drain();
    story.meanwhile?.(sandbox);
    await story.staged(first);
  }
  const counts = () =>
    Object.fromEntries(
      (["POST", "PUT", "DELETE"] as const).map((method) => [method, sandbox.ledger.count({ method })]),
    );
  const before = counts();
  const earlier = story.diedAt && (await stage.dieAt(story.diedAt));
  expect(earlier).toBe(story.diedAt);
  if (story.stagedAgain) {
    await using between = await openDelivery(stage.envFile);
    await story.stagedAgain(between);
  }
  const step = await stage.dieAt(fatal);
  {
    await using second = await openDelivery(stage.envFile);
    await second.drain();
    for (const { state } of await second.store.records({ limit: 100 })) expect(["applied", "deleted"]).toContain(state);
  }
  const found = sandbox.records(story.resource).map((record) => inWords(sandbox, record));
  expect({ step, found }).toMatchObject({ step, found: story.wanted });
  expect({ step, records: found.length }).toEqual({ step, records: story.wanted.length });
  const after = counts();
  const writes = Object.entries(story.atMost).map(([method, most]) => {
    const made = after[method]! - before[method]!;
    expect({ step, method, made, isEnough: made <= most }).toEqual({ step, method, made, isEnough: true });
    return `${method} ${made}`;
  });
  return step === undefined
    ? undefined
    : {
        step,
        records: `${found.length}, as the ERP says`,
        writes: writes.filter((text) => !text.endsWith(" 0")).join(", "),
      };
}

/** A record with its links as the names that people see. */
function inWords(sandbox: Sandbox, record: Record<string, Json>): Record<string, Json> {
  const name = (resource: string, id: Json | undefined): string => {
    const found = sandbox.records(resource).find((entry) => entry.id === id)?.["name"];
    return typeof found === "string" ? found : "none";
  };
  const tags = record["tags"];
  return {
    ...record,
    priority: name("priority", record["priority"]),
    ticketStatus: name("ticketStatus", record["ticketStatus"]),
    tags: Array.isArray(tags) ? tags.map((id) => name("tag", id)).toSorted() : [],
  };
}
