import { describe, expect, it } from "vitest";
import type { ErrorCode } from "#model";
import type { StreamStatus } from "#pipeline";
import { urgencyOf } from "#operator";
import { sampleStreams } from "../web/sample-status.ts";

const well: StreamStatus = sampleStreams[0]!;
const failing = (code: ErrorCode): Partial<StreamStatus> => ({
  state: "failing",
  cursor: { ...well.cursor, error: { code, message: "", details: {}, at: 0 } },
});

describe("the urgency of streams", () => {
  it.each<[string, Partial<StreamStatus>, string]>([
    ["all in sync", {}, "none"],
    ["records on their way", { counts: { due: 3, claimed: 1, waiting: 2 } }, "none"],
    ["records blocked by a parent that will not come", { blocked: 18, counts: { waiting: 18 } }, "none"],
    ["an ERP that does not answer", failing("E_SOURCE_UNREACHABLE"), "time"],
    ["an ERP that refuses the password", failing("E_SOURCE_LOGIN"), "person"],
    ["a stream that is held", { state: "held" }, "person"],
    ["a parked record", { counts: { parked: 1 } }, "person"],
    ["an uncertain record", { counts: { uncertain: 1 } }, "person"],
    ["deletions that the guard holds", { deletionsHeld: 60 }, "person"],
  ])("of %s is %j", (_, facts, urgency) => {
    expect(urgencyOf([well, { ...well, ...facts }], "note")).toBe(urgency);
  });

  it("counts blocked records where the settings say so", () => {
    expect(urgencyOf([{ ...well, blocked: 1 }], "problem")).toBe("person");
  });
});
