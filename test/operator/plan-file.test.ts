import { describe, expect, it } from "vitest";
import type { PlannedDelivery } from "#pipeline";
import { Redaction } from "#telemetry";
import {
  decisionOf,
  PlanFileText,
  planRecord,
  readPlanLines,
  type PlanHead,
  type PlanRecord,
} from "../../src/operator/plan/file/plan-file.ts";

const head: Omit<PlanHead, "svcsyncPlan"> = {
  version: "0.2.0",
  createdAt: "2026-05-20T12:00:00.000Z",
  service: ["service.example/v1"],
  mappings: { customers: "0123456789abcdef" },
  streams: [{ stream: "customers", source: { address: "erp.example", part: "" }, cursor: 7, sequence: 9 }],
};
const update: PlannedDelivery = {
  id: { stream: "customers", key: "10001" },
  verdict: "update",
  serviceId: 7,
  isDelivered: true,
  fields: [{ field: "name", before: "A", after: "B" }],
};
const plain = new Redaction().redact;

function linesOf(...planned: PlannedDelivery[]): string[] {
  const text = new PlanFileText(plain);
  const whole = [text.head(head), ...planned.map((each) => text.record(each)), text.end()].join("");
  return whole.trimEnd().split("\n");
}

async function readBack(lines: readonly string[]): Promise<{ heads: PlanHead[]; records: PlanRecord[] }> {
  const heads: PlanHead[] = [];
  const records: PlanRecord[] = [];
  async function* each() {
    yield* lines;
  }
  const taken = {
    head: (found: PlanHead) => void heads.push(found),
    record: (found: PlanRecord) => void records.push(found),
  };
  await readPlanLines(each(), { path: "plan.jsonl", ...taken });
  return { heads, records };
}

describe("the file of a plan", () => {
  it("is read as it was written", async () => {
    const parked: PlannedDelivery = {
      id: { stream: "customers", key: "\u2028|" },
      verdict: "park",
      fields: [],
      isDelivered: false,
      error: { code: "E_MAPPING", message: "no", details: {} },
    };
    const { heads, records } = await readBack(linesOf(update, parked));
    expect(heads).toEqual([{ svcsyncPlan: 1, ...head }]);
    expect(records).toEqual([
      { stream: "customers", key: "10001", verdict: "update", serviceId: 7, fields: update.fields },
      { stream: "customers", key: "\u2028|", verdict: "park", fields: [], code: "E_MAPPING" },
    ]);
    expect((await readBack(linesOf())).records).toEqual([]);
  });

  it.each([
    ["is empty", () => [], "is empty"],
    ["was cut", (lines: string[]) => lines.slice(0, -1), "has no end"],
    ["lost a record", (lines: string[]) => lines.toSpliced(1, 1), "was changed"],
    ["was edited", (lines: string[]) => lines.map((line) => line.replace('"B"', '"C"')), "was changed"],
    [
      "has another format",
      (lines: string[]) => lines.map((line) => line.replace('Plan":1', 'Plan":2')),
      "the format 2",
    ],
    ["is something else", () => ["stream,key", "a,b", "c,d"], "plan.jsonl:1 is no line of a plan"],
    ["ends early", () => ["{}"], "has no end"],
  ])("is refused when it %s", async (_, change, message) => {
    await expect(readBack(change(linesOf(update)))).rejects.toMatchObject({
      code: "E_PLAN_FILE",
      message: expect.stringContaining(message),
    });
  });

  it("holds no secret", () => {
    const text = new PlanFileText(new Redaction(["pass|word"]).redact);
    expect(text.record({ ...update, fields: [{ field: "name", after: 'a "pass|word" b' }] })).not.toContain("word");
  });

  it("has equal decisions whatever their wording, and another one for another value, field, record or verdict", () => {
    const decision = (more: Partial<PlannedDelivery>) => decisionOf(planRecord({ ...update, ...more }, plain));
    const [field] = update.fields;
    expect(decision({ reason: "because" })).toBe(decision({}));
    const others = [
      decision({ fields: [{ ...field!, after: "C" }] }),
      decision({ fields: [{ ...field!, before: "C" }] }),
      decision({ fields: [{ field: "name", after: "B" }] }),
      decision({ fields: [...update.fields, { field: "zip", after: 1 }] }),
      decision({ serviceId: 8 }),
      decision({ verdict: "adopt" }),
      decision({ error: { code: "E_MAPPING", message: "", details: {} } }),
    ];
    expect(new Set([decision({}), ...others]).size).toBe(8);
  });
});
