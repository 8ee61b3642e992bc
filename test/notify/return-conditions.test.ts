import { describe, expect, it } from "vitest";
import type { ErrorFacts } from "#model";
import type { ReturnTrouble } from "#operator";
import { returnConditions } from "../../src/notify/return-conditions.ts";
import { heldReturns, sampleReturnStatus } from "../web/sample-returns.ts";

const AFTER_MS = 900_000;
const trouble = (kind: ReturnTrouble["kind"], code: ErrorFacts["code"], count = 2): ReturnTrouble => ({
  kind,
  count,
  example: { id: "reports/4711/2", error: { code, message: "because", details: {} } },
});

const failing = (code: ErrorFacts["code"]) =>
  sampleReturnStatus({
    state: "failing",
    mark: { beginAt: 0, error: { code, message: "no", details: {}, at: 1 } },
  });

describe("conditions of the lane back to the ERP", () => {
  it("are none while all is well", () => {
    expect(returnConditions([sampleReturnStatus()], AFTER_MS)).toEqual([]);
  });

  it.each([
    ["refused", "E_RETURN_REFUSED", "reports: the ERP refused 2 returns", "svcsync returns send reports/4711/2"],
    [
      "uncertain",
      "E_RETURN_UNCERTAIN",
      "reports: it is unknown whether 2 returns arrived",
      "svcsync returns arrived reports/4711/2",
    ],
    ["held", "E_RETURN_CORRECTION", "reports: 2 returns held for a person", "svcsync returns show reports/4711/2"],
    ["blocked", "E_RETURN_KEY", "reports: 2 returns cannot be made, because something is missing", "Enter the number"],
    [
      "following",
      "E_RETURN_FOLLOW",
      "reports: what follows 2 returns cannot be written into the service",
      "Compare both",
    ],
  ] as const)("name what is %s, an example, its cause and its remedy", (kind, code, title, remedy) => {
    const status = sampleReturnStatus({ troubles: [trouble(kind, code)] });
    expect(returnConditions([status], AFTER_MS)).toMatchObject([
      {
        id: `returns/reports/${kind}`,
        severity: "problem",
        title,
        cause: `because (${code})`,
        affected: "reports/4711/2 and others",
        remedy: expect.stringContaining(remedy),
        count: 2,
        patienceMs: 30_000,
      },
    ]);
  });

  it("leave out what is retried until it succeeds", () => {
    expect(
      returnConditions([sampleReturnStatus({ troubles: [trouble("blocked", "E_RETURN_WAITS")] })], AFTER_MS),
    ).toEqual([]);
  });

  it("report an answer that is late at once", () => {
    const late = sampleReturnStatus({ isOverdue: true, unansweredMs: 26 * 3_600_000 });
    expect(returnConditions([late], AFTER_MS)).toMatchObject([
      {
        id: "returns/reports/unanswered",
        title: "reports: the ERP has not answered for 1 d",
        affected: "3 returns of reports",
        remedy: expect.stringContaining("Look at the job that reads the inbox"),
        patienceMs: 0,
      },
    ]);
  });

  it("call a guard a problem, and a pause a note", () => {
    const found = returnConditions(heldReturns, AFTER_MS);
    expect(found.map(({ id, severity, remedy }) => [id, severity, remedy])).toMatchObject([
      ["returns/reports/held", "problem", '"svcsync returns reports" lists them.'],
      ["returns/reports/guard", "problem", expect.stringContaining('"svcsync returns release reports"')],
      ["returns/ticket-status/pause", "note", '"svcsync returns resume ticket-status" ends it.'],
    ]);
  });

  it("wait with what heals, and not with what a person corrects", () => {
    const found = returnConditions([failing("E_SOURCE_UNREACHABLE"), failing("E_RETURN_INBOX")], AFTER_MS);
    expect(found.map(({ kind, severity, patienceMs }) => [kind, severity, patienceMs])).toEqual([
      ["failing", "warning", AFTER_MS],
      ["failing", "problem", 30_000],
    ]);
  });

  it("name a stream that left the sync file", () => {
    const gone = sampleReturnStatus({ state: "unlisted", kind: undefined, attention: ["3 returns of it open"] });
    expect(returnConditions([gone], AFTER_MS)).toMatchObject([
      { id: "returns/reports/unlisted", cause: "3 returns of it open" },
    ]);
  });
});
