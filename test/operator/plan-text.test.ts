import { describe, expect, it } from "vitest";
import { planText, type StreamPlan } from "#operator";
import type { PlannedDelivery } from "#pipeline";
import { samplePlan } from "../web/sample-decisions.ts";

const { verdicts } = samplePlan;

const planOf = (sample: PlannedDelivery): StreamPlan => ({
  ...samplePlan,
  verdicts: { ...verdicts, update: 0, create: 0, park: 0, skip: 0, unchanged: 0, delete: 3 },
  fields: [],
  samples: [sample],
  causes: [],
});

describe("the plan of deletions", () => {
  const gone: PlannedDelivery = {
    id: { stream: "customers", key: "10001" },
    verdict: "delete",
    serviceId: 7,
    isDelivered: true,
    fields: [],
  };
  const why = "(its mapping changed, so every record is mapped again)";

  it("says that records are deleted", () => {
    expect(planText(planOf(gone)).split("\n")).toEqual([
      `customers: 3 deleted ${why}`,
      "  delete customers/10001 (7 in the service)",
      "  … and 2 more to delete",
      "",
    ]);
  });

  it("says that fields are set and the records stay, where the stream says so", () => {
    const set = { ...gone, fields: [{ field: "customerStatus", before: 1, after: 2 }] };
    expect(planText(planOf(set)).split("\n")).toEqual([
      `customers: 3 deleted in the ERP (fields are set, the records stay) ${why}`,
      "  set fields of customers/10001 (7 in the service): customerStatus: 1 -> 2",
      "  … and 2 more to set fields of",
      "",
    ]);
  });
});
